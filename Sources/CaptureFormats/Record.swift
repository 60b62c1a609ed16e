public import WireBytes

/// What a record carries.
public enum RecordContent: UInt8, BitwiseCopyable, Sendable {
  /// An HCI command packet without its type byte.
  case command
  /// An HCI event packet without its type byte.
  case event
  /// An HCI ACL data packet without its type byte.
  case acl
  /// An HCI synchronous data packet without its type byte.
  case sco
  /// An HCI isochronous data packet without its type byte.
  case iso
  /// A link-layer packet: access address, PDU, CRC (link type 251).
  case linkLayer251
  /// A link-layer packet behind the ten-byte radio header (link type 256).
  case linkLayer256
  /// A packet of Nordic's sniffer with its header (link type 272).
  case nordic272
  /// The same in captures made before the link type was assigned (user link type 157).
  case nordic157
  /// A Linux monitor record that carries no HCI packet; `monitorOpcode` says which.
  case monitorNote
  /// A record of a known container whose content is not read here.
  case other
}

/// Which way a record went, as the capturing host saw it.
public enum RecordDirection: UInt8, BitwiseCopyable, Sendable {
  case sent, received, unknown
}

/// What a container says about one record, without its bytes.
///
/// All small fields share one word: a header is copied for each record, and a copy of fields of
/// mixed sizes costs more than reading the record.
public struct RecordHeader: BitwiseCopyable, Sendable, Equatable {
  /// Number of the packet in its file, counted from 1 as Wireshark counts.
  public let frame: Int
  /// Index of the adapter: of a Linux monitor, or the interface number in its pcapng section, else 0.
  public let adapter: Int
  /// Length that the payload had before the capture cut it; never less than what is present.
  public let originalLength: Int
  /// Offset in the file of the payload's first byte.
  public let fileOffset: Int
  @usableFromInline let _nanoseconds: Int64
  /// Bits 0-31 drops, 32-47 monitor opcode, 48-55 content, 56-57 direction, 58 guessed, 59 time
  /// present, 60 nanosecond precision, 61 behind damage.
  @usableFromInline let _packed: UInt64

  /// Makes a header from its parts.
  @inlinable @inline(__always)
  public init(
    frame: Int, time: Timestamp?, adapter: Int = 0, originalLength: Int, fileOffset: Int,
    drops: UInt32 = 0, monitorOpcode: UInt16 = 0, content: RecordContent,
    direction: RecordDirection, directionGuessed: Bool = false, followsDamage: Bool = false
  ) {
    self.frame = frame
    self.adapter = adapter
    self.originalLength = originalLength
    self.fileOffset = fileOffset
    var packed = UInt64(drops) | UInt64(monitorOpcode) << 32
    packed |= UInt64(content.rawValue) << 48 | UInt64(direction.rawValue) << 56
    packed |= directionGuessed ? 1 << 58 : 0
    packed |= followsDamage ? 1 << 61 : 0
    if let time {
      _nanoseconds = time.nanoseconds
      packed |= 1 << 59 | (time.isNanosecondPrecise ? 1 << 60 : 0)
    } else {
      _nanoseconds = 0
    }
    _packed = packed
  }

  /// The same header as of another adapter.
  func onAdapter(_ adapter: Int) -> RecordHeader {
    RecordHeader(
      frame: frame, time: time, adapter: adapter, originalLength: originalLength,
      fileOffset: fileOffset, drops: drops, monitorOpcode: monitorOpcode, content: content,
      direction: direction, directionGuessed: directionGuessed, followsDamage: followsDamage)
  }

  /// When it was recorded; absent where the container has no time for it.
  @inlinable public var time: Timestamp? {
    guard _packed & 1 << 59 != 0 else { return nil }
    return Timestamp(nanoseconds: _nanoseconds, isNanosecondPrecise: _packed & 1 << 60 != 0)
  }

  /// Packets that the recorder lost until then.
  @inlinable public var drops: UInt32 { UInt32(truncatingIfNeeded: _packed) }

  /// Opcode of a Linux monitor record (formats.md 3), else 0.
  @inlinable public var monitorOpcode: UInt16 { UInt16(truncatingIfNeeded: _packed >> 32) }

  /// What the payload is.
  @inlinable public var content: RecordContent {
    RecordContent(rawValue: UInt8(truncatingIfNeeded: _packed >> 48)) ?? .other
  }

  /// Which way it went.
  @inlinable public var direction: RecordDirection {
    RecordDirection(rawValue: UInt8(truncatingIfNeeded: _packed >> 56) & 3) ?? .unknown
  }

  /// Whether the container does not say the direction and `direction` must be guessed.
  @inlinable public var directionGuessed: Bool { _packed & 1 << 58 != 0 }

  /// Whether the container was damaged between the record before and this one.
  @inlinable public var followsDamage: Bool { _packed & 1 << 61 != 0 }
}

/// One record of a capture, borrowed from its reader until the next call of `next()`.
public struct RecordView: ~Escapable {
  /// What the container says about the record.
  public let header: RecordHeader
  /// The packet without H4 type byte, pseudo header or monitor header.
  public let payload: RawSpan

  @inlinable @inline(__always) @_lifetime(copy payload)
  init(header: RecordHeader, payload: RawSpan) {
    self.header = header
    self.payload = payload
  }

  /// The same record as of another adapter, for whoever reads several captures as one.
  @_lifetime(copy self)
  public func onAdapter(_ adapter: Int) -> RecordView {
    RecordView(header: header.onAdapter(adapter), payload: payload)
  }

  /// Number of the packet in its file, counted from 1 as Wireshark counts.
  @inlinable public var frame: Int { header.frame }
  /// When it was recorded; absent where the container has no time for it.
  @inlinable public var time: Timestamp? { header.time }
  /// Index of the adapter or pcapng interface, else 0.
  @inlinable public var adapter: Int { header.adapter }
  /// What the payload is.
  @inlinable public var content: RecordContent { header.content }
  /// Which way it went.
  @inlinable public var direction: RecordDirection { header.direction }
  /// Whether the direction must be guessed.
  @inlinable public var directionGuessed: Bool { header.directionGuessed }
  /// Length that the payload had before the capture cut it.
  @inlinable public var originalLength: Int { header.originalLength }
  /// Offset in the file of the payload's first byte.
  @inlinable public var fileOffset: Int { header.fileOffset }
  /// Opcode of a Linux monitor record, else 0.
  @inlinable public var monitorOpcode: UInt16 { header.monitorOpcode }
  /// Packets that the recorder lost until then.
  @inlinable public var drops: UInt32 { header.drops }
  /// Whether the container was damaged between the record before and this one.
  @inlinable public var followsDamage: Bool { header.followsDamage }
}
