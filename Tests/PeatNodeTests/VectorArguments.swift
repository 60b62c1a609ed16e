import PeatProtocol
import PeatTestSupport

/// A value that a vector should have had.
struct MissingValue: Error {
  let what: String
}

extension JSON {
  func text(_ name: String) throws -> String {
    guard let value = self[name].string else { throw MissingValue(what: name) }
    return value
  }

  func bytes(_ name: String) throws -> [UInt8] {
    guard let value = self[name].bytes else { throw MissingValue(what: name) }
    return value
  }

  func uint64(_ name: String) throws -> UInt64 {
    guard let value = self[name].uint64 else { throw MissingValue(what: name) }
    return value
  }

  func uint8(_ name: String) throws -> UInt8 {
    guard let value = self[name].uint8 else { throw MissingValue(what: name) }
    return value
  }

  func node(_ name: String) throws -> NodeID {
    guard let value = self[name].uint32 else { throw MissingValue(what: name) }
    return NodeID(rawValue: value)
  }

  func flag(_ name: String) throws -> Bool {
    guard let value = self[name].bool else { throw MissingValue(what: name) }
    return value
  }

  func messageID(_ name: String) throws -> RelayMessageID {
    let bytes = try bytes(name)
    guard bytes.count == 16 else { throw MissingValue(what: name) }
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return RelayMessageID(low: half(bytes[0..<8]), high: half(bytes[8..<16]))
  }

  /// A location of members `latitude`, `longitude` and `altitude`; nil without both coordinates.
  var location: Location? {
    func float(_ name: String) -> Float? { self[name].floatBits.map { Float(bitPattern: $0) } }
    guard let latitude = float("latitude"), let longitude = float("longitude") else { return nil }
    return Location(latitude: latitude, longitude: longitude, altitude: float("altitude"))
  }

  /// The event type of member `type`, as the reference reads numbers.
  var eventType: EventType? {
    self["type"].uint8.map { EventType(rawValue: $0) }.map { $0.isKnown ? $0 : .none }
  }
}
