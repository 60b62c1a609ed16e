public import WireBytes

/// One advertising report: who was heard, how strongly, and what it said.
public struct AdvertisingReport: ~Escapable {
  /// How much of the data an extended report carries (Core Specification Vol 4 Part E, 7.7.65.13).
  public enum Status: UInt8, Sendable, BitwiseCopyable {
    case complete = 0
    case moreToCome = 1
    case truncated = 2
  }

  /// The device address.
  public let address: DeviceAddress
  /// Whether the address is public or random.
  public let addressType: AddressType
  /// dBm; nil when the controller does not know it (127).
  public let rssi: Int?
  /// Whether it answers a scan request.
  public let isScanResponse: Bool
  /// Whether the device takes connections.
  public let isConnectable: Bool
  /// How much of the data this report carries.
  public let status: Status
  /// The advertising set, for extended reports.
  public let setIdentifier: UInt8
  /// The data, without length and type.
  public let data: RawSpan

  @_lifetime(copy data)
  init(
    address: DeviceAddress, addressType: AddressType, rssi: Int?, isScanResponse: Bool,
    isConnectable: Bool, status: Status, setIdentifier: UInt8, data: RawSpan
  ) {
    self.address = address
    self.addressType = addressType
    self.rssi = rssi
    self.isScanResponse = isScanResponse
    self.isConnectable = isConnectable
    self.status = status
    self.setIdentifier = setIdentifier
    self.data = data
  }
}

/// The reports of one LE Advertising Report or LE Extended Advertising Report event.
///
/// The reports lie one whole report after the other, as controllers send them, although the
/// specification's table reads as arrays (Core Specification Vol 4 Part E, 7.7.65.2 and 7.7.65.13).
public struct AdvertisingReports: ~Escapable {
  private var reader: ByteReader
  private var left: Int
  private let isExtended: Bool

  /// Reads the number of reports.
  @_lifetime(copy reader)
  init(_ reader: inout ByteReader, isExtended: Bool) throws(DecodeError) {
    left = Int(try reader.u8())
    self.isExtended = isExtended
    self.reader = try reader.split(reader.remaining, layer: .hci)
  }

  /// The next report, or nil after the last.
  ///
  /// - Throws: `DecodeError` where a report is shorter than its own length says. No further report
  ///   of the event can be found then.
  @_lifetime(copy self)
  public mutating func next() throws(DecodeError) -> AdvertisingReport? {
    guard left > 0 else { return nil }
    left -= 1
    return isExtended ? try nextExtended() : try nextLegacy()
  }

  @_lifetime(copy self)
  private mutating func nextLegacy() throws(DecodeError) -> AdvertisingReport {
    let type = try reader.u8()
    let addressType = AddressType(rawValue: try reader.u8()) ?? .random
    let address = DeviceAddress(value: try reader.le48())
    let length = Int(try reader.u8())
    let data = try reader.view(length)
    let rssi = Int(try reader.i8())
    return AdvertisingReport(
      address: address, addressType: addressType, rssi: rssi == 127 ? nil : rssi,
      isScanResponse: type == 4, isConnectable: type == 0 || type == 1, status: .complete,
      setIdentifier: 0xFF, data: data)
  }

  @_lifetime(copy self)
  private mutating func nextExtended() throws(DecodeError) -> AdvertisingReport {
    let type = try reader.le16()
    let addressType = AddressType(rawValue: try reader.u8()) ?? .random
    let address = DeviceAddress(value: try reader.le48())
    try reader.skip(2)
    let setIdentifier = try reader.u8()
    try reader.skip(1)
    let rssi = Int(try reader.i8())
    try reader.skip(2 + 1 + 6)
    let length = Int(try reader.u8())
    let data = try reader.view(length)
    return AdvertisingReport(
      address: address, addressType: addressType, rssi: rssi == 127 ? nil : rssi,
      isScanResponse: type & 8 != 0, isConnectable: type & 1 != 0,
      status: AdvertisingReport.Status(rawValue: UInt8(type >> 5 & 3)) ?? .truncated,
      setIdentifier: setIdentifier, data: data)
  }
}
