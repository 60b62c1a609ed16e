import WireBytes

/// The common extended header of ADV_EXT_IND, the auxiliary PDUs and AUX_CONNECT_RSP (Core
/// Specification Vol 6 Part B, 2.3.4).
struct ExtendedHeader: Sendable, Equatable, BitwiseCopyable {
  /// Whether the advertiser takes connections (AdvMode).
  let isConnectable: Bool
  /// AdvA.
  var advertiser: DeviceAddress?
  /// AdvDataInfo: the set in the four high bits, and a number that changes with the data.
  var dataInfo: UInt16?
  /// The channel index on which AuxPtr says that the next part comes.
  var nextChannel: UInt8?

  /// Reads the header and leaves the data.
  init(_ reader: inout ByteReader) throws(DecodeError) {
    let first = try reader.u8()
    isConnectable = first >> 6 & 1 == 1
    var header = try reader.split(Int(first & 0x3F), layer: .linkLayer)
    guard header.remaining > 0 else { return }
    let flags = try header.u8()
    if flags & 0x01 != 0 { advertiser = DeviceAddress(value: try header.le48()) }
    if flags & 0x02 != 0 { try header.skip(6) }
    if flags & 0x04 != 0 { try header.skip(1) }
    if flags & 0x08 != 0 { dataInfo = try header.le16() }
    if flags & 0x10 != 0 {
      nextChannel = try header.u8() & 0x3F
      try header.skip(2)
    }
  }
}

/// Puts extended advertisements together that come in several PDUs.
///
/// AUX_CHAIN_IND, and AUX_ADV_IND where ADV_EXT_IND had it, name no advertiser: the PDU before says
/// which set it is and on which channel the next one comes (Vol 6 Part B, 2.3.4.4 and 2.3.4.5).
public struct AdvertisingChains: Sendable {
  /// Chains that wait for their next part at a time.
  private static let limit = 64
  /// The most data that a chain carries (Vol 6 Part B, 2.3.4.9).
  private static let dataLimit = 1650

  fileprivate struct Chain: Sendable {
    var adapter: Int
    var header: ExtendedHeader
    var address: DeviceAddress
    var addressType: AddressType
    var isConnectable: Bool
    var data: [UInt8]
  }

  /// In the order of their last parts.
  private var chains: [Chain] = []
  /// Parts whose advertiser was not heard, or does not say who it is.
  public private(set) var nameless = 0

  /// Makes an empty collection.
  public init() {}

  /// Takes in one PDU; gives the advertisement as far as it has come, where it is known whose it is.
  public mutating func take(
    _ pdu: borrowing ExtendedAdvertisement, channel: UInt8?, adapter: Int
  ) -> AdvertisementSoFar? {
    let header = pdu.header
    var chain: Chain
    let isFirst: Bool
    if let address = header.advertiser {
      chains.removeAll {
        $0.adapter == adapter && $0.address == address && $0.set == header.dataInfo.map { $0 >> 12 }
      }
      chain = Chain(
        adapter: adapter, header: header, address: address, addressType: pdu.addressType,
        isConnectable: header.isConnectable, data: [UInt8](pdu.data))
      isFirst = true
    } else if let place = chains.lastIndex(where: {
      $0.continues(with: header, channel: channel, adapter: adapter)
    }) {
      chain = chains.remove(at: place)
      chain.header = header
      if header.isConnectable { chain.isConnectable = true }
      chain.data += [UInt8](pdu.data).prefix(AdvertisingChains.dataLimit - chain.data.count)
      isFirst = false
    } else {
      // ADV_EXT_IND alone says nothing yet.
      if pdu.data.byteCount > 0 { nameless += 1 }
      return nil
    }
    if header.nextChannel != nil {
      if chains.count >= AdvertisingChains.limit { chains.removeFirst() }
      chains.append(chain)
    }
    return AdvertisementSoFar(
      address: chain.address, addressType: chain.addressType, isConnectable: chain.isConnectable,
      isFirst: isFirst, data: chain.data)
  }
}

extension AdvertisingChains.Chain {
  fileprivate var set: UInt16? { header.dataInfo.map { $0 >> 12 } }

  /// Whether a PDU without address is the next part.
  fileprivate func continues(
    with next: ExtendedHeader, channel: UInt8?, adapter: Int
  ) -> Bool {
    guard self.adapter == adapter, header.dataInfo == next.dataInfo else { return false }
    guard let channel, let announced = header.nextChannel else { return true }
    return channel == announced
  }
}

/// One PDU of extended advertising.
public struct ExtendedAdvertisement: ~Escapable {
  let header: ExtendedHeader
  /// What the advertiser's address is, where it is in this PDU.
  public let addressType: AddressType
  /// Structures of advertising data, or part of them.
  public let data: RawSpan

  @_lifetime(copy data)
  init(header: ExtendedHeader, addressType: AddressType, data: RawSpan) {
    self.header = header
    self.addressType = addressType
    self.data = data
  }
}

/// An extended advertisement, as far as it was heard.
public struct AdvertisementSoFar: Sendable, Equatable {
  /// The advertiser.
  public let address: DeviceAddress
  /// What the address is.
  public let addressType: AddressType
  /// Whether it takes connections.
  public let isConnectable: Bool
  /// Whether this is its first part.
  public let isFirst: Bool
  /// Structures of advertising data; the last one may be cut.
  public let data: [UInt8]

  /// The same as a controller would report it.
  @_lifetime(borrow self)
  public func report(rssi: Int?) -> AdvertisingReport {
    AdvertisingReport(
      address: address, addressType: addressType, rssi: rssi, isScanResponse: false,
      isConnectable: isConnectable, status: .complete, setIdentifier: 0xFF, data: data.rawBytes)
  }
}
