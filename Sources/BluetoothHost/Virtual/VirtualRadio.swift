package import BluetoothProtocols

/// Controllers that hear each other, in memory and on a virtual clock: the transport of tests.
///
/// Hosts hand packets in with `send`; `advance` gives what their controllers send back up to a
/// moment. Times are milliseconds.
package struct VirtualRadio: Sendable {
  /// Time between two advertisements.
  package var advertisingInterval: UInt64 = 1_000

  enum Action: Sendable {
    case deliver(HCIPacket, to: Int)
    case advertise(Int, generation: Int)
  }

  struct Entry: Sendable {
    var due: UInt64
    var number: UInt64
    var action: Action
  }

  /// What goes wrong.
  package var disturbance: Disturbance
  var controllers: [VirtualController] = []
  private var queue: [Entry] = []
  private var number: UInt64 = 0
  var now: UInt64 = 0

  /// Makes a radio without controllers.
  package init(seed: UInt64) { disturbance = Disturbance(seed: seed) }

  /// Adds a controller; gives its number.
  ///
  /// - Parameter isFast: whether it has longer packets and the LE 2M PHY.
  package mutating func addController(
    isExtended: Bool = false, isFast: Bool = true, aclLength: UInt16 = 251, aclCount: UInt8 = 4,
    linkLimit: Int = .max
  ) -> Int {
    let features =
      (isExtended ? LinkFeature.extendedAdvertising : 0)
      | (isFast ? LinkFeature.dataLength | LinkFeature.phy2M : 0)
    controllers.append(
      VirtualController(
        publicAddress: DeviceAddress(value: 0x0200_0000_0000 | UInt64(controllers.count + 1)),
        isExtended: isExtended, features: features, aclLength: aclLength, aclCount: aclCount,
        linkLimit: linkLimit))
    return controllers.count - 1
  }

  /// Takes a host's packet.
  package mutating func send(_ packet: HCIPacket, from index: Int, now: UInt64) {
    self.now = max(self.now, now)
    switch packet.type {
    case .command: takeCommand(packet.bytes, index)
    case .acl: takeData(packet.bytes, index)
    case .event, .synchronous, .isochronous: break
    }
  }

  /// When the next packet comes to a host at the earliest.
  package var nextDue: UInt64? { queue.first?.due }

  /// Gives the next packet for a host that is due at `now`; nil where there is none.
  package mutating func advance(to now: UInt64) -> (index: Int, packet: HCIPacket)? {
    self.now = max(self.now, now)
    while let first = queue.first, first.due <= now {
      queue.removeFirst()
      switch first.action {
      case .deliver(let packet, let index): return (index, packet)
      case .advertise(let index, let generation): advertise(index, generation)
      }
    }
    return nil
  }

  /// Breaks all connections of a controller, as leaving its range does.
  package mutating func breakLinks(of index: Int, now: UInt64) {
    self.now = max(self.now, now)
    for handle in controllers[index].links.keys.sorted() {
      end(handle, index, reason: 0x08, remote: 0x08)
    }
  }

  /// Number of connections of a controller.
  package func linkCount(of index: Int) -> Int { controllers[index].links.count }

  mutating func schedule(_ action: Action, at due: UInt64) {
    number += 1
    let entry = Entry(due: due, number: number, action: action)
    var low = 0
    var high = queue.count
    while low < high {
      let middle = (low + high) / 2
      if queue[middle].due <= due { low = middle + 1 } else { high = middle }
    }
    queue.insert(entry, at: low)
  }

  mutating func reply(_ packet: HCIPacket, to index: Int, after delay: UInt64 = 1) {
    schedule(.deliver(packet, to: index), at: now + delay)
  }

  func le(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  func le64(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  func le(_ address: DeviceAddress) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }
  }

  func address(_ bytes: ArraySlice<UInt8>) -> DeviceAddress {
    DeviceAddress(value: bytes.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
