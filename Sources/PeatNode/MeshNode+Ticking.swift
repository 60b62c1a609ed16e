package import PeatProtocol

extension MeshNode {
  /// Does what time brings; gives the document where one is due and a peer has a link
  /// (protocol.md 8.5).
  package mutating func tick(now: UInt64) -> [UInt8]? {
    removeSilentPeers(now: now)
    return isSendingDue(now: now) ? documentFrame() : nil
  }

  /// Does the same, and gives a frame for each peer with a link, ascending.
  ///
  /// As in the reference these are whole documents, although it speaks of deltas.
  package mutating func tickPerPeer(now: UInt64) -> [(node: NodeID, frame: [UInt8])] {
    removeSilentPeers(now: now)
    guard isSendingDue(now: now) else { return [] }
    return peers.connected.compactMap { peer in documentFrame().map { (peer.node, $0) } }
  }

  private mutating func isSendingDue(now: UInt64) -> Bool {
    guard elapsed(lastSync, now) >= configuration.syncInterval else { return false }
    lastSync = now
    return peers.connectedCount > 0
  }

  private mutating func removeSilentPeers(now: UInt64) {
    guard elapsed(lastCleanup, now) >= configuration.cleanupInterval else { return }
    lastCleanup = now
    var lost = peers.removeSilent(now: now, timeout: configuration.peerTimeout)
    lost += graph.removeOld(now: now).filter { !lost.contains($0) }
    guard !lost.isEmpty else { return }
    events += lost.map { .peerLost($0) }
    raiseStateChanged()
  }
}
