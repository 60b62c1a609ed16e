import BluetoothHost
import BluetoothProtocols
import PeatProtocol

extension LiveNode {
  /// Time that a link may be without use: a peer that only holds it would keep others out.
  static let idleLimit: UInt64 = 60_000
  /// Links that incoming connections leave free.
  static let reservedLinks = 2
  /// Time between two reads of an observer, which hears a silent peer in no other way.
  static let readPeriod: UInt64 = 10_000

  mutating func take(_ event: HostEvent) {
    switch event {
    case .started(let address, let isExtended):
      notes.append(.started(address: address, isExtended: isExtended))
      publish()
      advertise()
      host.setScanning(configuration.scans, now: now)
    case .failed(let reason): notes.append(.failed(reason))
    case .heard(let advertisement): hear(advertisement)
    case .connected(let link, let isCentral, let peer, _):
      opened(link, isCentral: isCentral, peer: peer)
    case .connectionFailed(let peer, let status):
      devices.failed(peer, now: now)
      endWanted(peer, failure: status)
    case .disconnected(let link, let peer, let reason): closed(link, peer: peer, reason: reason)
    case .mtuChanged: break
    case .encrypted(let link):
      if let peer = links[link]?.peer { notes.append(.encrypted(peer: peer)) }
    case .addressChanged(let address): notes.append(.addressChanged(address))
    case .server(let link, let event): take(event, of: link)
    case .client(let link, let event): take(event, of: link)
    case .refused(let reason): notes.append(.refused(reason))
    }
  }

  private mutating func hear(_ advertisement: Advertisement) {
    guard let device = devices.hear(advertisement, now: now), let name = device.name else {
      return
    }
    mesh.discovered(
      identifier: device.address.description, name: name,
      rssi: Int8(clamping: device.rssi ?? 0), meshID: DeviceName(name)?.mesh, now: now)
  }

  private mutating func opened(_ link: UInt16, isCentral: Bool, peer: DeviceAddress) {
    var entry = LiveLink(peer: peer, isCentral: isCentral, usedAt: now)
    entry.node = mesh.connected(identifier: peer.description, now: now)
    links[link] = entry
    notes.append(.linked(peer: peer, isOwn: isCentral))
    endWanted(peer, failure: nil)
    advertise()
    if isCentral { host.startClient(link, now: now) }
  }

  private mutating func closed(_ link: UInt16, peer: DeviceAddress, reason: UInt8) {
    guard let entry = links.removeValue(forKey: link) else { return }
    if !links.values.contains(where: { $0.peer == peer }) {
      mesh.disconnected(
        identifier: peer.description, reason: LiveNode.reason(reason), now: now)
    }
    if entry.isCentral {
      if entry.lastSent != nil || entry.node != nil {
        devices.ended(peer, now: now)
      } else {
        devices.failed(peer, now: now)
      }
    }
    notes.append(.unlinked(peer: peer, reason: reason))
    advertise()
  }

  /// Lets others connect while they leave room for the links that this node opens itself.
  private mutating func advertise() {
    let room = max(1, configuration.maximumLinks - LiveNode.reservedLinks)
    let hasRoom = links.values.count { !$0.isCentral } < room
    host.setAdvertising(configuration.advertises && hasRoom && !isStopping, now: now)
  }

  private static func reason(_ code: UInt8) -> DisconnectReason {
    switch code {
    case 0x08, 0x22: .timeout
    case 0x13, 0x14, 0x15: .remote
    case 0x16: .local
    default: .linkLoss
    }
  }

  private mutating func take(_ event: ATTServerEvent, of link: UInt16) {
    links[link]?.usedAt = now
    switch event {
    case .written(let handle, let value, _):
      if documents.contains(handle) { hear(value, on: link) }
    case .configured(let handle, let bits):
      if documents.contains(handle), bits & 1 == 1 { sendSoon(link, atOnce: true) }
    case .mtuRequested, .confirmed: break
    case .refused(let request, let handle, let code):
      // "Not found" is how every discovery ends.
      guard code != .attributeNotFound, let peer = links[link]?.peer else { return }
      notes.append(
        .refused(
          "\(peer): ATT request \(request) on handle \(handle): \(code)"))
    }
  }

  private mutating func take(_ event: ATTClientEvent, of link: UInt16) {
    guard let entry = links[link] else { return }
    switch event {
    case .ready:
      links[link]?.usedAt = now
      devices.succeeded(entry.peer)
      notes.append(.found(peer: entry.peer))
      // The first document of the peer comes with its next period, or by being read now.
      links[link]?.readAt = now
      sendSoon(link, atOnce: true)
    case .notFound:
      guard entry.isCentral else { return }
      devices.isStranger(entry.peer, now: now)
      host.disconnect(link, now: now)
    case .value(let value, let source):
      links[link]?.usedAt = now
      // A notification that fills its PDU may have been cut (formats.md 10).
      if source != .read, value.count >= host.mtu(of: link) - 3 {
        links[link]?.readAt = max(now, entry.readAt ?? now)
      }
      if source == .read, configuration.role == .observe {
        links[link]?.readAt = now &+ LiveNode.readPeriod
      }
      hear(value, on: link)
    case .written: links[link]?.usedAt = now
    case .readRefused, .mtuAnswered, .encryptionNeeded, .failed: break
    }
  }

  /// The connection that the user asked for came about, or did not.
  private mutating func endWanted(_ peer: DeviceAddress, failure: UInt8?) {
    guard let wanted, wanted.address == peer, wanted.isBegun || failure == nil else { return }
    self.wanted = nil
    notes.append(.connectionEnded(peer: peer, failure: failure))
  }

  /// Connects to the device that the user asked for, or to the next one that is worth it.
  mutating func connectNext() {
    if let wanted, !wanted.isBegun, !isStopping, !host.isConnecting {
      // 0x0D: limited resources (Vol 1 Part F, 2.13), where no link is free.
      let isBegun = host.connect(to: wanted.address, type: wanted.type, now: now)
      if isBegun { self.wanted?.isBegun = true }
      if !isBegun, links.count >= configuration.maximumLinks {
        self.wanted = nil
        notes.append(.connectionEnded(peer: wanted.address, failure: 0x0D))
      }
      return
    }
    guard configuration.scans, !isStopping, !host.isConnecting,
      links.values.count(where: \.isCentral) < configuration.maximumOwnLinks
    else { return }
    let next = devices.next(now: now) { device in
      if links.values.contains(where: { $0.peer == device.address }) { return false }
      guard let name = device.name, let parsed = DeviceName(name) else { return true }
      if parsed.node == mesh.configuration.node { return false }
      if links.values.contains(where: { $0.isCentral && $0.node == parsed.node }) { return false }
      return mesh.matches(mesh: parsed.mesh)
    }
    if let next { _ = host.connect(to: next.address, type: next.type, now: now) }
  }

  /// Ends links that only take a place.
  mutating func closeUnused() {
    for (link, entry) in links where now &- entry.usedAt > LiveNode.idleLimit {
      // Who subscribed may only want to listen.
      if documents.contains(where: { host.subscription(of: link, to: $0) & 1 == 1 }) { continue }
      links[link]?.usedAt = now
      notes.append(.refused("\(entry.peer): nothing came for a minute, the link is ended"))
      host.disconnect(link, now: now)
    }
  }
}
