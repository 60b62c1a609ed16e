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

/// One link of a live node.
struct LiveLink: Sendable {
  /// Frames that wait to be passed on.
  static let passingLimit = 16

  let peer: DeviceAddress
  let isCentral: Bool
  /// Who is at the other end, once a frame told it.
  var node: NodeID?
  /// When the peer last did something that makes the link worth its place.
  var usedAt: UInt64
  /// The current document waits to be sent.
  var isDirty = false
  var lastSent: UInt64?
  /// The peer's value waits to be read, not before a moment.
  var readAt: UInt64?
  /// Where the counters of the next partial document begin.
  var rotation = 0
  /// Frames of others, and of the user, that wait to be sent as they are.
  var passing: [[UInt8]] = []

  var identifier: String { peer.description }
}

/// A connection that the user asked for.
struct WantedLink: Sendable {
  let address: DeviceAddress
  let type: AddressType
  var isBegun = false
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
  var wanted: WantedLink?
  var now: UInt64 = 0
  var wall: UInt64 = 0
  /// What the links and the served value were made of last.
  var published: Document?
  var nextPeriod: UInt64 = 0
  /// Set when the node ends: it neither connects nor lets others connect any more.
  var isStopping = false
  var knownEmergency: (source: NodeID, time: UInt64)?
  var notes: [LiveNote] = []

  /// Makes a node that goes on from an earlier life's count and version.
  package init(
    _ configuration: LiveConfiguration, mesh meshConfiguration: MeshConfiguration,
    randomness: MeshRandomness = .system, count: UInt64 = 0, version: UInt32 = 1
  ) {
    var meshConfiguration = meshConfiguration
    meshConfiguration.relays = configuration.role == .relay
    self.configuration = configuration
    mesh = MeshNode(meshConfiguration, randomness: randomness)
    mesh.restore(count: count, version: version)
    let name = mesh.deviceName
    let served = PeatAttributes.database(
      deviceName: name, isCompatible: configuration.isCompatible)
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
      if let read = link.readAt, read > now { due = min(due, read) }
    }
    // Back-off, silent peers and half-open links are looked after once a second.
    return min(max(due, now &+ 1), now &+ 1_000)
  }

  /// This node's own count and version, to be kept for its next life.
  package var ownCount: UInt64 { mesh.document.counter[mesh.configuration.node] }
  package var version: UInt32 { mesh.document.version }
  /// Links that are open.
  package var linkCount: Int { links.count }
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
