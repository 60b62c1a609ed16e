public import WireBytes

/// What a container says of a packet's reception.
public struct RadioInformation: Sendable, Equatable, BitwiseCopyable {
  /// What the receiver made of the check.
  public enum Check: UInt8, Sendable, BitwiseCopyable {
    case unknown, valid, invalid
  }

  /// How bits are sent (Vol 6 Part A, 1 and 3.1).
  public enum PHY: UInt8, Sendable, BitwiseCopyable {
    case oneM = 0
    case twoM = 1
    case coded = 2
  }

  /// What the receiver took a packet for, where that is more than its access address says.
  public enum Traffic: UInt8, Sendable, BitwiseCopyable {
    case advertisingOrData
    /// Auxiliary advertising: with another access address, a train of periodic advertising.
    case auxiliary
    /// An isochronous stream, connected or broadcast: no L2CAP is in it.
    case isochronous
  }

  /// Channel index 0 to 39, of which 37 to 39 are the primary advertising channels.
  public var channel: UInt8?
  /// Signal strength in dBm.
  public var rssi: Int8?
  /// What the receiver made of the check.
  public var check: Check
  /// Who sent a packet of a link, where the receiver knew.
  public var sender: LinkRole?
  /// Whether the receiver knew the link to be encrypted and left the packet so.
  public var isEncrypted: Bool
  /// Whether the receiver decrypted the packet.
  public var isDecrypted: Bool
  /// The PHY, where the container says it; one that names the first may have no word for it.
  public var phy: PHY?
  /// What the receiver took the packet for.
  public var traffic = Traffic.advertisingOrData

  /// Makes the information of a container that has none (link type 251).
  public init(
    channel: UInt8? = nil, rssi: Int8? = nil, check: Check = .unknown, sender: LinkRole? = nil,
    isEncrypted: Bool = false, isDecrypted: Bool = false, phy: PHY? = nil
  ) {
    self.channel = channel
    self.rssi = rssi
    self.check = check
    self.sender = sender
    self.isEncrypted = isEncrypted
    self.isDecrypted = isDecrypted
    self.phy = phy
  }

  /// Reads the ten bytes in front of a packet of link type 256 (formats.md 7).
  ///
  /// - Throws: `DecodeError` where there are fewer.
  public init(header256 reader: inout ByteReader) throws(DecodeError) {
    let radioChannel = try reader.u8()
    let signal = try reader.i8()
    try reader.skip(1 + 1 + 4)
    let flags = try reader.le16()
    self.init(channel: RadioInformation.index(ofRadioChannel: radioChannel))
    if flags & 0x0002 != 0 { rssi = signal }
    if flags & 0x0400 != 0 { check = flags & 0x0800 != 0 ? .valid : .invalid }
    switch flags >> 7 & 7 {
    case 2: sender = .central
    case 3: sender = .peripheral
    default: sender = nil
    }
    switch flags >> 7 & 7 {
    case 1: traffic = .auxiliary
    case 4, 5, 6: traffic = .isochronous
    default: break
    }
    // 0 is what writers leave that know nothing of PHYs.
    phy = flags >> 14 == 0 ? nil : PHY(rawValue: UInt8(flags >> 14))
    // A decrypted packet whose integrity code is wrong was decrypted with a wrong key.
    let isRefuted = flags & 0x3000 == 0x1000
    isDecrypted = flags & 0x0008 != 0 && !isRefuted
    isEncrypted = flags & 0x0008 != 0 && isRefuted
  }

  /// How the packet behind the header may differ from one of the uncoded PHYs.
  public var layout: LinkLayerPacket.Layout {
    LinkLayerPacket.Layout(isCoded: phy == .coded)
  }

  /// The index of an RF channel, which are numbered by frequency (Vol 6 Part B, 1.4.1).
  static func index(ofRadioChannel channel: UInt8) -> UInt8? {
    switch channel {
    case 0: 37
    case 1...11: channel - 1
    case 12: 38
    case 13...38: channel - 2
    case 39: 39
    default: nil
    }
  }
}
