import Glibc

/// Environment variables: those of the process, or a set given by a test.
package struct Environment: Sendable {
  private let values: [String: String]?

  /// The variables of this process.
  package init() { values = nil }

  /// Exactly these variables.
  package init(_ values: [String: String]) { self.values = values }

  /// The value of a variable, or nil where it is not set. The C function is getenv(3).
  package subscript(name: String) -> String? {
    if let values { return values[name] }
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Whether a variable is set to something.
  package func has(_ name: String) -> Bool { self[name].map { !$0.isEmpty } ?? false }
}
