import BluetoothProtocols

/// One controller of a virtual radio.
struct VirtualController: Sendable {
  let publicAddress: DeviceAddress
  let isExtended: Bool
  /// Bit n is feature n of Vol 6 Part B, 4.6.
  let features: UInt64
  let aclLength: UInt16
  let aclCount: UInt8
  let linkLimit: Int
  var randomAddress: DeviceAddress?
  var advertisingType: UInt8 = 0
  var connectingType: UInt8 = 0
  var advertisingData: [UInt8] = []
  var scanResponse: [UInt8] = []
  var isAdvertising = false
  /// Tells the events of one time of advertising from those of the next.
  var generation = 0
  var isScanning = false
  var target: DeviceAddress?
  /// The other end of each connection: which controller, and its handle there.
  var links: [UInt16: (controller: Int, handle: UInt16)] = [:]
  var lastHandle: UInt16 = 0
  /// When the last packet of a connection comes to this controller's host: order is kept.
  var lastArrival: [UInt16: UInt64] = [:]

  var isFull: Bool { links.count >= linkLimit }

  func address(_ type: UInt8) -> DeviceAddress {
    type & 1 == 1 ? randomAddress ?? publicAddress : publicAddress
  }

  mutating func newHandle() -> UInt16 {
    lastHandle = lastHandle >= 0x0EFF ? 1 : lastHandle + 1
    while links[lastHandle] != nil { lastHandle += 1 }
    return lastHandle
  }
}
