public import WireBytes

/// Types of PDUs on advertising channels (Core Specification Vol 6 Part B, 2.3).
public enum AdvertisingPDUType: UInt8, Sendable, BitwiseCopyable {
  case connectable = 0
  case directed = 1
  case nonConnectable = 2
  case scanRequest = 3
  case scanResponse = 4
  case connectionRequest = 5
  case scannable = 6
  /// ADV_EXT_IND and the auxiliary PDUs of the same layout.
  case extended = 7
  case connectionResponse = 8
}

/// A PDU of the advertising channels.
public enum AdvertisingPDU: ~Escapable {
  /// ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND and SCAN_RSP.
  case advertisement(AirAdvertisement)
  /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP and AUX_CHAIN_IND.
  case extended(ExtendedAdvertisement)
  /// ADV_DIRECT_IND.
  case directed(advertiser: DeviceAddress, target: DeviceAddress)
  /// SCAN_REQ and AUX_SCAN_REQ.
  case scanRequest(scanner: DeviceAddress, advertiser: DeviceAddress)
  /// CONNECT_IND and AUX_CONNECT_REQ.
  case connectionRequest(ConnectionRequest)
  /// AUX_CONNECT_RSP, or of a type that is reserved.
  case other

  /// Reads the payload of a packet of the advertising channels.
  ///
  /// - Throws: `DecodeError` where it is shorter than its type asks for.
  @_lifetime(copy packet)
  public init(_ packet: borrowing LinkLayerPacket) throws(DecodeError) {
    var reader = ByteReader(packet.payload, layer: .linkLayer)
    let header = packet.header
    let sender: AddressType = header & 0x40 == 0 ? .public : .random
    let receiver: AddressType = header & 0x80 == 0 ? .public : .random
    guard let type = AdvertisingPDUType(rawValue: header & 0x0F) else {
      self = .other
      return
    }
    switch type {
    case .connectable, .nonConnectable, .scannable, .scanResponse:
      let address = DeviceAddress(value: try reader.le48())
      self = .advertisement(
        AirAdvertisement(type: type, address: address, addressType: sender, data: reader.bytes))
    case .directed:
      let advertiser = DeviceAddress(value: try reader.le48())
      self = .directed(
        advertiser: advertiser, target: DeviceAddress(value: try reader.le48()))
    case .scanRequest:
      let scanner = DeviceAddress(value: try reader.le48())
      self = .scanRequest(
        scanner: scanner, advertiser: DeviceAddress(value: try reader.le48()))
    case .connectionRequest:
      self = .connectionRequest(
        try ConnectionRequest(&reader, initiatorType: sender, advertiserType: receiver))
    case .extended:
      let header = try ExtendedHeader(&reader)
      self = .extended(
        ExtendedAdvertisement(header: header, addressType: sender, data: reader.bytes))
    case .connectionResponse:
      self = .other
    }
  }
}

/// An advertisement or scan response heard on the air.
public struct AirAdvertisement: ~Escapable {
  /// The PDU it came in.
  public let type: AdvertisingPDUType
  /// The advertiser.
  public let address: DeviceAddress
  /// What the address is.
  public let addressType: AddressType
  /// Structures of advertising data.
  public let data: RawSpan

  @_lifetime(copy data)
  init(
    type: AdvertisingPDUType, address: DeviceAddress, addressType: AddressType, data: RawSpan
  ) {
    self.type = type
    self.address = address
    self.addressType = addressType
    self.data = data
  }

  /// The same as a controller would report it.
  @_lifetime(copy self)
  public func report(rssi: Int?) -> AdvertisingReport {
    AdvertisingReport(
      address: address, addressType: addressType, rssi: rssi,
      isScanResponse: type == .scanResponse, isConnectable: type == .connectable,
      status: .complete, setIdentifier: 0xFF, data: data)
  }
}
