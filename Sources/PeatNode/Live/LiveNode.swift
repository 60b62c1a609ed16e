package import BluetoothHost
package import BluetoothProtocols
package import PeatProtocol

/// What a live node tells its owner; the messages themselves are read from the packets.
package enum LiveNote: Sendable, Equatable {
  case started(address: DeviceAddress, isExtended: Bool)
  /// The controller is of no use: the node has ended.
  case failed(HostFailure)
  case linked(peer: DeviceAddress, isOwn: Bool)
  case unlinked(peer: DeviceAddress, reason: UInt8)
  /// The controller takes no link beside so many.
  case full(links: Int)
  /// A peer that was heard has to wait, because no link is free.
  case waiting(peer: DeviceAddress, links: Int)
  /// A link was ended so that another peer gets its place.
  case gaveWay(peer: DeviceAddress)
  /// The link to a peer is encrypted now, after pairing.
  case encrypted(peer: DeviceAddress)
  /// The node goes by another address from now on.
  case addressChanged(DeviceAddress)
  /// What came of a connection that the user asked for; a status of the controller where it failed.
  case connectionEnded(peer: DeviceAddress, failure: UInt8?)
  /// A peer's documents can be read and written.
  case found(peer: DeviceAddress)
  /// Something of a peer's that was refused.
  case refused(String)
  /// An emergency that was not known.
  case emergency(source: NodeID, time: UInt64)
}

