import PeatProtocol

/// Follows the counts that each node's documents show (protocol.md 4.1).
struct CounterWatch: Sendable {
  /// Nodes whose counters are watched.
  private static let nodeLimit = 2048
  private static let claimLimit = 16_384
  /// More than fingers count between two documents.
  private static let leap: UInt64 = 1_000_000
  /// Nanoseconds in which a node's own documents may lag behind what others have heard of it.
  private static let patience: Int64 = 5_000_000_000

  private struct Track: Sendable {
    var counter: GCounter
    var frame: Int
    /// Documents of the node, and those that came before the latest claim on it.
    var documents = 0
    /// What the claims on it were before its last start.
    var isRestarted = false
  }

  /// The most that other nodes have told of a node.
  private struct Claim: Sendable {
    var count: UInt64
    var author: NodeID
    var time: Int64
    var frame: Int
    /// The node's own count, and its documents, when the claim was made.
    var own: UInt64
    var documents: Int
  }

  private var tracks: [NodeID: Track] = [:]
  private var claims: [NodeID: Claim] = [:]

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    guard let document = facts.document?.document else { return }
    let node = document.node
    let isTracked = tracks[node] != nil
    let before = tracks[node]?.counter
    if before != document.counter {
      checkEntries(facts, document, before ?? GCounter(), isFirst: !isTracked, &findings)
      claim(facts, document)
    }
    guard !facts.isStale && !facts.isRelayed else { return }
    guard isTracked || tracks.count < CounterWatch.nodeLimit else { return }
    var track = tracks[node] ?? Track(counter: document.counter, frame: facts.frame)
    if facts.isRestart {
      track.isRestarted = true
      claims[node] = nil
    }
    track.documents += 1
    track.counter = document.counter
    track.frame = facts.frame
    tracks[node] = track
    checkClaim(facts, document, track, &findings)
  }

  private func checkEntries(
    _ facts: RowFacts, _ document: Document, _ before: GCounter, isFirst: Bool,
    _ findings: inout [Finding]
  ) {
    let node = document.node
    for entry in document.counter.entries {
      let old = before[entry.node]
      if entry.count > old, entry.count - old > CounterWatch.leap {
        findings.append(
          Finding(
            .counterLeap,
            "node \(node) shows \(entry.count) for \(entry.node)"
              + (isFirst || old == 0 ? "" : ", \(old) before")))
        break
      }
    }
    guard !facts.isStale && !facts.isRestart && !facts.isRelayed && !isFirst else { return }
    for entry in before.entries where document.counter[entry.node] < entry.count {
      let now = document.counter[entry.node]
      // A node whose codec has no versions shows a new start only so.
      let isRestart = facts.document?.kotlin != nil && entry.node == node
      findings.append(
        Finding(
          isRestart ? .nodeRestart : .counterRegression,
          isRestart
            ? "node \(node) began anew: its count is \(now) after \(entry.count)"
            : "node \(node) shows \(now) for \(entry.node) after \(entry.count)",
          otherFrames: tracks[node].map { [$0.frame] } ?? []))
      break
    }
  }

  /// Notes what a document tells of other nodes.
  private mutating func claim(_ facts: RowFacts, _ document: Document) {
    guard let time = facts.time else { return }
    for entry in document.counter.entries where entry.node != document.node {
      guard let track = tracks[entry.node] else { continue }
      let own = track.counter[entry.node]
      guard entry.count > own, entry.count > claims[entry.node]?.count ?? 0,
        claims.count < CounterWatch.claimLimit || claims[entry.node] != nil
      else { continue }
      claims[entry.node] = Claim(
        count: entry.count, author: document.node, time: time, frame: facts.frame, own: own,
        documents: track.documents)
    }
  }

  /// A node's own document that still shows less than others told of it a while ago.
  private mutating func checkClaim(
    _ facts: RowFacts, _ document: Document, _ track: Track, _ findings: inout [Finding]
  ) {
    let node = document.node
    guard let claim = claims[node], let time = facts.time else { return }
    if document.counter[node] >= claim.count {
      claims[node] = nil
      return
    }
    let (age, overflow) = time.subtractingReportingOverflow(claim.time)
    guard !overflow, age > CounterWatch.patience, track.documents >= claim.documents + 2,
      !track.isRestarted
    else { return }
    claims[node] = nil
    findings.append(
      Finding(
        .ownCounterRaised,
        "node \(claim.author) told of \(claim.count) for \(node), which itself is at "
          + "\(document.counter[node])", otherFrames: [claim.frame]))
  }
}
