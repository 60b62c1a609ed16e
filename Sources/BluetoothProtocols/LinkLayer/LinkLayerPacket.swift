public import WireBytes

/// The two ends of a link (Core Specification Vol 6 Part B, 1.1).
public enum LinkRole: UInt8, Sendable, BitwiseCopyable {
  case central = 0
  case peripheral = 1

  /// The end at the other side.
  public var other: LinkRole { self == .central ? .peripheral : .central }
}

/// One packet from the air: access address, PDU header, payload and check.
///
/// Core Specification Vol 6 Part B, 2.1; formats.md 7. Preamble and coding are not part of it.
public struct LinkLayerPacket: ~Escapable {
  /// The access address of all packets on advertising channels but periodic ones.
  public static let advertisingAddress: UInt32 = 0x8E89_BED6

  /// The link, or that the packet is one of the advertising channels.
  public let accessAddress: UInt32
  /// The PDU header's first byte.
  public let header: UInt8
  /// The header's third byte, where a constant tone follows the packet (Vol 6 Part B, 2.5.2).
  public let toneInformation: UInt8?
  /// Bytes of payload as they were sent.
  public let length: Int
  /// The payload, as far as it was captured.
  public let payload: RawSpan
  /// The check, least significant byte first; nil where the capture left it out.
  public let check: UInt32?
  /// The coding indicator of a packet on the coded PHY: 0 for eight symbols a bit, 1 for two
  /// (Vol 6 Part B, 2.2.3).
  public let coding: UInt8?

  /// What a container may have changed in a packet (formats.md 7, link type 272).
  public struct Layout: Sendable, BitwiseCopyable {
    /// Whether one byte of padding may follow the header.
    public var mayHavePadding: Bool
    /// Whether the message integrity code may have been taken off, with the length unchanged.
    public var mayLackIntegrityCode: Bool

    /// Whether the receiver says that the PHY was the coded one, where a coding indicator follows
    /// the access address (link types 256 and 272).
    public var isCoded: Bool

    /// Makes a layout; by default the packet is as it was on an uncoded PHY.
    public init(
      mayHavePadding: Bool = false, mayLackIntegrityCode: Bool = false, isCoded: Bool = false
    ) {
      self.mayHavePadding = mayHavePadding
      self.mayLackIntegrityCode = mayLackIntegrityCode
      self.isCoded = isCoded
    }
  }

  /// Reads everything that is left: whether there is padding shows in the number of bytes, and so
  /// does a coding indicator that the receiver says nothing of, or one that is missing.
  ///
  /// - Throws: `DecodeError` where not even the header is there.
  @_lifetime(copy reader)
  public init(_ reader: inout ByteReader, layout: Layout = Layout()) throws(DecodeError) {
    accessAddress = try reader.le32()
    let fitsCoded = LinkLayerPacket.fits(reader, behindCoding: true, layout)
    let fitsUncoded = LinkLayerPacket.fits(reader, behindCoding: false, layout)
    // As a header, an indicator of 0 would be of a kind of PDU that links do not use.
    let isNoHeader = accessAddress != LinkLayerPacket.advertisingAddress && reader.peek() == 0
    if layout.isCoded ? fitsCoded || !fitsUncoded : fitsCoded && (!fitsUncoded || isNoHeader) {
      coding = try reader.u8() & 3
    } else {
      coding = nil
    }
    header = try reader.u8()
    var length = Int(try reader.u8())
    var tone: UInt8?
    let extra = reader.remaining - (length + 3)
    if layout.mayLackIntegrityCode && length >= 4 && (extra == -4 || extra == -3) {
      length -= 4
      if extra == -3 { try reader.skip(1) }
    } else if extra == 1 {
      let byte = try reader.u8()
      let isAdvertising = accessAddress == LinkLayerPacket.advertisingAddress
      if !layout.mayHavePadding && !isAdvertising && header & 0x20 != 0 { tone = byte }
    }
    toneInformation = tone
    self.length = length
    payload = try reader.view(min(length, reader.remaining))
    check = reader.remaining >= 3 ? try reader.le24() : nil
  }

