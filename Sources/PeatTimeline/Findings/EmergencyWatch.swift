import PeatProtocol

/// Follows the emergency that each node's documents show (protocol.md 4.3).
struct EmergencyWatch: Sendable {
  /// Nodes whose emergencies are watched.
  private static let nodeLimit = 4096
  private static let sourceLimit = 1024

  private struct Identity: Hashable, Sendable {
    var source: NodeID
    var time: UInt64

    init(_ event: EmergencyEvent) {
      source = event.source
      time = event.time
    }
  }

  private struct Track: Sendable {
    var event: EmergencyEvent?
    var frame: Int
    /// The emergency that was gone from the node's last whole document.
    var cleared: Identity?
  }

  private struct Raised: Sendable {
    var source: NodeID
    var frame: Int
    var isTold = false
  }

  private var tracks: [NodeID: Track] = [:]
  private var byTime: [UInt64: Raised] = [:]

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    // Android's codec has no emergency section: its absence says nothing.
    guard let decoded = facts.document, decoded.kotlin == nil else { return }
    let document = decoded.document
    let node = document.node
    let event = document.emergency
    guard let known = tracks[node] else {
      guard event != nil, tracks.count < EmergencyWatch.nodeLimit else { return }
      tracks[node] = Track(event: event, frame: facts.frame)
      if let event { checkTie(facts, event, &findings) }
      return
    }
    if known.event == event { return }
    var track = known
    if facts.isRestart {
      track = Track(event: event, frame: facts.frame)
    } else if let event {
      checkTie(facts, event, &findings)
      if track.cleared == Identity(event), track.event == nil {
        findings.append(
          Finding(
            .emergencyReturned,
            "the emergency of \(event.source) of \(event.time), which node \(node) had cleared, is "
              + "back",
            otherFrames: [track.frame]))
      }
      if let old = track.event, old.isSame(as: event) {
        checkAcks(node, old, event, track.frame, &findings)
      }
      track = Track(event: event, frame: facts.frame)
    } else if facts.isWhole, let old = track.event {
      track = Track(event: nil, frame: facts.frame, cleared: Identity(old))
    }
    tracks[node] = track
  }

  private func checkAcks(
    _ node: NodeID, _ old: EmergencyEvent, _ new: EmergencyEvent, _ frame: Int,
    _ findings: inout [Finding]
  ) {
    let acked = Set(new.acked)
    guard let lost = old.acked.first(where: { !acked.contains($0) }) else { return }
    findings.append(
      Finding(
        .ackWithdrawn, "node \(node) no longer shows that \(lost) acknowledged",
        otherFrames: [frame]))
  }

  private mutating func checkTie(
    _ facts: RowFacts, _ event: EmergencyEvent, _ findings: inout [Finding]
  ) {
    guard let raised = byTime[event.time] else {
      if byTime.count < EmergencyWatch.sourceLimit {
        byTime[event.time] = Raised(source: event.source, frame: facts.frame)
      }
      return
    }
    guard raised.source != event.source, !raised.isTold else { return }
    byTime[event.time]?.isTold = true
    findings.append(
      Finding(
        .emergencyTie,
        "\(raised.source) and \(event.source) raised emergencies of the same time",
        otherFrames: [raised.frame]))
  }
}
