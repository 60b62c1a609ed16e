package import PeatProtocol

extension MeshNode {
  /// Takes an advertisement; gives the peer, nil where it is ignored (protocol.md 1.3, 1.4).
  @discardableResult
  package mutating func discovered(
    identifier: String, name: String?, rssi: Int8, meshID: String?, now: UInt64
  ) -> Peer? {
    let found = peers.discovered(
      identifier: identifier, name: name, rssi: rssi, meshID: meshID, now: now)
    guard let found else { return nil }
    graph.discovered(found.peer.node, now: now)
    if found.isNew {
      events.append(.peerDiscovered(found.peer.node))
      raiseStateChanged()
    }
    return found.peer
  }

  /// Notes a link that this side asked for; gives the node, nil for an unknown name.
  @discardableResult
  package mutating func connected(identifier: String, now: UInt64) -> NodeID? {
    guard let node = peers.connected(identifier: identifier, now: now) else { return nil }
    noteLink(to: node, now: now)
    return node
  }

  /// Notes a link that the other side asked for, whose node is known; tells whether it is a new
  /// peer. A node that is no peer, for want of room, is connected nevertheless.
  @discardableResult
  package mutating func incoming(identifier: String, node: NodeID, now: UInt64) -> Bool {
    let isNew = peers.linked(identifier: identifier, node: node, now: now)
    if isNew { events.append(.peerDiscovered(node)) }
    noteLink(to: node, now: now)
    return isNew
  }

  /// Notes the end of a link; gives the node, nil for an unknown name.
  @discardableResult
  package mutating func disconnected(
    identifier: String, reason: DisconnectReason, now: UInt64
  ) -> NodeID? {
    guard let node = peers.disconnected(identifier: identifier) else { return nil }
    noteEnd(of: node, reason: reason, now: now)
    return node
  }

  /// Notes the end of a link to a node; nothing happens for one that is no peer.
  package mutating func disconnected(node: NodeID, reason: DisconnectReason, now: UInt64) {
    guard peers.disconnected(node: node) else { return }
    noteEnd(of: node, reason: reason, now: now)
  }

  /// Peers with a link of which no document was taken for a while, ascending.
  package func peersNeedingSync(now: UInt64) -> [NodeID] {
    peers.needingSync(now: now, cooldown: configuration.syncCooldown)
  }

  private mutating func noteLink(to node: NodeID, now: UInt64) {
    graph.linked(node, now: now)
    deltas.register(node)
    events.append(.peerConnected(node))
    raiseStateChanged()
  }

  private mutating func noteEnd(of node: NodeID, reason: DisconnectReason, now: UInt64) {
    graph.unlinked(node, now: now)
    deltas.unregister(node)
    events.append(.peerDisconnected(node, reason))
    raiseStateChanged()
  }
}
