public import WireBytes

/// The 16 bytes by which a relayed message is recognised; treat them as opaque (protocol.md 7.1).
@frozen
public struct RelayMessageID: Hashable, Sendable, BitwiseCopyable {
  /// Bytes 0 to 7 as a number, first byte lowest.
  public var low: UInt64
  /// Bytes 8 to 15 as a number, first byte lowest.
  public var high: UInt64

  /// Makes an id from its halves.
  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The form derived from content: origin, time and a hash, each least significant byte first.
  public init(origin: NodeID, timestamp: UInt64, payloadHash: UInt32) {
    low = UInt64(origin.rawValue) | timestamp << 32
    high = timestamp >> 32 | UInt64(payloadHash) << 32
  }

  init(decoding reader: inout ByteReader) throws(FormatFault) {
    low = try reader.le64("message id")
    high = try reader.le64("message id")
  }

  func encode(into writer: inout ByteWriter) {
    writer.le64(low)
    writer.le64(high)
  }

  /// The 16 bytes in wire order.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    encode(into: &writer)
    return writer.bytes
  }
}

extension RelayMessageID: CustomStringConvertible {
  /// The first 8 bytes in lower-case digits, as the reference shows an id.
  public var description: String { Hexadecimal.string(bytes.prefix(8)) }
}

/// A message on its way over several hops: marker 0xB1 (protocol.md 7.1).
///
/// The header is in clear and not authenticated.
public struct RelayEnvelope: WireValue, Hashable {
  /// The first byte.
  public static let marker: UInt8 = 0xB1
  /// Bytes in front of the payload.
  public static let headerSize = 28
  /// Hops that the reference allows unless told otherwise.
  public static let defaultMaximumHops: UInt8 = 7

  /// Bit 0 of the flags; nothing acts on it.
  public var requiresAcknowledgement: Bool
  /// Bit 1 of the flags; nothing acts on it.
  public var isBroadcast: Bool
  /// The message's id, kept on every hop.
  public var messageID: RelayMessageID
  /// Hops made so far, 0 at the origin.
  public var hopCount: UInt8
  /// Hops allowed.
  public var maximumHops: UInt8
  /// The node that sent the message first.
  public var origin: NodeID
  /// A plain document, a mesh-encrypted frame or a delta.
  public var payload: [UInt8]

  /// Makes an envelope at its origin.
  public init(
    origin: NodeID, messageID: RelayMessageID, payload: [UInt8], isBroadcast: Bool = true,
    requiresAcknowledgement: Bool = false,
    maximumHops: UInt8 = RelayEnvelope.defaultMaximumHops
  ) {
    self.requiresAcknowledgement = requiresAcknowledgement
    self.isBroadcast = isBroadcast
    self.messageID = messageID
    hopCount = 0
    self.maximumHops = maximumHops
    self.origin = origin
    self.payload = payload
  }

  /// Reads an envelope; bytes behind the announced payload are ignored.
  ///
  /// - Throws: ``FormatFault`` for another marker, and where header or payload are cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(RelayEnvelope.headerSize, "relay header")
    let start = reader.offset
    guard try reader.u8("marker") == RelayEnvelope.marker else {
      throw FormatFault(reason: "marker is not 0xB1", offset: start)
    }
    let flags = try reader.u8("flags")
    requiresAcknowledgement = flags & 0x01 != 0
    isBroadcast = flags & 0x02 != 0
    messageID = try RelayMessageID(decoding: &reader)
    hopCount = try reader.u8("hop count")
    maximumHops = try reader.u8("maximum hops")
    origin = try reader.node("origin")
    let length = Int(try reader.le32("payload length"))
    payload = try reader.array(length, "relay payload")
  }

  /// Appends the envelope; undefined flag bits are gone.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(RelayEnvelope.marker)
    writer.u8((requiresAcknowledgement ? 0x01 : 0) | (isBroadcast ? 0x02 : 0))
    messageID.encode(into: &writer)
    writer.u8(hopCount)
    writer.u8(maximumHops)
    writer.le32(origin.rawValue)
    writer.le32(UInt32(truncatingIfNeeded: payload.count))
    writer.append(payload)
  }

  /// Whether hops are left.
  public var canRelay: Bool { hopCount < maximumHops }

  /// Hops left.
  public var remainingHops: UInt8 { canRelay ? maximumHops - hopCount : 0 }

  /// The copy that a node passes on; nil when no hops are left.
  public var relayed: RelayEnvelope? {
    guard canRelay else { return nil }
    var copy = self
    copy.hopCount += 1
    return copy
  }
}
