import PeatProtocol
import PeatTestSupport

extension JSON {
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
