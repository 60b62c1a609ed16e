package import PeatProtocol

/// A value that a vector should have had.
package struct MissingValue: Error {
  private let what: String

  package init(what: String) { self.what = what }
}

extension JSON {
  /// The text of a member.
  package func text(_ name: String) throws -> String {
    try required(self[name].string, name)
  }

  /// The bytes of a member.
  package func bytes(_ name: String) throws -> [UInt8] {
    try required(self[name].bytes, name)
  }

  /// The 64-bit number of a member.
  package func uint64(_ name: String) throws -> UInt64 {
    try required(self[name].uint64, name)
  }

  /// The 8-bit number of a member.
  package func uint8(_ name: String) throws -> UInt8 {
    try required(self[name].uint8, name)
  }

  /// The flag of a member.
  package func flag(_ name: String) throws -> Bool {
    try required(self[name].bool, name)
  }

  /// The node of a member.
  package func node(_ name: String) throws -> NodeID {
    NodeID(rawValue: try required(self[name].uint32, name))
  }

  /// The elements of a member.
  package func list(_ name: String) throws -> [JSON] {
    try required(self[name].array, name)
  }

  private func required<Value>(_ value: Value?, _ name: String) throws -> Value {
    guard let value else { throw MissingValue(what: name) }
    return value
  }
}
