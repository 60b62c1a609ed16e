import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

/// Runs `check` on every line of a vector file and reports each failing line by its name.
///
/// `check` returns one message for each expectation that does not hold.
func checkVectors(
  _ file: String, _ check: (Vector) -> [String], sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for vector in try TestData.vectors(file) {
    let messages = check(vector)
    if !messages.isEmpty {
      Issue.record(
        "\(file) \(vector.name) (\(vector.kind)): \(messages.joined(separator: "; "))",
        sourceLocation: sourceLocation)
    }
  }
}

/// Collects what differs between expected and found values of one vector line.
struct Differences {
  private(set) var messages: [String] = []

  mutating func expect<T: Equatable>(_ name: String, _ found: T, _ expected: T) {
    if found != expected { messages.append("\(name) is \(found), expected \(expected)") }
  }

  mutating func expect<T: Equatable>(_ name: String, _ found: T?, _ expected: T?) {
    if found != expected {
      messages.append(
        "\(name) is \(found.map { "\($0)" } ?? "nil"), "
          + "expected \(expected.map { "\($0)" } ?? "nil")")
    }
  }

  mutating func bytes(_ name: String, _ found: [UInt8]?, _ expected: JSON) {
    expect(name, found.map { Hexadecimal.string($0) }, expected.string)
  }

  mutating func note(_ message: String) { messages.append(message) }
}

/// What a line of a kind that no test knows is reported as.
func unknownKind(_ vector: Vector) -> [String] { ["kind is not handled"] }

/// Bytes by the rule that the vectors give for long payloads: byte i is i*7 + (i>>3), with i
/// taken mod 256 first.
func rulePayload(_ payload: JSON) -> [UInt8] {
  (0..<(payload["length"].int ?? 0)).map { index in
    let i = UInt8(truncatingIfNeeded: index)
    return i &* 7 &+ (i >> 3)
  }
}

extension JSON {
  /// A node id given as a number.
  var node: NodeID? { uint32.map { NodeID(rawValue: $0) } }
}
