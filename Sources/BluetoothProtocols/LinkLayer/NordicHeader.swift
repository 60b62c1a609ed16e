public import WireBytes

/// What Nordic's sniffer puts in front of a packet (link types 272 and 157, formats.md 7).
///
/// Four layouts are known. The first began with the bytes BE EF, then packet id, counter, two
/// unused bytes and length; version 1 has lengths of header and packet, version, counter and id;
/// versions 2 and 3 have a length of 16 bits, version, counter and id. Those from version 1 on
/// have a board id in front. All go on with the same ten bytes on the reception.
public struct NordicHeader: Sendable, Equatable, BitwiseCopyable {
  /// 0 for the layout that begins with BE EF.
  public let version: UInt8
  /// Counts the connection events of a link.
  public let eventCounter: UInt16
  /// What the header says of the reception.
  public let radio: RadioInformation

  /// Reads the header; the packet follows, perhaps with a byte of padding behind its own header.
  ///
  /// - Throws: `DecodeError` where it is cut, or of a layout that is not known.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    version = try NordicHeader.outerVersion(&reader)
    let flags: UInt8
    if version == 0 {
      try reader.skip(1)
      flags = try reader.u8()
    } else {
      let size = Int(try reader.u8())
      guard size >= 10 else {
        throw DecodeError(
          kind: .invalidValue, layer: .linkLayer, offset: reader.offset - 1, needed: 10,
          available: size)
      }
      flags = try reader.u8()
    }
    let channel = try reader.u8()
    let strength = try reader.u8()
    eventCounter = try reader.le16()
    try reader.skip(4)
    let isEncrypted = flags & 4 != 0
    let isDecrypted = isEncrypted && flags & 8 != 0
    radio = RadioInformation(
      channel: channel < 40 ? channel : nil,
      rssi: strength <= 128 ? Int8(truncatingIfNeeded: -Int(strength)) : nil,
      check: flags & 1 != 0 ? .valid : .invalid,
      sender: flags & 2 != 0 ? .central : .peripheral,
      isEncrypted: isEncrypted && !isDecrypted, isDecrypted: isDecrypted,
      phy: flags >> 4 & 7 == 0 ? nil : RadioInformation.PHY(rawValue: flags >> 4 & 7))
  }

  /// Reads up to where the ten bytes begin, of which version 0 has the length in front.
  private static func outerVersion(_ reader: inout ByteReader) throws(DecodeError) -> UInt8 {
    if reader.peek(0) == 0xBE && reader.peek(1) == 0xEF {
      try reader.skip(7)
      return 0
    }
    if reader.peek(1) == 0xBE && reader.peek(2) == 0xEF {
      try reader.skip(8)
      return 0
    }
    try reader.skip(1)
    if reader.peek(0) == 6, reader.peek(2) == 1 {
      try reader.skip(6)
      return 1
    }
    try reader.skip(2)
    let version = try reader.u8()
    guard version == 2 || version == 3 else {
      throw DecodeError(
        kind: .unsupportedVersion, layer: .linkLayer, offset: reader.offset - 1, needed: 3,
        available: Int(version))
    }
    try reader.skip(3)
    return version
  }

  /// How the packet behind the header may differ from the one on the air.
  public var layout: LinkLayerPacket.Layout {
    LinkLayerPacket.Layout(
      mayHavePadding: true, mayLackIntegrityCode: radio.isDecrypted, isCoded: radio.phy == .coded)
  }
}
