package import PeatProtocol
package import WireBytes

/// The state of a mesh as the join of all documents that were heard (protocol.md 4).
///
/// Only what the reference dispatches is joined: plain documents, and those that mesh encryption
/// or a relay envelope holds. Memory is bounded: of more nodes than the limit, only the first
/// count.
package struct MeshState: Sendable {
  /// Most nodes whose counters and states are kept.
  package static let maximumNodes = 16_384
  /// Most counters and acks that are kept of the nodes' last documents together.
  package static let maximumEntries = 524_288

  /// Whether deltas are joined too, which no reference receiver does (protocol.md 4.9).
  package let appliesDeltas: Bool
  /// Messages that were joined.
  package private(set) var messages = 0
  /// The sum of all joined counters, modulo 2^64.
  package private(set) var total: UInt64 = 0
  /// What each node has told of itself.
  package private(set) var nodes: [NodeID: NodeState] = [:]

  /// Which stretch of the recorders' clocks the messages lie in: ages across a step are unknown.
  package private(set) var stretch: Int32 = 0

  /// Notes that a recorder's clock was put.
  package mutating func beginStretch() { stretch &+= 1 }

  /// Nanoseconds from a node's last document until a moment; nil across a step of the clock.
  package func age(of node: NodeState, at moment: Timestamp) -> Int64? {
    node.stretch == stretch ? max(0, moment.nanoseconds(since: node.lastHeard)) : nil
  }

  /// Counters and acks in `nodes`.
  private var entryCount = 0
  private var counts: [NodeID: UInt64] = [:]
  private var emergencies = JoinedEmergency()

  /// Makes the state of a mesh of which nothing was heard.
  package init(appliesDeltas: Bool = false) { self.appliesDeltas = appliesDeltas }

  /// The joined counter, ascending by node.
  package var counter: GCounter {
    GCounter(counts.map { GCounter.Entry(node: $0.key, count: $0.value) })
  }

  /// The joined count of one node, 0 where none is known.
  package func count(of node: NodeID) -> UInt64 { counts[node] ?? 0 }

  /// The joined emergency.
  package var emergency: EmergencyEvent? { emergencies.event }

  /// Whether nodes were left out because the limit was reached.
  package var isFull: Bool {
    counts.count >= MeshState.maximumNodes || nodes.count >= MeshState.maximumNodes
  }

  /// Takes a message in; nil where it holds nothing that is joined.
  ///
  /// The caller leaves out what was refused, cancelled or cut.
  package mutating func join(_ message: Message, at time: Timestamp) -> Effect? {
    guard let payload = message.dispatched else { return nil }
    switch payload.body {
    case .document(let decoded):
      return join(decoded, at: time)
    case .delta(let delta):
      guard appliesDeltas else { return nil }
      return join(delta)
    case .none, .encrypted, .peerEncrypted, .keyExchange, .relay, .canned, .app, .markers, .chat,
      .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      return nil
    }
  }

  /// Takes a document in.
  package mutating func join(_ decoded: DecodedDocument, at time: Timestamp) -> Effect {
    messages += 1
    var firstSeen: [Update] = []
    var isChanged = false
    let document = decoded.document
    let event = take(decoded, at: time, &firstSeen)
    for entry in document.counter.entries
    where raise(entry.node, to: entry.count, &firstSeen) {
      isChanged = true
    }
    if let event {
      firstSeen.append(.event(document.node, event.type, time: event.time))
    }
    if let emergency = document.emergency {
      if emergencies.join(emergency, firstSeen: &firstSeen) { isChanged = true }
    }
    return Effect(isChanged: isChanged, firstSeen: firstSeen, meshTotal: total)
  }

  private mutating func take(
    _ decoded: DecodedDocument, at time: Timestamp, _ firstSeen: inout [Update]
  ) -> PeripheralEvent? {
    let node = decoded.document.node
    if let index = nodes.index(forKey: node) {
      let before = nodes.values[index].entryCount
      defer { entryCount += nodes.values[index].entryCount - before }
      nodes.values[index].stretch = stretch
      return nodes.values[index].take(
        decoded, at: time, room: MeshState.maximumEntries - entryCount + before)
    }
    guard nodes.count < MeshState.maximumNodes else { return nil }
    firstSeen.append(.node(node))
    var state = NodeState(node: node, at: time)
    state.stretch = stretch
    let event = state.take(
      decoded, at: time, room: MeshState.maximumEntries - entryCount)
    entryCount += state.entryCount
    nodes[node] = state
    return event
  }

  private mutating func raise(
    _ node: NodeID, to count: UInt64, _ firstSeen: inout [Update]
  ) -> Bool {
    if let index = counts.index(forKey: node) {
      let known = counts.values[index]
      guard count > known else { return false }
      counts.values[index] = count
      total = total &- known &+ count
    } else {
      guard counts.count < MeshState.maximumNodes else { return false }
      counts[node] = count
      guard count > 0 else { return false }
      total = total &+ count
    }
    firstSeen.append(.counter(node, count))
    return true
  }
}

extension MeshState {
  /// Takes a delta's counters and emergency in, with the totals that the reference puts there
  /// (protocol.md 4.9, 7.3).
  private mutating func join(_ delta: DeltaReading) -> Effect {
    messages += 1
    var firstSeen: [Update] = []
    var isChanged = false
    if case .rust(let document) = delta.dialect {
      for operation in document.operations where apply(operation, &firstSeen) {
        isChanged = true
      }
    }
    return Effect(isChanged: isChanged, firstSeen: firstSeen, meshTotal: total)
  }

  private mutating func apply(
    _ operation: DeltaOperation, _ firstSeen: inout [Update]
  ) -> Bool {
    switch operation {
    case .counter(_, let node, let amount, _):
      return node.rawValue != 0 && raise(node, to: amount, &firstSeen)
    case .setEmergency(let source, let time, let peers):
      let acks =
        peers.map { EmergencyEvent.Ack(node: $0, isAcked: false) }
        + [EmergencyEvent.Ack(node: source, isAcked: true)]
      return emergencies.join(
        EmergencyEvent(source: source, time: time, acks: acks), firstSeen: &firstSeen)
    case .acknowledgeEmergency(let node, let time):
      guard let source = emergencies.source(ofTime: time) else { return false }
      return emergencies.join(
        EmergencyEvent(
          source: source, time: time,
          acks: [EmergencyEvent.Ack(node: node, isAcked: true)]),
        firstSeen: &firstSeen)
    case .clearEmergency(let time): return emergencies.clear(time: time)
    case .peripheral, .app: return false
    }
  }
}
