package import PeatProtocol
package import PeatSecurity

/// A node of a mesh as the reference models it: what it knows, what it makes of what it hears, and
/// what it would send (protocol.md 4, 6, 7, 8).
///
/// A value without input or output: the caller gives it the time in milliseconds and the frames,
/// sends what it returns, and takes the events after each call. In an encrypted mesh, what it
/// returns for sending is sealed.
package struct MeshNode: Sendable {
  /// Nodes whose last state is kept at most; the reference has no limit.
  package static let maximumPeripherals = 4_096

  /// What the node was told before it started.
  package let configuration: MeshConfiguration
  let randomness: MeshRandomness
  let cipher: MeshCipher?

  /// The node's own document, as it would be sent.
  package internal(set) var document: Document
  /// The peers and the names that they go by.
  package internal(set) var peers: PeerTable
  /// Who can be reached over others.
  package internal(set) var graph = ConnectionGraph()
  /// What each peer was sent.
  package internal(set) var deltas = DeltaTracker()
  /// The relayed messages seen of late.
  package internal(set) var relayDesk: RelayDesk
  /// The per-peer sessions; nil where they are off.
  package internal(set) var sessions: PeerSessionTable?
  /// The application documents.
  package internal(set) var apps: AppDocumentStore
  /// The last state that each node told of itself to an entry that keeps it.
  package internal(set) var peripherals: [NodeID: Peripheral] = [:]

  var events: [MeshEvent] = []
  var lastCleanup: UInt64 = 0
  var lastSync: UInt64 = 0

  /// Makes a node that has heard nothing.
  package init(
    _ configuration: MeshConfiguration, apps: AppRegistry = AppRegistry(),
    randomness: MeshRandomness = .system, counterRule: CounterRule = .afterAuthentication
  ) {
    self.configuration = configuration
    self.randomness = randomness
    cipher = configuration.encryptionSecret.map {
      MeshCipher(meshID: configuration.meshID, secret: $0)
    }
    document = Document(
      node: configuration.node,
      peripheral: Peripheral(
        id: configuration.node, type: configuration.peripheralType,
        callsign: configuration.callsign))
    peers = PeerTable(
      own: configuration.node, meshID: configuration.meshID, limit: configuration.maximumPeers)
    relayDesk = RelayDesk(relays: configuration.relays, lifetime: configuration.seenLifetime)
    sessions = configuration.peerSecret.map {
      PeerSessionTable(node: configuration.node, privateKey: $0, rule: counterRule)
    }
    self.apps = AppDocumentStore(registry: apps)
  }

  /// The name that the node advertises (protocol.md 1.3).
  package var deviceName: String {
    DeviceName(mesh: configuration.meshID, node: configuration.node).description
  }

  /// Whether a device that announces a mesh, or none, may be of this one (protocol.md 1.4).
  package func matches(mesh: String?) -> Bool {
    DeviceName.matches(own: configuration.meshID, announced: mesh)
  }

  /// The events since the last call, oldest first.
  package mutating func takeEvents() -> [MeshEvent] {
    defer { events = [] }
    return events
  }

  /// The whole document for sending; nil only where it cannot be sealed.
  package func documentFrame() -> [UInt8]? { sealed(document.encoded()) }

  mutating func raiseStateChanged() {
    events.append(.stateChanged(peers: peers.count, connected: peers.connectedCount))
  }

  /// What goes on the air for a frame. The reference sends the frame in clear where sealing
  /// fails; this node sends nothing then.
  func sealed(_ frame: [UInt8]) -> [UInt8]? {
    guard let cipher else { return frame }
    return cipher.seal(frame, nonce: randomness.nonce())?.encoded()
  }

  mutating func keep(_ peripheral: Peripheral, of node: NodeID) {
    guard peripherals[node] != nil || peripherals.count < MeshNode.maximumPeripherals else {
      return
    }
    peripherals[node] = peripheral
  }
}
