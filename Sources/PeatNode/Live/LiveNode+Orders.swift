import BluetoothHost
import BluetoothProtocols
import PeatProtocol

extension LiveNode {
  /// Does what the user wants; gives lines to show. `quit` is the caller's to carry out.
  package mutating func perform(_ order: NodeOrder, now: UInt64, wall: UInt64) -> [String] {
    self.now = now
    self.wall = wall
    let lines = perform(order)
    mesh.skipCollidingVersions()
    if mesh.document != published {
      for link in links.keys { sendSoon(link, atOnce: true) }
    }
    settle()
    return lines
  }

  private mutating func perform(_ order: NodeOrder) -> [String] {
    let isChange =
      switch order {
      case .emergency, .acknowledge, .clear, .event, .position, .battery, .send: true
      case .state, .peers, .connect, .disconnect, .quit, .help: false
      }
    if isChange, configuration.role == .observe {
      return ["an observer changes nothing; run with --participate"]
    }
    switch order {
    case .emergency:
      _ = mesh.startEmergency(time: wall)
      return ["emergency started"]
    case .acknowledge:
      guard mesh.document.emergency != nil else { return ["there is no emergency"] }
      _ = mesh.acknowledgeEmergency(time: wall)
      return ["acknowledged"]
    case .clear:
      mesh.clearEmergency()
      knownEmergency = nil
      return ["cleared here; the next document that has it brings it back"]
    case .event(let type): mesh.setEvent(type, time: wall)
    case .position(let location): mesh.setLocation(location)
    case .battery(let percent): mesh.setBattery(percent)
    case .state: return state
    case .peers: return peerLines
    case .send(let bytes):
      for link in links.keys.sorted() { queue(bytes, on: link) }
      return ["\(bytes.count) bytes for \(links.count) links"]
    case .connect(let address):
      guard let device = devices[address] else { return ["\(address) was not heard"] }
      let isStarted = host.connect(to: address, type: device.type, now: now)
      return [isStarted ? "connecting to \(address)" : "a connection is being made already"]
    case .disconnect(let address):
      for (link, entry) in links where address == nil || entry.peer == address {
        devices.failed(entry.peer, now: now)
        host.disconnect(link, now: now)
      }
    case .help: return [NodeOrder.synopsis]
    case .quit: break
    }
    return []
  }

  private var state: [String] {
    let document = mesh.document
    var lines = [
      "node \(document.node), version \(document.version), total \(document.counter.total)"
    ]
    lines += document.counter.entries.map { "counter \($0.node) = \($0.count)" }
    if let emergency = document.emergency {
      let acked = emergency.acked.map(\.description).joined(separator: " ")
      let pending = emergency.pending.map(\.description).joined(separator: " ")
      lines.append(
        "emergency of \(emergency.source) at \(emergency.time)"
          + "; acked: \(acked.isEmpty ? "none" : acked)"
          + "; pending: \(pending.isEmpty ? "none" : pending)")
    }
    return lines
  }

  private var peerLines: [String] {
    let lines = links.sorted { $0.key < $1.key }.map { link, entry in
      let side = entry.isCentral ? "our link" : "their link"
      let node = entry.node.map { "node \($0)" } ?? "node not known"
      let radio = host.radioParameters(of: link)
      return "\(entry.peer)  \(node)  \(side)  MTU \(host.mtu(of: link))"
        + "  PHY \(LiveNode.phy(radio.phy.sent))/\(LiveNode.phy(radio.phy.received))"
        + "  packets \(radio.dataLength.sent)/\(radio.dataLength.received)"
        + (host.isEncrypted(link) ? "  encrypted" : "")
    }
    return lines.isEmpty ? ["no links"] : lines
  }

  private static func phy(_ number: UInt8) -> String {
    switch number {
    case 1: "1M"
    case 2: "2M"
    case 3: "coded"
    default: "\(number)"
    }
  }

  /// Ends every link and all radio activity, before the transport is closed.
  package mutating func stop(now: UInt64, wall: UInt64) {
    self.now = now
    self.wall = wall
    isStopping = true
    host.setScanning(false, now: now)
    host.setAdvertising(false, now: now)
    for link in links.keys.sorted() { host.disconnect(link, now: now) }
  }
}
