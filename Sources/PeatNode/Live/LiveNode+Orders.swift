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

  /// Lines that orders may be completed to, with the addresses that are known now.
  package var phrases: [String] {
    let heard = devices.devices.values.filter(\.isPeat).map { "connect \($0.address)" }
    let linked = Set(links.values.map { "disconnect \($0.peer)" })
    return NodeOrder.forms.flatMap(\.phrases) + heard.sorted() + linked.sorted()
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
      _ = mesh.startEmergency(peers: knownNodes, time: wall)
      // Who started it need not be told of it.
      knownEmergency = mesh.document.emergency.map { ($0.source, $0.time) }
      return [told("emergency started")]
    case .acknowledge:
      guard mesh.document.emergency != nil else { return ["there is no emergency"] }
      _ = mesh.acknowledgeEmergency(time: wall)
      return [told("acknowledged")]
    case .clear:
      guard mesh.document.emergency != nil else { return ["there is no emergency"] }
      mesh.clearEmergency()
      knownEmergency = nil
      return ["cleared here; the next document that has it brings it back"]
    case .event(let type):
      mesh.setEvent(type, time: wall)
      return [told("event \(type.name)")]
    case .position(let location):
      mesh.setLocation(location)
      let altitude = location.altitude.map { " \($0)" } ?? ""
      return [told("position \(location.latitude) \(location.longitude)\(altitude)")]
    case .battery(let percent):
      mesh.setBattery(percent)
      return [told("battery \(percent)%")]
    case .state: return state
    case .peers: return peerLines
    case .send(let bytes):
      if links.isEmpty { return ["no links"] }
      for link in links.keys.sorted() { queue(bytes, on: link) }
      return ["\(bytes.count) bytes for \(links.count) link\(links.count == 1 ? "" : "s")"]
    case .connect(let address, let type): return connect(to: address, type)
    case .disconnect(let address): return disconnect(address)
    case .help: return NodeOrder.helpLines
    case .quit: return []
    }
  }

  /// What was done, and that nobody has heard of it where there is nobody to tell.
  private func told(_ text: String) -> String {
    if outletCount > 0 { return text }
    let reason = links.isEmpty ? "there is no link" : "no link takes documents yet"
    return "\(text); nobody has it yet: \(reason)"
  }

  /// Connects as soon as the radio can; the outcome is told by a note.
  private mutating func connect(to address: DeviceAddress, _ type: AddressType?) -> [String] {
    if links.values.contains(where: { $0.peer == address }) {
      return ["\(address) is connected already"]
    }
    if let wanted { return ["still connecting to \(wanted.address)"] }
    let type = type ?? devices[address]?.type ?? LiveNode.likelyType(of: address)
    wanted = WantedLink(address: address, type: type)
    return ["connecting to \(address), \(type.name)"]
  }

  /// What an address that was not heard is: of the four kinds that its top bits tell apart, three are
  /// random (Core Specification Vol 6 Part B, 1.3.2); who means a public one with such bits says so.
  private static func likelyType(of address: DeviceAddress) -> AddressType {
    address.value >> 46 == 0b11 || address.isResolvablePrivate ? .random : .public
  }

  private mutating func disconnect(_ address: DeviceAddress?) -> [String] {
    let ending = links.filter { address == nil || $0.value.peer == address }
    for (link, entry) in ending {
      devices.failed(entry.peer, now: now)
      host.disconnect(link, now: now)
    }
    if ending.isEmpty { return [address.map { "there is no link to \($0)" } ?? "no links"] }
    return ending.values.map { "ending the link to \($0.peer)" }.sorted()
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
