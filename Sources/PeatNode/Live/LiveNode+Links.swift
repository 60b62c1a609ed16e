import BluetoothHost
import BluetoothProtocols
import PeatProtocol

extension LiveNode {
  /// Time that a link may be without use: a peer that only holds it would keep others out.
  static let idleLimit: UInt64 = 60_000
  /// Time between two reads of a peer that could tell what it has, and does not.
  static let readPeriod: UInt64 = 10_000
  /// Time between two reads of a peer that only answers (protocol.md 8.1, Linux).
  static let pollPeriod: UInt64 = 1_000
  /// Time for which a peer that told something is not asked.
  static let toldPeriod: UInt64 = 3_000

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
    case .full(let count): notes.append(.full(links: count))
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
    var entry = LiveLink(peer: peer, isCentral: isCentral, openedAt: now)
    entry.node = mesh.connected(identifier: peer.description, now: now)
    links[link] = entry
    guard turns.opened(peer, now: now) else {
      // 14: low on resources.
      host.disconnect(link, reason: 0x14, now: now)
      return
    }
    notes.append(.linked(peer: peer, isOwn: isCentral))
    endWanted(peer, failure: nil)
    advertise()
    if isCentral { host.startClient(link, now: now) }
  }

  mutating func closed(_ link: UInt16, peer: DeviceAddress, reason: UInt8) {
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

  /// Lets others connect; the host does as long as there is room.
  private mutating func advertise() {
    host.setAdvertising(configuration.advertises && !isStopping, now: now)
  }

  /// Whether this node opens another link itself: it leaves one for those that connect to it.
  var hasOwnRoom: Bool {
    let own = links.values.count(where: \.isCentral)
    return host.hasRoom && own < max(1, host.linkLimit - (configuration.advertises ? 1 : 0))
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
      links[link]?.toldAt = now
      if documents.contains(handle) { hear(value, on: link) }
    case .read(let handle):
      guard documents.contains(handle) else { return }
      links[link]?.fetchedAt = now
      if servedRotation != nil { publish() }
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
    case .value(let value, let source, let handle):
      links[link]?.usedAt = now
      if source == .read {
        readAgain(link)
      } else {
        links[link]?.toldAt = now
        // A notification that fills its PDU may have been cut (formats.md 10).
        if value.count >= host.mtu(of: link) - 3 {
          links[link]?.readAt = now
          links[link]?.readHandle = handle
        }
      }
      hear(value, on: link)
    case .written: links[link]?.usedAt = now
    case .readRefused(let code):
      notes.append(.refused("\(entry.peer): its document cannot be read: \(code)"))
      readAgain(link)
    case .mtuAnswered, .encryptionNeeded, .failed: break
    }
  }

  /// Plans the next read of a link's server: soon where it only answers, later where it could tell
  /// by itself and is silent.
  private mutating func readAgain(_ link: UInt16) {
    guard let entry = links[link] else { return }
    let isTelling = entry.toldAt.map { now &- $0 < LiveNode.toldPeriod } ?? false
    let pause =
      host.mustPoll(link) && !isTelling
      ? LiveNode.pollPeriod : max(LiveNode.readPeriod, 2 * configuration.period)
    links[link]?.readAt = now &+ pause
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
      if !isBegun, !host.hasRoom {
        self.wanted = nil
        notes.append(.connectionEnded(peer: wanted.address, failure: 0x0D))
      }
      return
    }
    guard configuration.scans, !isStopping, !host.isConnecting, hasOwnRoom else { return }
    let next = devices.next(now: now, isWanted: isWanted)
    if let next { _ = host.connect(to: next.address, type: next.type, now: now) }
  }

  /// Whether a link to a device would be of use: there is none, and it is of the mesh.
  func isWanted(_ device: HeardDevice) -> Bool {
    if links.values.contains(where: { $0.peer == device.address }) { return false }
    guard let name = device.name, let parsed = DeviceName(name) else { return true }
    if parsed.node == mesh.configuration.node { return false }
    if links.values.contains(where: { $0.isCentral && $0.node == parsed.node }) { return false }
    return mesh.matches(mesh: parsed.mesh)
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
