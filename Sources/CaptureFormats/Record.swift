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
public struct RecordHeader: BitwiseCopyable, Sendable, Equatable {
  /// Number of the packet in its file, counted from 1 as Wireshark counts.
  public var frame: Int
  /// When it was recorded; absent where the container has no time for it.
  public var time: Timestamp?
  /// Index of the adapter: of a Linux monitor, or the interface number in its pcapng section, else 0.
  public var adapter: Int
  /// Length that the payload had before the capture cut it; never less than what is present.
  public var originalLength: Int
  /// Offset in the file of the payload's first byte.
  public var fileOffset: Int
  /// Packets that the recorder lost until then.
  public var drops: UInt32
  /// Opcode of a Linux monitor record (formats.md 3), else 0.
  public var monitorOpcode: UInt16
  /// What the payload is.
  public var content: RecordContent
  /// Which way it went.
  public var direction: RecordDirection
  /// Whether the container does not say the direction and `direction` must be guessed.
  public var directionGuessed: Bool
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
}
