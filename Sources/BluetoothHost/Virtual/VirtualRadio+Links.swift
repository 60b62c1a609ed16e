import BluetoothProtocols
import WireBytes

extension VirtualRadio {
  mutating func connect(central: Int, peripheral: Int) {
    let first = controllers[central].newHandle()
    let second = controllers[peripheral].newHandle()
    controllers[central].links[first] = (peripheral, second)
    controllers[peripheral].links[second] = (central, first)
    controllers[central].target = nil
    controllers[peripheral].isAdvertising = false
    let advertised = controllers[peripheral].advertisingType
    let connecting = controllers[central].connectingType
    reply(
      opened(
        status: 0, handle: first, role: 0, peer: controllers[peripheral].address(advertised),
        type: advertised), to: central)
    reply(
      opened(
        status: 0, handle: second, role: 1, peer: controllers[central].address(connecting),
        type: connecting), to: peripheral)
  }

  /// Ends a connection: this side's host is told `reason`, the other's `remote`.
  mutating func end(_ handle: UInt16, _ index: Int, reason: UInt8, remote: UInt8) {
    guard let other = controllers[index].links.removeValue(forKey: handle) else { return }
    controllers[other.controller].links[other.handle] = nil
    for (side, handle, code) in [
      (index, handle, reason), (other.controller, other.handle, remote),
    ] {
      let last = controllers[side].lastArrival.removeValue(forKey: handle) ?? 0
      schedule(
        .deliver(.event(0x05, [0] + le(handle) + [code]), to: side), at: max(now + 2, last))
    }
  }

  mutating func takeData(_ bytes: [UInt8], _ index: Int) {
    var reader = ByteReader(bytes.rawBytes, layer: .hci)
    guard let header = try? ACLHeader(&reader), header.length == reader.remaining,
      let other = controllers[index].links[header.handle]
    else { return }
    reply(.event(0x13, [1] + le(header.handle) + le(1)), to: index, after: 2)
    if disturbance.happens(disturbance.lost) { return }
    let isStart = header.boundary != .continuing
    let packet = HCIPacket.acl(
      handle: other.handle, boundary: isStart ? .firstFlushable : .continuing, bytes[4...])
    let delay = 2 + (disturbance.delay > 0 ? disturbance.next(below: disturbance.delay) : 0)
    let last = controllers[other.controller].lastArrival[other.handle] ?? 0
    let due = max(now + delay, last)
    controllers[other.controller].lastArrival[other.handle] = due
    for _ in 0..<(disturbance.happens(disturbance.doubled) ? 2 : 1) {
      schedule(.deliver(packet, to: other.controller), at: due)
    }
  }
}
