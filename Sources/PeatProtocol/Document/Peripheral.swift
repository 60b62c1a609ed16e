public import WireBytes

/// What a node is (protocol.md 3); an open set, the reference reads others as `unknown`.
public struct PeripheralType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number on the wire.
  public var rawValue: UInt8
  /// Makes a type from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 0, and what the reference makes of any other number.
  public static let unknown = PeripheralType(rawValue: 0)
  /// 1: worn by a person.
  public static let soldierSensor = PeripheralType(rawValue: 1)
  /// 2: standing somewhere.
  public static let fixedSensor = PeripheralType(rawValue: 2)
  /// 3: passes messages on.
  public static let relay = PeripheralType(rawValue: 3)

  /// Whether the reference knows the number.
  public var isKnown: Bool { rawValue <= 3 }

  /// The name in records; other numbers are `unknown_N`.
  public var name: String {
    switch rawValue {
    case 0: "unknown"
    case 1: "soldier_sensor"
    case 2: "fixed_sensor"
    case 3: "relay"
    default: "unknown_\(rawValue)"
    }
  }
}

/// The sender's own state: section 0xAB of a document (protocol.md 2.3).
public struct Peripheral: Equatable, Sendable {
  /// The peripheral's own number, never 0.
  public var id: NodeID
  /// The node it belongs to, 0 = none.
  public var parent: NodeID
  /// What it is.
  public var type: PeripheralType
  /// What its wearer is called.
  public var callsign: Callsign
  /// Battery, activity, alerts and heart rate.
  public var health: Health
  /// What happened last, if anything.
  public var event: PeripheralEvent?
  /// Where it is, if known.
  public var location: Location?
  /// Milliseconds since 1970 of the last event or full update; not a stamp of freshness.
  public var time: UInt64

  /// Makes a peripheral from its parts.
  public init(
    id: NodeID, parent: NodeID = NodeID(rawValue: 0), type: PeripheralType = .soldierSensor,
    callsign: Callsign, health: Health = Health(), event: PeripheralEvent? = nil,
    location: Location? = nil, time: UInt64 = 0
  ) {
    self.id = id
    self.parent = parent
    self.type = type
    self.callsign = callsign
    self.health = health
    self.event = event
    self.location = location
    self.time = time
  }

  /// Bytes that `encode` appends: 35 to 61.
  public var encodedSize: Int {
    35 + (event == nil ? 0 : PeripheralEvent.encodedSize) + (location?.encodedSize ?? 0)
  }

  /// Appends the body of section 0xAB, without the section's header.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(id.rawValue)
    writer.le32(parent.rawValue)
    writer.u8(type.rawValue)
    writer.le64(callsign.low)
    writer.le32(callsign.high)
    health.encode(into: &writer)
    writer.u8(event == nil ? 0 : 1)
    event?.encode(into: &writer)
    writer.le64(time)
    writer.u8(location == nil ? 0 : 1)
    location?.encode(into: &writer)
  }

  /// Decodes the body of section 0xAB as the reference does; nil where it drops the section.
  public init?(decoding body: RawSpan) {
    var log: [Dropped] = []
    let bytes = DocumentBytes(body)
    guard let value = Peripheral.read(bytes, 0, bytes.count, lengthOffset: 0, log: &log) else {
      return nil
    }
    self = value
  }
}
