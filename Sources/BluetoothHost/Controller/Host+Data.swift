import BluetoothProtocols
import WireBytes

extension Host {
  /// Longest L2CAP frame that this host takes: its MTU, and more than signalling or security need.
  private var frameLimit: Int { 4 + max(Int(configuration.mtu), 64) }

  mutating func receiveData(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.rawBytes, layer: .hci)
    guard let header = try? ACLHeader(&reader), links[header.handle] != nil else { return }
    guard header.length == reader.remaining else {
      events.append(.refused("ACL data of another length than its header says"))
      return
    }
    let handle = header.handle
    switch header.boundary {
    case .firstFlushable, .firstNonFlushable:
      links[handle]?.isSkipping = false
      links[handle]?.reassembler.start(reader.bytes, length: header.length, frame: 0)
    case .continuing:
      guard let link = links[handle], link.reassembler.isPending, !link.isSkipping else { return }
      links[handle]?.reassembler.add(reader.bytes, length: header.length, frame: 0)
    case .complete: return
    }
    guard let link = links[handle] else { return }
    if let announced = link.reassembler.announced, announced > frameLimit {
      links[handle]?.isSkipping = true
      links[handle]?.reassembler.reset()
      events.append(.refused("L2CAP frame of \(announced) bytes, at most \(frameLimit)"))
      return
    }
    switch link.reassembler.state {
    case .partial: return
    case .complete:
      let frame = link.reassembler.bytes
      links[handle]?.reassembler.reset()
      receiveFrame(handle, frame)
    case .overrun, .unusable:
      links[handle]?.reassembler.reset()
      events.append(.refused("ACL data beyond its L2CAP frame"))
    }
  }

  private mutating func receiveFrame(_ handle: UInt16, _ frame: [UInt8]) {
    guard frame.count >= 4 else { return }
    let payload = Array(frame[4...])
    switch UInt16(frame[2]) | UInt16(frame[3]) << 8 {
    case L2CAPChannel.attribute: receiveAttribute(handle, payload)
    case L2CAPChannel.signalling: receiveSignal(handle, payload)
    case L2CAPChannel.security: receiveSecurity(handle, payload)
    default: break
    }
  }

  /// Queues a frame on a fixed channel.
  mutating func sendFrame(_ handle: UInt16, channel: UInt16, _ payload: [UInt8]) {
    guard let link = links[handle], !link.isClosing else { return }
    guard link.waitingBytes < HostLink.overflow else {
      events.append(.refused("\(link.peer) asks without taking answers"))
      close(handle, reason: 0x14)
      return
    }
    let frame = L2CAPEncoder.frame(channel: channel, payload)
    var start = 0
    while start < frame.count {
      let end = min(frame.count, start + aclLength)
      links[handle]?.fragments.append((start == 0, Array(frame[start..<end])))
      start = end
    }
    links[handle]?.waitingBytes += frame.count
  }

  /// Hands fragments to the controller while it has room, each link in its turn.
  mutating func pump() {
    while aclCredits > 0 {
      let waiting = links.values.filter { !$0.fragments.isEmpty }.map(\.handle).sorted()
      guard let handle = waiting.first(where: { $0 > lastServed }) ?? waiting.first,
        let fragment = links[handle]?.fragments.removeFirst()
      else { return }
      lastServed = handle
      aclCredits -= 1
      links[handle]?.inFlight += 1
      links[handle]?.waitingBytes -= fragment.bytes.count
      output.append(
        .acl(
          handle: handle, boundary: fragment.isStart ? .firstNonFlushable : .continuing,
          fragment.bytes[...]))
    }
  }
}
