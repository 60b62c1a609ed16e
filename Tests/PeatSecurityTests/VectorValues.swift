import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

/// The bytes of a hexadecimal text.
func bytes(_ text: String) throws -> [UInt8] {
  guard let bytes = hexBytes(text) else { throw MissingValue(what: text) }
  return bytes
}

/// The key of a hexadecimal text.
func key(_ text: String) throws -> SecretKey {
  guard let key = SecretKey(try bytes(text)) else { throw MissingValue(what: "32-byte key") }
  return key
}

extension JSON {
  /// The 32-byte secret of a member.
  func key(_ name: String) throws -> SecretKey {
    guard let value = SecretKey(try bytes(name)) else { throw MissingValue(what: name) }
    return value
  }
}

/// Runs `body` on every line of a vector file; a thrown error fails that line and the rest go on.
func forEachVector(
  _ file: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (Vector) throws -> Void
) throws {
  for vector in try TestData.vectors(file) {
    do {
      try body(vector)
    } catch {
      Issue.record("\(vector.name): \(error)", sourceLocation: sourceLocation)
    }
  }
}