/// A node on the air: a host, the model of a node, and what brings the two together
/// (protocol.md 8.7).
///
/// A value without input or output, like its two parts: packets and time go in, packets and notes
/// come out. `now` is in milliseconds of a clock that does not run backwards, `wall` in milliseconds
/// since 1970.
package struct LiveNode: Sendable {
  package let configuration: LiveConfiguration
  package internal(set) var mesh: MeshNode
  package internal(set) var host: Host
  /// Handles of the served values that carry documents.
  package let documents: [UInt16]
  var links: [UInt16: LiveLink] = [:]
  var devices = DeviceTable()
  var turns = LinkTurns()
  /// Nodes whose documents others passed on, and when last.
  var authors: [NodeID: UInt64] = [:]
  var wanted: WantedLink?
  var now: UInt64 = 0
  var wall: UInt64 = 0
  /// What the links and the served value were made of last.
  var published: Document?
  /// Where the counters of the served value begin, where not all fit; nil where they do.
  var servedRotation: Int?
  var nextPeriod: UInt64 = 0
  /// Set when the node ends: it neither connects nor lets others connect any more.
  var isStopping = false
  var knownEmergency: (source: NodeID, time: UInt64)?
  var notes: [LiveNote] = []

  /// Makes a node that goes on from an earlier life's count and version, and what it told of itself.
  package init(
    _ configuration: LiveConfiguration, mesh meshConfiguration: MeshConfiguration,
    randomness: MeshRandomness = .system, count: UInt64 = 0, version: UInt32 = 1,
    location: Location? = nil, battery: UInt8? = nil
  ) {
    var meshConfiguration = meshConfiguration
    meshConfiguration.relays = configuration.role == .relay
    self.configuration = configuration
    mesh = MeshNode(meshConfiguration, randomness: randomness)
    mesh.restore(count: count, version: version, location: location, battery: battery)
    let name = mesh.deviceName
    let served = PeatAttributes.database(
      deviceName: name, servesLibrary: configuration.servesLibrary)
    documents = served.documents
    var hostConfiguration = HostConfiguration(
      search: PeatAttributes.search, database: served.database)
    let advertising = PeatAdvertising.own(name: name, node: meshConfiguration.node)
    hostConfiguration.advertisingData = advertising.advertising
    hostConfiguration.scanResponseData = advertising.scanResponse
    hostConfiguration.randomAddress = configuration.randomAddress
    hostConfiguration.privacy = configuration.privacy
    hostConfiguration.pairing = configuration.pairing
    hostConfiguration.mtu = configuration.mtu
    hostConfiguration.maximumLinks = configuration.maximumLinks
    hostConfiguration.isLegacyOnly = configuration.isLegacyOnly
    host = Host(hostConfiguration)
  }

  /// Begins.
  package mutating func start(now: UInt64, wall: UInt64) {
    take(now, wall)
    host.start(now: now)
    settle()
  }

  /// The controller has gone: so have its links. What the node knows stays, and `start` goes on with
  /// another controller, or the same one when it is back.
  package mutating func loseController(now: UInt64, wall: UInt64) {
    take(now, wall)
    for link in links.keys.sorted() {
      // 08: connection timeout, as a peer sees it too.
      if let peer = links[link]?.peer { closed(link, peer: peer, reason: 0x08) }
    }
    if let wanted {
      notes.append(.connectionEnded(peer: wanted.address, failure: 0x08))
      self.wanted = nil
    }
    turns = LinkTurns()
    host = Host(host.configuration)
  }

  /// Takes a packet of the controller.
  package mutating func receive(_ packet: HCIPacket, now: UInt64, wall: UInt64) {
    take(now, wall)
    host.receive(packet, now: now)
    settle()
  }

  /// Time passes.
  package mutating func tick(now: UInt64, wall: UInt64) {
    take(now, wall)
    host.tick(now: now)
    _ = mesh.tick(now: now)
    settle()
  }

  /// Packets for the controller since the last call.
  package mutating func takeOutput() -> [HCIPacket] { host.takeOutput() }

  /// What happened since the last call.
  package mutating func takeNotes() -> [LiveNote] {
    defer { notes = [] }
    return notes
  }

  /// When `tick` should be called at the latest.
  package var deadline: UInt64 {
    var due = nextPeriod
    if let deadline = host.deadline { due = min(due, deadline) }
    // What is overdue waits for an answer or for room, which come as packets.
    for link in links.values {
      if link.isDirty, let sent = link.lastSent, sent &+ configuration.quietTime > now {
        due = min(due, sent &+ configuration.quietTime)
      }
      if link.isChanged, let free = link.budget.nextFree(interval: configuration.quietTime),
        free > now
      {
        due = min(due, free)
      }
      if let read = link.readAt, read > now { due = min(due, read) }
    }
    // Back-off, silent peers and half-open links are looked after once a second.
    return min(max(due, now &+ 1), now &+ 1_000)
  }

  /// This node's own count and version, to be kept for its next life.
  package var ownCount: UInt64 { mesh.document.counter[mesh.configuration.node] }
  package var version: UInt32 { mesh.document.version }
  /// What this node tells of itself: where it is, and its battery's charge, nil where it was not told.
  package var location: Location? { mesh.document.peripheral?.location }
  package var battery: UInt8? {
    mesh.document.peripheral.flatMap { $0.health.battery == 0 ? nil : $0.health.battery }
  }
  /// Links that are open.
  package var linkCount: Int { links.count }
  /// Links on which this node's document goes out, or is asked for.
  package var outletCount: Int { links.keys.count { isOutlet($0) } }
  /// A note of the served values that carry documents, for what reads this node's traffic.
  package var servedNote: HCIPacket {
    ServedValues(
      documents.compactMap { handle in
        host.database.characteristic(at: handle).map {
          ServedValues.Value(handle: handle, characteristic: $0.uuid, service: $0.service)
        }
      }
    ).packet
  }
  /// The node at an address, where it is known.
  package func node(at address: DeviceAddress) -> NodeID? {
    mesh.peers.node(of: address.description)
  }
  /// Whether the controller has answered everything and the radio does nothing.
  package var isQuiet: Bool { host.isQuiet }

  private mutating func take(_ now: UInt64, _ wall: UInt64) {
    self.now = now
    self.wall = wall
  }

  /// Does everything that follows from what happened.
  mutating func settle() {
    var events = host.takeEvents()
    while !events.isEmpty {
      for event in events { take(event) }
      events = host.takeEvents()
    }
    noteEmergency()
    _ = mesh.takeEvents()
    connectNext()
    closeUnused()
    takeTurns()
    sendDue()
    for event in host.takeEvents() { take(event) }
  }

  private mutating func noteEmergency() {
    guard let emergency = mesh.document.emergency else { return }
    if let known = knownEmergency, known.source == emergency.source,
      known.time == emergency.time
    {
      return
    }
    knownEmergency = (emergency.source, emergency.time)
    notes.append(.emergency(source: emergency.source, time: emergency.time))
  }

}