  /// Whether the length in the header is right for the bytes at hand, once a coding indicator is
  /// read or without one.
  private static func fits(
    _ reader: borrowing ByteReader, behindCoding: Bool, _ layout: Layout
  ) -> Bool {
    let start = behindCoding ? 1 : 0
    // Of the indicator only two values are defined.
    if behindCoding, let indicator = reader.peek(), indicator > 1 { return false }
    guard let header = reader.peek(start), let length = reader.peek(start + 1) else { return false }
    let extra = reader.remaining - start - 2 - Int(length) - 3
    switch extra {
    case 0: return true
    case 1: return layout.mayHavePadding || header & 0x20 != 0
    case -4, -3: return layout.mayLackIntegrityCode && length >= 4
    default: return false
    }
  }

  /// A packet that was kept.
  @_lifetime(borrow held)
  public init(_ held: borrowing HeldPacket) {
    accessAddress = held.accessAddress
    header = held.header
    toneInformation = held.toneInformation
    length = held.length
    payload = held.payload.rawBytes
    check = held.check
    coding = held.coding
  }

  /// Whether it is a packet of the advertising channels.
  public var isAdvertising: Bool { accessAddress == LinkLayerPacket.advertisingAddress }

  /// Bytes that the check covers.
  public var coveredLength: Int { 2 + (toneInformation == nil ? 0 : 1) + length }

  /// How long the packet was on the air, in microseconds: from the shortest to the longest that is
  /// possible on its PHY (Vol 6 Part B, 2.1 and 2.2).
  ///
  /// Preamble, access address, PDU and check take 8 us a byte at 1 Mbit/s and 4 us at 2 Mbit/s, where
  /// the preamble has a byte more. On the coded PHY all up to the first terminator takes 376 us,
  /// and each further bit two or eight.
  var airTime: ClosedRange<Int64> {
    let bytes = Int64(truncatingIfNeeded: coveredLength)
    if let coding {
      let symbols: Int64 = coding == 1 ? 2 : 8
      let time = 376 + (8 * (bytes + 3) + 3) * symbols
      return time...time
    }
    return (4 * bytes + 36)...(8 * bytes + 64)
  }

  /// Whether the check is right for a start value; nil where it was not captured.
  public func hasValidCheck(initial: UInt32) -> Bool? {
    guard let check, payload.byteCount == length else { return nil }
    var crc = CRC24(initial: initial)
    crc.add(header)
    crc.add(UInt8(truncatingIfNeeded: length))
    if let toneInformation { crc.add(toneInformation) }
    crc.add(payload)
    return crc.value == check
  }

  /// The start value with which the check is right; nil where it was not captured.
  public var impliedInitial: UInt32? {
    guard let check, payload.byteCount == length else { return nil }
    var crc = CRC24(endingWith: check)
    crc.takeBack(payload)
    if let toneInformation { crc.takeBack(toneInformation) }
    crc.takeBack(UInt8(truncatingIfNeeded: length))
    crc.takeBack(header)
    return crc.initial
  }
}

/// A packet kept until more is known of its link.
public struct HeldPacket: Sendable {
  /// Number of the packet in its file.
  public let frame: Int
  /// When it was recorded.
  public let time: Timestamp?
  /// How it was received.
  public let radio: RadioInformation
  let accessAddress: UInt32
  let header: UInt8
  let toneInformation: UInt8?
  let length: Int
  let payload: [UInt8]
  let check: UInt32?
  let coding: UInt8?

  init(
    _ packet: borrowing LinkLayerPacket, _ radio: RadioInformation, frame: Int, time: Timestamp?
  ) {
    self.frame = frame
    self.time = time
    self.radio = radio
    accessAddress = packet.accessAddress
    header = packet.header
    toneInformation = packet.toneInformation
    length = packet.length
    payload = [UInt8](packet.payload)
    check = packet.check
    coding = packet.coding
  }

  /// Whether the packet reads as another one does, its place and time apart.
  func isSame(as other: HeldPacket) -> Bool {
    header == other.header && payload == other.payload && check == other.check
  }
}
