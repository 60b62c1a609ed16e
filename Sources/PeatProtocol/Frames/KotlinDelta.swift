public import WireBytes

/// A delta as Android's receiver reads it, which differs from the reference's (protocol.md 7.3).
///
/// The flag of the vector clock is ignored, so that a clock is misread as operations; unknown
/// operations are stepped over one byte at a time; 0x10 to 0x13 are fields, not applications'.
public struct KotlinDelta: Equatable, Sendable {
  /// A change as Android understands it.
  public enum Operation: Equatable, Sendable {
    /// 0x01: an amount that is *added* to the node's counter.
    case counter(id: UInt8, node: NodeID, amount: UInt64, timestamp: UInt64)
    /// 0x02: a peripheral body, in Android's own layout.
    case peripheral(timestamp: UInt64, body: [UInt8])
    /// 0x03: an emergency.
    case setEmergency(source: NodeID, timestamp: UInt64, knownPeers: [NodeID])
    /// 0x04: an acknowledgement.
    case acknowledgeEmergency(node: NodeID, emergencyTimestamp: UInt64)
    /// 0x05: the end of an emergency.
    case clearEmergency(emergencyTimestamp: UInt64)
    /// 0x10: degrees north, degrees east, metres.
    case location(latitude: Float, longitude: Float, altitude: Float)
    /// 0x11: the health fields in Android's order.
    case health(Health)
    /// 0x12: at most 12 bytes of text; bytes that are not UTF-8 are replaced.
    case callsign(String)
    /// 0x13: an event and its time.
    case event(type: EventType, timestamp: UInt64)
    /// A byte that is no operation; reading went on behind it.
    case skipped(UInt8)
  }

  /// The node whose changes these are.
  public var origin: NodeID
  /// Unix milliseconds of its making.
  public var timestamp: UInt64
  /// What could be read, in order.
  public var operations: [Operation]
  /// What ended the list before its announced count; nil when all were read.
  public var stop: FormatFault?

  /// Reads a delta from its marker on; a cut operation ends the list.
  ///
  /// - Throws: ``FormatFault`` for another marker and for fewer than 16 bytes.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(DeltaDocument.minimumSize, "delta document")
    let start = reader.offset
    guard try reader.u8("marker") == DeltaDocument.marker else {
      throw FormatFault(reason: "marker is not 0xB2", offset: start)
    }
    try reader.skip(1, "flags")
    origin = try reader.node("origin")
    timestamp = try reader.le64("timestamp")
    let count = try reader.le16("operation count")
    operations = []
    for _ in 0..<count where stop == nil {
      do throws(FormatFault) {
        operations.append(try Operation(decoding: &reader))
      } catch { stop = error }
    }
  }

  /// Reads the delta at the start of `bytes`.
  public init(bytes: [UInt8]) throws(FormatFault) {
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    try self.init(decoding: &reader)
  }
}

extension KotlinDelta.Operation {
  init(decoding reader: inout ByteReader) throws(FormatFault) {
    let start = reader.offset
    let byte = try reader.u8("operation")
    switch byte {
    case 0x01:
      self = .counter(
        id: try reader.u8("counter id"), node: try reader.node("counter node"),
        amount: try reader.le64("counter amount"), timestamp: try reader.le64("timestamp"))
    case 0x02:
      let timestamp = try reader.le64("timestamp")
      let length = Int(try reader.le16("peripheral length"))
      self = .peripheral(
        timestamp: timestamp, body: try reader.array(length, "peripheral"))
    case 0x03:
      self = .setEmergency(
        source: try reader.node("emergency source"),
        timestamp: try reader.le64("emergency timestamp"), knownPeers: try reader.knownPeers())
    case 0x04:
      self = .acknowledgeEmergency(
        node: try reader.node("acknowledging node"),
        emergencyTimestamp: try reader.le64("emergency timestamp"))
    case 0x05:
      self = .clearEmergency(emergencyTimestamp: try reader.le64("emergency timestamp"))
    case 0x10:
      self = .location(
        latitude: try reader.leFloat("latitude"), longitude: try reader.leFloat("longitude"),
        altitude: try reader.leFloat("altitude"))
    case 0x11:
      let battery = try reader.u8("battery")
      let heartRate = try reader.u8("heart rate")
      self = .health(
        Health(
          battery: battery, activity: Activity(rawValue: try reader.u8("activity")),
          alerts: Alerts(rawValue: try reader.u8("alerts")), heartRate: heartRate))
    case 0x12:
      let length = Int(try reader.u8("callsign length"))
      guard length <= Callsign.encodedSize else {
        throw FormatFault(reason: "callsign of \(length) bytes is above 12", offset: start + 1)
      }
      self = .callsign(String(decoding: try reader.array(length, "callsign"), as: UTF8.self))
    case 0x13:
      self = .event(
        type: EventType(rawValue: try reader.u8("event type")),
        timestamp: try reader.le64("event timestamp"))
    default:
      self = .skipped(byte)
    }
  }
}
