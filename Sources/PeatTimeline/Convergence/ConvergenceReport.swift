import BluetoothProtocols
package import PeatProtocol
package import PeatReplay
import WireBytes

/// What convergence comes to at the end of the captures.
package struct ConvergenceReport: Sendable {
  /// One update with everything that is told of it.
  package struct UpdateStory: Sendable {
    package var spread: Spread
    package var hops: [Hop]
    /// From the first appearance until the last of the nodes seen by then was seen to know; nil
    /// where one never was.
    package var timeToAll: Int64?
    /// Nodes that had been seen by then and were never seen to know, ascending.
    package var never: [NodeID]
  }

  /// What became of one emergency.
  package struct EmergencyStory: Sendable {
    /// A node's ack, by the first message of anybody that shows it.
    package struct Ack: Sendable {
      package var node: NodeID
      package var stamp: Stamp
    }

    package var source: NodeID
    package var time: UInt64
    package var raised: UpdateStory
    /// By time; the source's own comes with the emergency.
    package var acks: [Ack]
    /// Those that the emergency names and that never acknowledged, ascending.
    package var pending: [NodeID]
    /// From the raising until the last of all named had acknowledged.
    package var timeToAllAcked: Int64?
    /// Clears that were undone by documents of others.
    package var undoneClears: [UpdateStory]
  }

  /// How fast one node learnt.
  package struct NodeStory: Sendable {
    package var node: NodeID
    /// Its own updates.
    package var updates: Int
    /// Updates of others that it was seen to know.
    package var learnt: Int
    /// Updates of others that it was never seen to know, of those after its own first document.
    package var missed: Int
    /// From the first appearance of an update until the node was seen to know it.
    package var delay: Quantiles?
  }

  /// What one connection carried in one direction.
  package struct LinkStory: Sendable {
    package var link: LinkDirection
    package var from: NodeID?
    package var to: NodeID?
    package var traffic: LinkTraffic
    package var delay: Quantiles?
    package var latency: Quantiles?
  }

  package private(set) var updates: [UpdateStory]
  package private(set) var emergencies: [EmergencyStory] = []
  package private(set) var nodes: [NodeStory] = []
  package private(set) var links: [LinkStory] = []
  /// From first appearance until known, of each update and each other node that was seen to know.
  package private(set) var delay: Quantiles?
  /// From first appearance until known to all, of the updates that all came to know.
  package private(set) var timeToAll: Quantiles?
  /// Updates that every node seen by then came to know.
  package private(set) var complete = 0
  package let messages: Int
  package let bytes: Int
  package let redundantMessages: Int
  package let redundantBytes: Int
  /// Microseconds.
  package let airTime: Int64
  /// Whether limits left something out.
  package let isFull: Bool
  /// Who speaks at an end.
  package let speakers: [LinkEnd: NodeID]

  /// Sums up; `isIncluded` picks the updates that count.
  package init(_ convergence: Convergence, isIncluded: (Spread) -> Bool = { _ in true }) {
    let knowledge = convergence.knowledge
    messages = convergence.messages
    bytes = convergence.bytes
    redundantMessages = convergence.redundantMessages
    redundantBytes = convergence.redundantBytes
    airTime = convergence.airTime
    isFull = knowledge.isFull
    speakers = convergence.speakers
    updates = []
    for (place, spread) in knowledge.spreads.enumerated() where isIncluded(spread) {
      let hops = place < convergence.hops.count ? convergence.hops[place] : []
      updates.append(ConvergenceReport.story(spread, hops, knowledge.nodes))
    }
    complete = updates.count { $0.timeToAll != nil }
    timeToAll = Quantiles(updates.compactMap(\.timeToAll))
    delay = Quantiles(
      updates.flatMap { update in
        update.spread.knowers.map {
          $0.stamp.time.nanoseconds(since: update.spread.first.time)
        }
      })
    sumUpNodes(knowledge.nodes)
    sumUpEmergencies(knowledge)
    sumUpLinks(convergence)
  }

  private static func story(
    _ spread: Spread, _ hops: [Hop], _ nodes: [NodeID]
  ) -> UpdateStory {
    let present = Set(nodes.prefix(spread.nodesThen)).subtracting([spread.news.origin])
    let known = Set(spread.knowers.map(\.node))
    let never = present.subtracting(known).sorted()
    var timeToAll: Int64?
    if never.isEmpty && !present.isEmpty {
      timeToAll = spread.knowers.filter { present.contains($0.node) }
        .map { $0.stamp.time.nanoseconds(since: spread.first.time) }.max()
    }
    return UpdateStory(spread: spread, hops: hops, timeToAll: timeToAll, never: never)
  }

  private mutating func sumUpNodes(_ order: [NodeID]) {
    var delays: [NodeID: [Int64]] = [:]
    var missed: [NodeID: Int] = [:]
    var own: [NodeID: Int] = [:]
    for update in updates {
      own[update.spread.news.origin, default: 0] += 1
      for node in update.never { missed[node, default: 0] += 1 }
      for knower in update.spread.knowers {
        delays[knower.node, default: []].append(
          knower.stamp.time.nanoseconds(since: update.spread.first.time))
      }
    }
    nodes = order.sorted().map { node in
      NodeStory(
        node: node, updates: own[node] ?? 0, learnt: delays[node]?.count ?? 0,
        missed: missed[node] ?? 0, delay: Quantiles(delays[node] ?? []))
    }
  }

  private struct Identity: Hashable {
    var source: NodeID
    var time: UInt64
  }

  private mutating func sumUpEmergencies(_ knowledge: Knowledge) {
    var acks: [Identity: [EmergencyStory.Ack]] = [:]
    var undone: [Identity: [UpdateStory]] = [:]
    for update in updates {
      switch update.spread.news {
      case .ack(let node, let source, let time):
        acks[Identity(source: source, time: time), default: []].append(
          EmergencyStory.Ack(node: node, stamp: update.spread.first))
      case .undoneClear(_, let source, let time):
        undone[Identity(source: source, time: time), default: []].append(update)
      case .counter, .emergency: break
      }
    }
    for raised in updates {
      guard case .emergency(let source, let time) = raised.spread.news else { continue }
      let own = acks[Identity(source: source, time: time)] ?? []
      let acked = Set(own.map(\.node))
      let pending = knowledge.participants(source: source, time: time)
        .filter { !acked.contains($0) }
      let last = own.map { $0.stamp.time.nanoseconds(since: raised.spread.first.time) }.max()
      emergencies.append(
        EmergencyStory(
          source: source, time: time, raised: raised, acks: own, pending: pending,
          timeToAllAcked: pending.isEmpty ? last : nil,
          undoneClears: undone[Identity(source: source, time: time)] ?? []))
    }
  }

  private mutating func sumUpLinks(_ convergence: Convergence) {
    links = convergence.links.map { link, traffic in
      LinkStory(
        link: link, from: speakers[link.from], to: speakers[link.to], traffic: traffic,
        delay: Quantiles(traffic.delays), latency: Quantiles(traffic.latencies))
    }.sorted { left, right in
      let one = (left.from?.rawValue ?? .max, left.to?.rawValue ?? .max)
      let other = (right.from?.rawValue ?? .max, right.to?.rawValue ?? .max)
      return one == other ? "\(left.link)" < "\(right.link)" : one < other
    }
  }
}

extension LinkEnd: CustomStringConvertible {
  /// The address, where it is known.
  package var description: String {
    switch self {
    case .address(let address): address.description
    case .host(let capture, let adapter): "host of capture \(capture + 1), adapter \(adapter)"
    case .peer(let link): "peer on link \(link)"
    }
  }
}
