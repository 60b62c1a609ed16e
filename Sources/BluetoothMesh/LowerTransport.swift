public import WireBytes

/// A lower transport PDU (Mesh Protocol 1.1, 3.5.2).
public enum LowerTransportPDU: Sendable, Equatable {
  /// A whole access message, still sealed: its integrity code has four bytes. One of fewer than five
  /// was cut, as some relays do, and opens with no key.
  case access(AccessKey, upper: [UInt8])
  /// A whole control message.
  case control(opcode: UInt8, parameters: [UInt8])
  case segment(Segment)
  case acknowledgment(SegmentAcknowledgment)

  /// Which key a message is sealed with.
  public enum AccessKey: Sendable, Hashable, BitwiseCopyable {
    case device
    /// The six bits of an application key's name.
    case application(aid: UInt8)

    init(_ byte: UInt8) {
      self = byte & 0x40 == 0 ? .device : .application(aid: byte & 0x3F)
    }
  }

  /// Reads the transport PDU of a network PDU.
  ///
  /// - Throws: `DecodeError` where it is cut, or a field of it is impossible.
  public init(_ reader: inout ByteReader, isControl: Bool) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    let first = try reader.u8()
    if first & 0x80 != 0 {
      self = .segment(try Segment(&reader, first: first, isControl: isControl))
    } else if !isControl {
      // Without AKF the name of an application key has no meaning.
      if first & 0x40 == 0, first & 0x3F != 0 { throw .mesh(offset, found: Int(first)) }
      self = .access(AccessKey(first), upper: reader.rest())
    } else if first == 0 {
      self = .acknowledgment(try SegmentAcknowledgment(&reader))
    } else {
      self = .control(opcode: first, parameters: reader.rest())
    }
  }
}

/// A part of an access or control message (3.5.2.2, 3.5.2.4).
public struct Segment: Sendable, Equatable {
  /// What the whole message is.
  public enum Content: Sendable, Hashable, BitwiseCopyable {
    /// Sealed; `hasLongCode` says that the integrity code has eight bytes (SZMIC).
    case access(LowerTransportPDU.AccessKey, hasLongCode: Bool)
    case control(opcode: UInt8)
  }

  /// What the whole message is.
  public let content: Content
  /// The low 13 bits of the message's sequence number.
  public let sequenceZero: UInt16
  /// Which segment this is, from 0.
  public let index: UInt8
  /// The number of the last one.
  public let last: UInt8
  /// The bytes.
  public let data: [UInt8]

  init(_ reader: inout ByteReader, first: UInt8, isControl: Bool) throws(DecodeError) {
    let offset = reader.offset
    let fields = UInt32(try reader.u8()) << 16 | UInt32(try reader.be16())
    content =
      isControl
      ? .control(opcode: first & 0x7F)
      : .access(.init(first), hasLongCode: fields & 0x80_0000 != 0)
    sequenceZero = UInt16(truncatingIfNeeded: fields >> 10 & 0x1FFF)
    index = UInt8(truncatingIfNeeded: fields >> 5 & 0x1F)
    last = UInt8(truncatingIfNeeded: fields & 0x1F)
    guard index <= last else { throw .mesh(offset + 2, found: Int(index), needed: Int(last)) }
    let size = isControl ? 8 : 12
    guard (1...size).contains(reader.remaining) else {
      throw .meshLength(reader.offset, needed: size, found: reader.remaining)
    }
    data = reader.rest()
  }

  /// Whether it is shorter than all but the last segment of a message are: some relays cut the end
  /// off what they send on.
  public var isCut: Bool {
    guard index < last else { return false }
    if case .control = content { return data.count < 8 }
    return data.count < 12
  }

  /// The sequence number of the message that a segment with this one is part of (SeqAuth, 3.5.3.1);
  /// nil where there was none yet.
  public func messageSequence(of sequence: UInt32) -> UInt32? {
    let behind = (sequence &- UInt32(sequenceZero)) & 0x1FFF
    return sequence >= behind ? sequence - behind : nil
  }
}

/// Which segments a receiver has (3.5.2.3.1).
public struct SegmentAcknowledgment: Sendable, Equatable, BitwiseCopyable {
  /// Whether a friend sent it for its low-power node.
  public let isOnBehalf: Bool
  /// The low 13 bits of the message's sequence number.
  public let sequenceZero: UInt16
  /// Bit n for segment n; 0 gives the message up.
  public let block: UInt32

  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard reader.remaining == 6 else {
      throw .meshLength(reader.offset, needed: 6, found: reader.remaining)
    }
    let fields = try reader.be16()
    isOnBehalf = fields & 0x8000 != 0
    sequenceZero = fields >> 2 & 0x1FFF
    block = try reader.be32()
  }

  /// Whether the receiver has all of a message of this many segments, or names some beyond.
  public func isComplete(last: UInt8) -> Bool {
    let all = UInt32.max >> (31 - UInt32(min(last, 31)))
    return block & all == all
  }
}
