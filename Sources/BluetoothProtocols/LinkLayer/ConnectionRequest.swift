import WireBytes

/// What CONNECT_IND and AUX_CONNECT_REQ say: who connects to whom, and how the link will sound.
///
/// Core Specification Vol 6 Part B, 2.3.3.1.
public struct ConnectionRequest: Sendable, Equatable, BitwiseCopyable {
  /// Who connects, and becomes the central.
  public let initiator: DeviceAddress
  /// What the address of the central is.
  public let initiatorType: AddressType
  /// Who advertised, and becomes the peripheral.
  public let advertiser: DeviceAddress
  /// What the address of the peripheral is.
  public let advertiserType: AddressType
  /// The access address of the link.
  public let accessAddress: UInt32
  /// The start value of the link's checks, 24 bits.
  public let crcInitial: UInt32
  /// In units of 1.25 ms.
  public let windowSize: UInt8
  /// In units of 1.25 ms.
  public let windowOffset: UInt16
  /// In units of 1.25 ms.
  public let interval: UInt16
  /// In connection events.
  public let latency: UInt16
  /// In units of 10 ms.
  public let timeout: UInt16
  /// A bit for each of the 37 data channels, the lowest for channel 0.
  public let channelMap: UInt64
  /// Channels to go on by at each event, 5 bits.
  public let hop: UInt8

  /// Reads the payload of a PDU whose header bits say the types of the addresses.
  ///
  /// - Throws: `DecodeError` where it is short.
  init(
    _ reader: inout ByteReader, initiatorType: AddressType, advertiserType: AddressType
  ) throws(DecodeError) {
    self.initiatorType = initiatorType
    self.advertiserType = advertiserType
    initiator = DeviceAddress(value: try reader.le48())
    advertiser = DeviceAddress(value: try reader.le48())
    accessAddress = try reader.le32()
    crcInitial = try reader.le24()
    windowSize = try reader.u8()
    windowOffset = try reader.le16()
    interval = try reader.le16()
    latency = try reader.le16()
    timeout = try reader.le16()
    channelMap = UInt64(try reader.le32()) | UInt64(try reader.u8()) << 32
    hop = try reader.u8() & 0x1F
  }
}
