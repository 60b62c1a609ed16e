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
    /// How far it came.
    package var reach: Reach
    /// From the first appearance until the last of the nodes seen by then was seen to know; nil
    /// where one never was, where there was none, and where a step of a clock lies between.
    package var timeToAll: Int64?
    /// Nodes that had been seen by then and were never seen to know, ascending; of many, the first.
    package var never: [NodeID]
    /// How many there are of them.
    package var neverCount: Int
  }

  /// How far an update came.
  package enum Reach: String, Sendable {
    /// Every other node that had been seen by then came to know it.
    case complete
    /// Some node that had been seen by then was never seen to know it.
    case partial
    /// No other node had been seen by then.
    case alone
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
  /// Updates by how far they came; together all updates.
  package private(set) var complete = 0
  package private(set) var partial = 0
  package private(set) var alone = 0
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

  /// Nodes that are named of those that never knew an update.
  package static let maximumNever = 256

  private let spans: ClockSpans

  /// Sums up; `isIncluded` picks the updates that count.
  package init(
    _ convergence: Convergence, spans: ClockSpans = ClockSpans(),
    isIncluded: (Spread) -> Bool = { _ in true }
  ) {
    self.spans = spans
    let knowledge = convergence.knowledge
    messages = convergence.messages
    bytes = convergence.bytes
    redundantMessages = convergence.redundantMessages
    redundantBytes = convergence.redundantBytes
    airTime = convergence.airTime
    isFull = knowledge.isFull || convergence.isFull
    speakers = convergence.speakers
    updates = []
    var order: [NodeID: Int] = [:]
    for (place, node) in knowledge.nodes.enumerated() { order[node] = place }
    for (place, spread) in knowledge.spreads.enumerated() where isIncluded(spread) {
      let hops = place < convergence.hops.count ? convergence.hops[place] : []
      updates.append(story(spread, hops, knowledge.nodes, order))
    }
    complete = updates.count { $0.reach == .complete }
    partial = updates.count { $0.reach == .partial }
    alone = updates.count { $0.reach == .alone }
    timeToAll = Quantiles(updates.compactMap(\.timeToAll))
    delay = Quantiles(
      updates.flatMap { update in
        update.spread.knowers.compactMap {
          spans.nanoseconds(from: update.spread.first, to: $0.stamp)
        }
      })
    sumUpNodes(knowledge.nodes, order)
    sumUpEmergencies(knowledge)
    sumUpLinks(convergence)
  }

  /// How long after the first appearance of an update a stamp is; nil where clocks do not tell.
  package func delay(of stamp: Stamp, since first: Stamp) -> Int64? {
    spans.nanoseconds(from: first, to: stamp)
  }

  private func story(
    _ spread: Spread, _ hops: [Hop], _ nodes: [NodeID], _ order: [NodeID: Int]
  ) -> UpdateStory {
    let isPresent = { (node: NodeID) in (order[node] ?? .max) < spread.nodesThen }
    let present = spread.nodesThen - (isPresent(spread.news.origin) ? 1 : 0)
    let knowers = spread.knowers.filter { isPresent($0.node) }
    let neverCount = present - knowers.count
    var story = UpdateStory(
      spread: spread, hops: hops, reach: neverCount > 0 ? .partial : .complete, timeToAll: nil,
      never: [], neverCount: neverCount)
    if present == 0 { story.reach = .alone }
    if neverCount > 0 {
      // What is passed over are knowers, so that this takes no longer than they are many.
      let known = Set(knowers.map(\.node))
      story.never = Array(
        nodes.prefix(spread.nodesThen).lazy
          .filter { $0 != spread.news.origin && !known.contains($0) }
          .prefix(ConvergenceReport.maximumNever)
      ).sorted()
    } else if present > 0 {
      let delays = knowers.compactMap { delay(of: $0.stamp, since: spread.first) }
      if delays.count == knowers.count { story.timeToAll = delays.max() }
    }
    return story
  }

  private mutating func sumUpNodes(_ nodes: [NodeID], _ order: [NodeID: Int]) {
    var delays: [NodeID: [Int64]] = [:]
    var learnt: [NodeID: Int] = [:]
    var own: [NodeID: Int] = [:]
    // Of the updates after a node's first document: those that it made, and those that it learnt.
    var settled: [NodeID: Int] = [:]
    for update in updates {
      let origin = update.spread.news.origin
      own[origin, default: 0] += 1
      if (order[origin] ?? .max) < update.spread.nodesThen { settled[origin, default: 0] += 1 }
      for knower in update.spread.knowers {
        learnt[knower.node, default: 0] += 1
        if (order[knower.node] ?? .max) < update.spread.nodesThen {
          settled[knower.node, default: 0] += 1
        }
        if let delay = delay(of: knower.stamp, since: update.spread.first) {
          delays[knower.node, default: []].append(delay)
        }
      }
    }
    // Updates come in the order in which nodes do: those behind a node's first are the last ones.
    var behind = [Int](repeating: 0, count: nodes.count)
    var update = updates.count
    for place in nodes.indices.reversed() {
      while update > 0, updates[update - 1].spread.nodesThen > place { update -= 1 }
      behind[place] = updates.count - update
    }
    self.nodes = nodes.enumerated().sorted { $0.element < $1.element }.map { place, node in
      NodeStory(
        node: node, updates: own[node] ?? 0, learnt: learnt[node] ?? 0,
        missed: behind[place] - (settled[node] ?? 0), delay: Quantiles(delays[node] ?? []))
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
      let spans = own.compactMap { delay(of: $0.stamp, since: raised.spread.first) }
      let last = spans.count == own.count ? spans.max() : nil
      emergencies.append(
        EmergencyStory(
          source: source, time: time, raised: raised, acks: own, pending: pending,
          timeToAllAcked: pending.isEmpty ? last : nil,
          undoneClears: undone[Identity(source: source, time: time)] ?? []))
    }
  }

  private mutating func sumUpLinks(_ convergence: Convergence) {
    links = convergence.links.map { link, traffic in
      let delays = traffic.arrivals.compactMap { arrival in
        delay(
          of: arrival.stamp, since: convergence.knowledge.spreads[Int(arrival.place)].first)
      }
      let latencies = traffic.latencies.filter {
        spans.nanoseconds(from: $0.one, to: $0.other) != nil
      }
      return LinkStory(
        link: link, from: speakers[link.from], to: speakers[link.to], traffic: traffic,
        delay: Quantiles(delays), latency: Quantiles(latencies.map(\.span)))
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
