package import PeatProtocol

extension MeshNode {
  /// A message of this node's own for passing on over several hops (protocol.md 7.1).
  package func wrapped(_ payload: [UInt8]) -> RelayEnvelope {
    RelayEnvelope(
      origin: configuration.node, messageID: randomness.messageID(), payload: payload,
      maximumHops: configuration.maximumHops)
  }

  /// Takes an envelope from a neighbour; nil for a repetition and for bytes that are none.
  package mutating func takeEnvelope(
    _ bytes: [UInt8], from neighbour: NodeID?, now: UInt64
  ) -> RelayDecision? {
    guard let envelope = try? RelayEnvelope(bytes: bytes) else { return nil }
    let origin = envelope.origin
    if let neighbour, origin != neighbour, origin != configuration.node {
      graph.heard(origin, by: neighbour, hops: envelope.hopCount, now: now)
    }
    switch relayDesk.take(envelope, now: now) {
    case .repeated(let sightings):
      events.append(.duplicateDropped(origin: origin, sightings: sightings))
      return nil
    case .new(let decision):
      if !envelope.canRelay {
        events.append(.hopsExpired(origin: origin, hopCount: envelope.hopCount))
      }
      return decision
    }
  }

  /// Peers with a link that a message is passed on to: all but the one that it came from, and of
  /// many only as many as the fan-out, at random.
  package func relayTargets(excluding source: NodeID?) -> [NodeID] {
    var rest = peers.connected.map(\.node).filter { $0 != source }
    guard rest.count > configuration.fanOut else { return rest }
    var targets: [NodeID] = []
    while targets.count < configuration.fanOut, !rest.isEmpty {
      targets.append(rest.remove(at: randomness.index(rest.count) % rest.count))
    }
    return targets
  }

  /// Notes a sighting of a message; true when it is the first.
  package mutating func markSeen(_ id: RelayMessageID, from node: NodeID, now: UInt64) -> Bool {
    relayDesk.mark(id, from: node, now: now)
  }

  /// Whether a message was seen.
  package func hasSeen(_ id: RelayMessageID) -> Bool { relayDesk.seen.contains(id) }

  /// Whether an application's message of a node and time was not seen yet (protocol.md 7.2).
  package func isNewCanned(from node: NodeID, timestamp: UInt64) -> Bool {
    !hasSeen(MeshNode.cannedID(node, timestamp))
  }

  /// Notes that an application's message was seen.
  package mutating func markCanned(from node: NodeID, timestamp: UInt64, now: UInt64) {
    _ = markSeen(MeshNode.cannedID(node, timestamp), from: node, now: now)
  }

  private static func cannedID(_ node: NodeID, _ timestamp: UInt64) -> RelayMessageID {
    RelayMessageID(origin: node, timestamp: timestamp, payloadHash: 0)
  }
}
