import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

/// A value that a vector should have had.
struct MissingValue: Error {
  let what: String
}

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
  /// The bytes of a member.
  func bytes(_ name: String) throws -> [UInt8] {
    guard let value = self[name].bytes else { throw MissingValue(what: name) }
    return value
  }

  /// The 32-byte secret of a member.
  func key(_ name: String) throws -> SecretKey {
    guard let value = SecretKey(try bytes(name)) else { throw MissingValue(what: name) }
    return value
  }

  /// The text of a member.
  func text(_ name: String) throws -> String {
    guard let value = self[name].string else { throw MissingValue(what: name) }
    return value
  }

  /// The 64-bit number of a member.
  func number(_ name: String) throws -> UInt64 {
    guard let value = self[name].uint64 else { throw MissingValue(what: name) }
    return value
  }

  /// The node of a member.
  func node(_ name: String) throws -> NodeID {
    guard let value = self[name].uint32 else { throw MissingValue(what: name) }
    return NodeID(rawValue: value)
  }

  /// The elements of a member.
  func list(_ name: String) throws -> [JSON] {
    guard let value = self[name].array else { throw MissingValue(what: name) }
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
