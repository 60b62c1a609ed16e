import BluetoothHost
import BluetoothProtocols
import PeatProtocol

/// A device that was heard advertising.
struct HeardDevice: Sendable {
  let address: DeviceAddress
  var type: AddressType
  var isPeat = false
  var isConnectable = false
  var name: String?
  var rssi: Int?
  var firstHeard: UInt64
  var lastHeard: UInt64
  /// Attempts that failed since the last link that was of use.
  var failures = 0
  /// No attempt before this moment.
  var notBefore: UInt64 = 0
}

/// The devices that were heard, and which of them to connect to next.
struct DeviceTable: Sendable {
  /// Devices that are kept; of more, the one heard longest ago is forgotten.
  static let limit = 256
  /// Time that a name may take to come, in a scan response of its own.
  static let namePatience: UInt64 = 500
  /// Time after which a device that was not heard is not connected to.
  static let presence: UInt64 = 10_000
  /// First and longest pause between attempts (protocol.md 8.5, library reconnect).
  static let firstPause: UInt64 = 2_000
  static let longestPause: UInt64 = 60_000
  /// Pause for a device that has no document characteristic.
  static let strangerPause: UInt64 = 300_000

  private(set) var devices: [DeviceAddress: HeardDevice] = [:]

  subscript(address: DeviceAddress) -> HeardDevice? { devices[address] }

  /// Takes an advertisement; gives what is known of the device where it is one of Peat's.
  mutating func hear(_ advertisement: Advertisement, now: UInt64) -> HeardDevice? {
    let reading = PeatAdvertising.read(advertisement.data)
    let known = devices[advertisement.address]
    // Strangers take no room, but a scan response's name belongs to a device known before.
    guard known != nil || reading.isPeat || reading.name != nil else { return nil }
    if known == nil, devices.count >= DeviceTable.limit,
      let oldest = devices.values.min(by: { $0.lastHeard < $1.lastHeard })
    {
      devices[oldest.address] = nil
    }
    var device =
      known
      ?? HeardDevice(
        address: advertisement.address, type: advertisement.addressType, firstHeard: now,
        lastHeard: now)
    device.type = advertisement.addressType
    device.lastHeard = now
    device.rssi = advertisement.rssi ?? device.rssi
    if reading.isPeat { device.isPeat = true }
    if let name = reading.name { device.name = name }
    if advertisement.isConnectable { device.isConnectable = true }
    devices[advertisement.address] = device
    return device.isPeat ? device : nil
  }

  /// The device to connect to: connectable, of Peat, of the mesh, heard of late, and due.
  func next(now: UInt64, isWanted: (HeardDevice) -> Bool) -> HeardDevice? {
    devices.values
      .filter {
        $0.isPeat && $0.isConnectable && now >= $0.notBefore
          && now &- $0.lastHeard <= DeviceTable.presence
          && ($0.name != nil || now &- $0.firstHeard >= DeviceTable.namePatience) && isWanted($0)
      }
      .min { ($0.notBefore, $0.address.value) < ($1.notBefore, $1.address.value) }
  }

  /// An attempt, or a link before it was of use, failed: the pauses double.
  mutating func failed(_ address: DeviceAddress, now: UInt64) {
    guard var device = devices[address] else { return }
    let pause = DeviceTable.firstPause << UInt64(min(device.failures, 5))
    device.failures += 1
    device.notBefore = now &+ min(pause, DeviceTable.longestPause)
    devices[address] = device
  }

  /// The link is of use: the pauses begin anew.
  mutating func succeeded(_ address: DeviceAddress) { devices[address]?.failures = 0 }

  /// The device serves no documents.
  mutating func isStranger(_ address: DeviceAddress, now: UInt64) {
    devices[address]?.notBefore = now &+ DeviceTable.strangerPause
  }

  /// The device's link made room for others: they come first.
  mutating func gaveWay(_ address: DeviceAddress, now: UInt64) {
    devices[address]?.notBefore = now &+ LinkTurns.turn
  }

  /// A link ended that was of use: soon again.
  mutating func ended(_ address: DeviceAddress, now: UInt64) {
    guard let device = devices[address] else { return }
    devices[address]?.notBefore = max(device.notBefore, now &+ 500)
  }
}
