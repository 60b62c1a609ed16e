package import PeatProtocol

/// Who can be reached, over a link of one's own or over others' (protocol.md 3, 7.1, 8.5).
package struct ConnectionGraph: Sendable {
  /// Milliseconds from the end of a link to the peer's loss.
  package static let lossTime: UInt64 = 30_000
  /// Milliseconds that an indirect peer is remembered.
  package static let indirectLifetime: UInt64 = 120_000
  /// Hops above which an indirect peer is not remembered.
  package static let maximumIndirectHops: UInt8 = 3
  /// Indirect peers, and ended links, that are remembered at most; the reference has no limit.
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

  private var endedLinks: [NodeID: UInt64] = [:]
  private var indirect: [NodeID: IndirectPeer] = [:]

  /// Makes a graph of no nodes.
  package init() {}

  /// The nodes that are only heard through others, ascending.
  package var indirectPeers: [IndirectPeer] { indirect.values.sorted { $0.node < $1.node } }

  /// Notes a link.
  mutating func linked(_ node: NodeID) { endedLinks[node] = nil }

  /// Notes the end of a link.
  mutating func unlinked(_ node: NodeID, now: UInt64) {
    guard endedLinks[node] != nil || endedLinks.count < ConnectionGraph.maximumEntries else {
      return
    }
    endedLinks[node] = now
  }

  /// Notes a message that a neighbour relayed.
  mutating func heard(_ origin: NodeID, by neighbour: NodeID, hops: UInt8, now: UInt64) {
    guard hops <= ConnectionGraph.maximumIndirectHops,
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
    let lost = endedLinks.filter { elapsed($0.value, now) > ConnectionGraph.lossTime }.keys
    for node in lost { endedLinks[node] = nil }
    return lost.sorted()
  }
}
