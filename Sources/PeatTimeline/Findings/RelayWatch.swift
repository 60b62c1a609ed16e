import PeatProtocol

/// Follows relayed messages by their ids (protocol.md 7.1).
struct RelayWatch: Sendable {
  private static let memory = 4096
  /// Origins whose relayed messages are watched.
  private static let originLimit = 1024

  private struct Sighting: Sendable {
    var flow: Flow
    var frame: Int
  }

  private struct Origin: Sendable {
    var frames: [Int]
    var hops: UInt8
  }

  private var seen = RecentTable<RelayMessageID, Sighting>(limit: memory)
  private var origins: [NodeID: Origin] = [:]

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    guard case .relay(let envelope) = facts.row.message.body else { return }
    if !envelope.canRelay {
      findings.append(
        Finding(
          .relayExpired,
          "the envelope has made \(envelope.hopCount) of \(envelope.maximumHops) hops"))
    }
    if envelope.hopCount > 0 { note(envelope, facts.frame) }
    let sighting = Sighting(flow: Flow(facts.row), frame: facts.frame)
    guard let earlier = seen[envelope.messageID] else {
      seen.set(envelope.messageID, sighting)
      return
    }
    // It may be passed on to several peers, but never come in where it was or went out before.
    let hasReturned = earlier.flow.isFromLocal && !sighting.flow.isFromLocal
    if hasReturned || earlier.flow == sighting.flow {
      findings.append(
        Finding(
          .relayLoop,
          "the message with id \(envelope.messageID) was seen in frame \(earlier.frame)",
          otherFrames: [earlier.frame]))
    }
  }

  private mutating func note(_ envelope: RelayEnvelope, _ frame: Int) {
    if origins[envelope.origin] == nil {
      guard origins.count < RelayWatch.originLimit else { return }
      origins[envelope.origin] = Origin(frames: [], hops: envelope.hopCount)
    }
    if let count = origins[envelope.origin]?.frames.count, count < FindingReport.frameLimit {
      origins[envelope.origin]?.frames.append(frame)
    }
  }

  func conclude(_ isKnown: (NodeID) -> Bool) -> [EndFinding] {
    origins.filter { !isKnown($0.key) }.sorted { $0.key < $1.key }.map { node, origin in
      EndFinding(
        .relayOrphan, "node \(node) is heard only through relays, \(origin.hops) hops away",
        node: node, frames: origin.frames)
    }
  }
}
