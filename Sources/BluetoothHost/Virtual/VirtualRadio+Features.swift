import BluetoothProtocols

/// What both ends of a connection can do beyond the first version of LE.
extension VirtualRadio {
  func handle(_ parameters: [UInt8]) -> UInt16 {
    UInt16(parameters[0]) | UInt16(parameters[1]) << 8
  }

  /// LE Read Remote Features (Core Specification Vol 4 Part E, 7.8.21); gives the status.
  mutating func tellFeatures(_ handle: UInt16, _ index: Int) -> UInt8 {
    guard let other = controllers[index].links[handle] else { return 0x02 }
    let features = controllers[other.controller].features
    reply(.event(0x3E, [0x04, 0] + le(handle) + le64(features)), to: index, after: 3)
    return 0
  }

  /// LE Set Data Length (7.8.33); gives the return parameters. Both hosts are told of the change.
  mutating func lengthen(_ handle: UInt16, _ index: Int) -> [UInt8] {
    guard let other = controllers[index].links[handle] else { return [0x02] + le(handle) }
    guard share(LinkFeature.dataLength, index, other.controller) else { return [0x1A] + le(handle) }
    // 251 bytes take 2120 microseconds at 1 Mbit/s.
    let lengths = le(251) + le(2120) + le(251) + le(2120)
    tellBoth(handle, index) { [0x07] + $0 + lengths }
    return [0] + le(handle)
  }

  /// LE Set PHY (7.8.49), where 2M is bit 1 of `wanted`; gives the status. Both hosts are told.
  mutating func changePHY(_ handle: UInt16, _ index: Int, wanted: UInt8) -> UInt8 {
    guard let other = controllers[index].links[handle] else { return 0x02 }
    let isFast = wanted & 2 != 0 && share(LinkFeature.phy2M, index, other.controller)
    let phy: UInt8 = isFast ? 2 : 1
    tellBoth(handle, index) { [0x0C, 0] + $0 + [phy, phy] }
    return 0
  }

  private func share(_ feature: UInt64, _ first: Int, _ second: Int) -> Bool {
    controllers[first].features & controllers[second].features & feature != 0
  }

  /// Sends an LE meta event to both hosts; `event` is handed the handle of each.
  private mutating func tellBoth(
    _ handle: UInt16, _ index: Int, _ event: ([UInt8]) -> [UInt8]
  ) {
    guard let other = controllers[index].links[handle] else { return }
    reply(.event(0x3E, event(le(handle))), to: index, after: 3)
    reply(.event(0x3E, event(le(other.handle))), to: other.controller, after: 4)
  }
}
