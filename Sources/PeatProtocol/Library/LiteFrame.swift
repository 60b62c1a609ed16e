public import WireBytes

/// Why bytes are no frame of peat-lite, in the words of its reference (protocol.md 7.6).
public enum LiteFault: String, Error, Sendable, BitwiseCopyable, CaseIterable {
  case tooShort = "TooShort"
  case invalidMagic = "InvalidMagic"
  case unsupportedVersion = "UnsupportedVersion"
  case invalidMessageType = "InvalidMessageType"
  case truncatedField = "TruncatedField"
  case invalidUTF8 = "InvalidUtf8"
  case emptyCollection = "EmptyCollection"
  case invalidFlags = "InvalidFlags"
  case tombstoneWithBody = "TombstoneWithBody"
  case bufferTooSmall = "BufferTooSmall"
  case fieldTooLong = "FieldTooLong"
}

/// A frame of peat-lite's UDP protocol: 16 header bytes and a payload (protocol.md 7.6).
///
/// It is not sent over Bluetooth today; an analyser knows it by its first bytes, "PEAT".
public struct LiteFrame: Hashable, Sendable {
  /// The first four bytes.
  public static let magic: [UInt8] = [0x50, 0x45, 0x41, 0x54]
  /// The version that is understood.
  public static let version: UInt8 = 1
  /// Bytes of the header.
  public static let headerSize = 16
  /// Most bytes of a frame.
  public static let maximumSize = 512
  /// The UDP port.
  public static let port: UInt16 = 5555
  /// The multicast group.
  public static let multicastGroup: [UInt8] = [239, 255, 72, 76]

  /// What a frame is for.
  public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case announce = 0x01
    case heartbeat = 0x02
    case data = 0x03
    case query = 0x04
    case acknowledgement = 0x05
    case leave = 0x06
    case document = 0x07
    // Firmware updates; the specification does not name the seven steps.
    case update10 = 0x10
    case update11 = 0x11
    case update12 = 0x12
    case update13 = 0x13
    case update14 = 0x14
    case update15 = 0x15
    case update16 = 0x16
  }

  /// Flag bit 0: the payload ends with a lifetime.
  public static let lifetimeFlag: UInt16 = 0x0001

  /// What the frame is for.
  public var kind: Kind
  /// Flag bits; undefined ones are kept.
  public var flags: UInt16
  /// The sender.
  public var node: NodeID
  /// Counts the sender's frames.
  public var sequence: UInt32
  /// Everything behind the header.
  public var payload: [UInt8]

  /// Makes a frame.
  public init(kind: Kind, flags: UInt16 = 0, node: NodeID, sequence: UInt32, payload: [UInt8]) {
    self.kind = kind
    self.flags = flags
    self.node = node
    self.sequence = sequence
    self.payload = payload
  }

  /// Reads a frame.
  ///
  /// - Throws: ``LiteFault`` for fewer than 16 bytes, another magic number or version, and an
  ///   unknown type.
  public init(bytes: [UInt8]) throws(LiteFault) {
    guard bytes.count >= LiteFrame.headerSize else { throw .tooShort }
    guard bytes.starts(with: LiteFrame.magic) else { throw .invalidMagic }
    guard bytes[4] == LiteFrame.version else { throw .unsupportedVersion }
    guard let kind = Kind(rawValue: bytes[5]) else { throw .invalidMessageType }
    self.kind = kind
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    do throws(DecodeError) {
      try reader.skip(6)
      flags = try reader.le16()
      node = NodeID(rawValue: try reader.le32())
      sequence = try reader.le32()
    } catch { throw .tooShort }
    payload = reader.rest()
  }

  /// Appends the header.
  public func encodeHeader(into writer: inout ByteWriter) {
    writer.append(LiteFrame.magic)
    writer.u8(LiteFrame.version)
    writer.u8(kind.rawValue)
    writer.le16(flags)
    writer.le32(node.rawValue)
    writer.le32(sequence)
  }

  /// The payload without the lifetime at its end, and the lifetime in seconds; 0 where the flag
  /// is not set or no 4 bytes are there.
  public var contentAndLifetime: (content: [UInt8], seconds: UInt32) {
    guard flags & LiteFrame.lifetimeFlag != 0, payload.count >= 4 else { return (payload, 0) }
    let seconds = payload.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return (Array(payload.dropLast(4)), seconds)
  }
}

/// The replicated types of peat-lite's data frames (protocol.md 7.6).
public enum LiteType: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case register = 1
  case counter = 2
  case upDownCounter = 3
  case set = 4

  /// Seconds that a value lives unless told otherwise, 0 for ever.
  public var defaultLifetime: UInt32 {
    switch self {
    case .register: 300
    case .counter, .upDownCounter: 3600
    case .set: 0
    }
  }

  /// Writes a lifetime behind a payload in a buffer; the new length, nil where it does not fit.
  public static func appendLifetime(
    _ seconds: UInt32, payloadLength: Int, to buffer: inout [UInt8]
  ) -> Int? {
    guard payloadLength >= 0, buffer.count >= 4, payloadLength <= buffer.count - 4 else {
      return nil
    }
    for index in 0..<4 {
      buffer[payloadLength + index] = UInt8(truncatingIfNeeded: seconds >> UInt32(8 * index))
    }
    return payloadLength + 4
  }
}

/// What a peat-lite node can do; other bits than ``Capabilities`` (protocol.md 3).
@frozen
public struct LiteCapabilities: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// The bits; undefined ones are kept.
  public var rawValue: UInt16

  /// Makes a set from its bits.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  private static let names = [
    "storage", "relay", "doc-crdt", "prim-crdt", "blob", "history", "agg", "sensor", "display",
    "actuate",
  ]

  /// Bit 3: replicates counters and registers, which is what a lite node synchronises.
  public static let primitiveCRDT = LiteCapabilities(rawValue: 0x0008)

  /// Whether a lite node can synchronise with this one.
  public var canSyncWithLite: Bool { contains(.primitiveCRDT) }
}

extension LiteCapabilities: CustomStringConvertible {
  /// The names of the bits that are set, lowest first, in brackets.
  public var description: String {
    let set = LiteCapabilities.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }
    return "[" + set.map(\.element).joined(separator: ", ") + "]"
  }
}
