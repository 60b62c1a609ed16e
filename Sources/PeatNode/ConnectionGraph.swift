package import PeatProtocol

/// Who can be reached, over a link of one's own or over others' (protocol.md 3, 7.1, 8.5).
package struct ConnectionGraph: Sendable {
  /// Milliseconds from the end of a link to the peer's loss.
  package static let lossTime: UInt64 = 30_000
  /// Milliseconds from the end of a link until the peer is forgotten.
  package static let lostLifetime: UInt64 = 45_000
  /// Milliseconds that an indirect peer is remembered.
  package static let indirectLifetime: UInt64 = 120_000
  /// Hops above which an indirect peer is not remembered.
  package static let maximumIndirectHops: UInt8 = 3
  /// Indirect peers, and nodes that were met, that are remembered at most; the reference has no limit.
  package static let maximumEntries = 1_024

  /// A node that is only heard through others.
  package struct IndirectPeer: Equatable, Sendable {
    /// The node.
    package let node: NodeID
    /// The hops of the latest message that came by each neighbour.
    package internal(set) var hops: [NodeID: UInt8]
    /// Messages heard.
    package internal(set) var messages: UInt32
    /// Milliseconds of the last message.
    package internal(set) var lastSeen: UInt64

    /// The fewest of the neighbours' hops.
    package var fewestHops: UInt8 { hops.values.min() ?? 0 }
  }

  /// A node that was met itself: by its advertising or over a link.
  private struct DirectPeer: Sendable {
    var isLinked = false
    /// Milliseconds of the link's end.
    var ended: UInt64?
    var isLost = false
    var lastMet: UInt64
  }

  private var direct: [NodeID: DirectPeer] = [:]
  private var indirect: [NodeID: IndirectPeer] = [:]

  /// Makes a graph of no nodes.
  package init() {}

  /// The nodes that are only heard through others, ascending.
  package var indirectPeers: [IndirectPeer] { indirect.values.sorted { $0.node < $1.node } }

  /// Notes an advertisement of a peer.
  mutating func discovered(_ node: NodeID, now: UInt64) { meet(node, now: now) { _ in } }

  /// Notes a link.
  mutating func linked(_ node: NodeID, now: UInt64) {
    meet(node, now: now) { peer in
      peer.isLinked = true
      peer.ended = nil
      peer.isLost = false
    }
  }

  /// Notes the end of a link.
  mutating func unlinked(_ node: NodeID, now: UInt64) {
    meet(node, now: now) { peer in
      peer.isLinked = false
      peer.ended = now
      peer.isLost = false
    }
  }

  /// Of too many nodes, the one that was met the longest ago is forgotten, one without a link
  /// first.
  private mutating func meet(
    _ node: NodeID, now: UInt64, _ change: (inout DirectPeer) -> Void
  ) {
    if direct[node] == nil, direct.count >= ConnectionGraph.maximumEntries {
      let oldest = direct.min {
        ($0.value.isLinked ? 1 : 0, $0.value.lastMet) < (
          $1.value.isLinked ? 1 : 0, $1.value.lastMet
        )
      }
      if let oldest { direct[oldest.key] = nil }
    }
    change(&direct[node, default: DirectPeer(lastMet: now)])
    direct[node]?.lastMet = now
  }

  /// Notes a message that a neighbour relayed; a node that was met itself is no indirect peer,
  /// whether there is a link to it or not.
  mutating func heard(_ origin: NodeID, by neighbour: NodeID, hops: UInt8, now: UInt64) {
    guard direct[origin] == nil, hops <= ConnectionGraph.maximumIndirectHops,
      indirect[origin] != nil || indirect.count < ConnectionGraph.maximumEntries
    else { return }
    var peer =
      indirect[origin] ?? IndirectPeer(node: origin, hops: [:], messages: 0, lastSeen: now)
    if peer.hops[neighbour] != nil || peer.hops.count < ConnectionGraph.maximumEntries {
      peer.hops[neighbour] = hops
    }
    peer.messages &+= 1
    peer.lastSeen = now
    indirect[origin] = peer
  }

  /// Forgets what is old; gives the nodes whose links ended too long ago, ascending.
  mutating func removeOld(now: UInt64) -> [NodeID] {
    indirect = indirect.filter {
      elapsed($0.value.lastSeen, now) <= ConnectionGraph.indirectLifetime
    }
    var lost: [NodeID] = []
    for (node, peer) in direct {
      guard let ended = peer.ended else { continue }
      let age = elapsed(ended, now)
      if !peer.isLost, age > ConnectionGraph.lossTime {
        direct[node]?.isLost = true
        lost.append(node)
      }
      if age > ConnectionGraph.lostLifetime { direct[node] = nil }
    }
    return lost.sorted()
  }
}
