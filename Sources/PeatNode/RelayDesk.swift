package import PeatProtocol

/// What a relayed message is to this node (protocol.md 7.1, "Receive").
package struct RelayDecision: Equatable, Sendable {
  /// The message as it came.
  package let envelope: RelayEnvelope
  /// The copy for the next hop; nil where relaying is off or no hops are left.
  package let copy: RelayEnvelope?
}

/// Sorts relayed messages into new ones and repetitions.
package struct RelayDesk: Sendable {
  /// What comes of an envelope.
  enum Outcome {
    case repeated(sightings: UInt32)
    case new(RelayDecision)
  }

  /// The messages seen of late.
  package private(set) var seen: SeenMessages
  private let relays: Bool

  /// Makes a desk that has seen nothing.
  package init(relays: Bool, lifetime: UInt64) {
    self.relays = relays
    seen = SeenMessages(lifetime: lifetime)
  }

  mutating func take(_ envelope: RelayEnvelope, now: UInt64) -> Outcome {
    guard mark(envelope.messageID, from: envelope.origin, now: now) else {
      return .repeated(sightings: seen[envelope.messageID]?.count ?? 0)
    }
    return .new(RelayDecision(envelope: envelope, copy: relays ? envelope.relayed : nil))
  }

  /// Notes a sighting; true when it is the first.
  mutating func mark(_ id: RelayMessageID, from origin: NodeID, now: UInt64) -> Bool {
    seen.mark(id, from: origin, at: now)
  }
}
