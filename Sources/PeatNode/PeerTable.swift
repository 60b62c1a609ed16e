package import PeatProtocol

/// A peer as the table of peers knows it.
package struct Peer: Equatable, Sendable {
  /// Its node id.
  package let node: NodeID
  /// The caller's name for the device, such as its address.
  package internal(set) var identifier: String
  /// What it advertised, nil where it was never seen advertising.
  package internal(set) var name: String?
  /// The mesh it announced, nil for a name of the old form.
  package internal(set) var meshID: String?
  /// Signal strength in dBm, -70 until it is known.
  package internal(set) var rssi: Int8
  /// Whether there is a link.
  package internal(set) var isConnected: Bool
  /// Milliseconds of the last sign of life.
  package internal(set) var lastSeen: UInt64
  /// Milliseconds of the last document, nil before the first.
  package internal(set) var lastSync: UInt64?
}

/// The peers of one node and the names that they are known by (protocol.md 1.3, 8.4, 8.5).
package struct PeerTable: Sendable {
  /// Names that are kept at most; the reference has no limit.
  package static let maximumIdentifiers = 4_096
  /// What a peer's signal is taken for until it is measured.
  static let unknownRSSI: Int8 = -70

  private let own: NodeID
  private let meshID: String
  private let limit: Int
  private var peers: [NodeID: Peer] = [:]
  private var nodes: [String: NodeID] = [:]

  /// Makes an empty table.
  package init(own: NodeID, meshID: String, limit: Int) {
    self.own = own
    self.meshID = meshID
    self.limit = limit
  }

  /// All peers, ascending by node.
  package var all: [Peer] { peers.values.sorted { $0.node < $1.node } }

  /// The peers with a link, ascending by node.
  package var connected: [Peer] { all.filter(\.isConnected) }

  /// Number of peers.
  package var count: Int { peers.count }

  /// Number of peers with a link.
  package var connectedCount: Int { peers.values.count(where: \.isConnected) }

  /// The peer with a node id.
  package subscript(node: NodeID) -> Peer? { peers[node] }

  /// The node that goes by a name, tracked as a peer or not.
  package func node(of identifier: String) -> NodeID? { nodes[identifier] }

  /// Takes an advertisement; nil where it is ignored: of another mesh, without a node id at the
  /// end of the name, this node's own, or one too many.
  ///
  /// A known name with another node id makes the node of before forgotten. A known node under
  /// another name goes by both from then on.
  mutating func discovered(
    identifier: String, name: String?, rssi: Int8, meshID: String?, now: UInt64
  ) -> (peer: Peer, isNew: Bool)? {
    guard DeviceName.matches(own: self.meshID, announced: meshID),
      let name, let node = DeviceName.trackedNode(name), node != own
    else { return nil }
    if let before = nodes[identifier], before != node {
      peers[before] = nil
      nodes[identifier] = node
    }
    if var peer = peers[node] {
      register(identifier, as: node)
      peer.name = name
      peer.rssi = rssi
      peer.lastSeen = now
      peers[node] = peer
      return (peer, false)
    }
    let peer = Peer(
      node: node, identifier: identifier, name: name, meshID: meshID, rssi: rssi,
      isConnected: false, lastSeen: now)
    guard insert(peer) else { return nil }
    return (peer, true)
  }

  /// Notes a link that this side asked for; gives the node that goes by the name.
  mutating func connected(identifier: String, now: UInt64) -> NodeID? {
    guard let node = nodes[identifier] else { return nil }
    peers[node]?.isConnected = true
    peers[node]?.lastSeen = now
    return node
  }

  /// Notes a link whose node is known; tells whether that made a new peer.
  mutating func linked(identifier: String, node: NodeID, now: UInt64) -> Bool {
    guard node != own else { return false }
    if var peer = peers[node] {
      if peer.identifier != identifier {
        nodes[peer.identifier] = nil
        register(identifier, as: node)
        peer.identifier = identifier
      }
      peer.isConnected = true
      peer.lastSeen = now
      peers[node] = peer
      return false
    }
    return insert(
      Peer(
        node: node, identifier: identifier, name: nil, meshID: meshID,
        rssi: PeerTable.unknownRSSI, isConnected: true, lastSeen: now))
  }

  /// Notes the end of a link by name; gives the node that goes by the name.
  mutating func disconnected(identifier: String) -> NodeID? {
    guard let node = nodes[identifier] else { return nil }
    peers[node]?.isConnected = false
    return node
  }

  /// Notes the end of a link by node; false where the node is no peer.
  mutating func disconnected(node: NodeID) -> Bool {
    guard peers[node] != nil else { return false }
    peers[node]?.isConnected = false
    return true
  }

  /// Enters the node that goes by a name.
  ///
  /// When names are too many, those that no tracked peer goes by are forgotten: strangers can
  /// then not keep new peers out.
  mutating func register(_ identifier: String, as node: NodeID) {
    if nodes[identifier] == nil, nodes.count >= PeerTable.maximumIdentifiers {
      nodes = nodes.filter { peers[$0.value]?.identifier == $0.key }
    }
    nodes[identifier] = node
  }

  /// Notes that a document of a peer was taken.
  mutating func synced(_ node: NodeID, now: UInt64) { peers[node]?.lastSync = now }

  /// Peers with a link of which no document was taken for `cooldown`, ascending.
  func needingSync(now: UInt64, cooldown: UInt64) -> [NodeID] {
    connected.filter { peer in peer.lastSync.map { elapsed($0, now) >= cooldown } ?? true }
      .map(\.node)
  }

  /// Forgets the peers that were silent for more than `timeout`; gives them, ascending.
  mutating func removeSilent(now: UInt64, timeout: UInt64) -> [NodeID] {
    let silent = all.filter { elapsed($0.lastSeen, now) > timeout }
    for peer in silent {
      peers[peer.node] = nil
      nodes[peer.identifier] = nil
    }
    return silent.map(\.node)
  }

  private mutating func insert(_ peer: Peer) -> Bool {
    guard peers.count < limit else { return false }
    peers[peer.node] = peer
    register(peer.identifier, as: peer.node)
    return true
  }
}

/// Milliseconds from `start` to `now`, 0 where the clock went back.
func elapsed(_ start: UInt64, _ now: UInt64) -> UInt64 { now > start ? now - start : 0 }
