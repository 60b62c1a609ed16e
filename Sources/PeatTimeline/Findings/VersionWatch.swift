import PeatDissection
import PeatProtocol
import WireBytes

/// Follows the version of each node's documents (protocol.md 4.7).
struct VersionWatch: Sendable {
  /// Nodes whose versions are watched.
  static let nodeLimit = 4096
  private static let memory = 16
  /// A document that is so many versions old came late; one that is older belongs to a new start.
  private static let lateness: Int32 = 8

  private struct Known: Sendable, Equatable {
    var version: UInt32
    var content: Int
    var frame: Int
  }

  private struct Track: Sendable {
    var last: Known
    var recent: [Known]
  }

  private var tracks: [NodeID: Track] = [:]
  private var authors: Set<NodeID> = []

  /// Whether a document of the node was heard.
  func knows(_ node: NodeID) -> Bool { authors.contains(node) }

  mutating func observe(_ facts: inout RowFacts, _ findings: inout [Finding]) {
    guard let decoded = facts.document else { return }
    let node = decoded.document.node
    if authors.count < VersionWatch.nodeLimit { authors.insert(node) }
    // Android's codec always says version 1.
    guard decoded.kotlin == nil else { return }
    let known = Known(
      version: decoded.document.version, content: content(facts, decoded), frame: facts.frame)
    guard var track = tracks[node] else {
      if tracks.count < VersionWatch.nodeLimit {
        tracks[node] = Track(last: known, recent: [known])
      }
      return
    }
    if known.version == track.last.version && known.content == track.last.content { return }
    let step = Int32(bitPattern: known.version &- track.last.version)
    if let same = track.recent.first(where: { $0.version == known.version }) {
      facts.isStale = step < 0
      if same.content == known.content {
        if step < 0 { findings.append(old(node, known, track.last)) }
        return
      }
      // A document that the MTU cut is no other content.
      if facts.row.cutBy != nil { return }
      findings.append(
        Finding(
          .versionReused,
          "node \(node) sends version \(known.version) with other content than in frame "
            + "\(same.frame)", otherFrames: [same.frame]))
    } else if step < 0 && known.version > 2 && -Int64(step) <= VersionWatch.lateness {
      facts.isStale = true
      findings.append(old(node, known, track.last))
      return
    } else if step < 0 {
      facts.isRestart = true
      findings.append(
        Finding(
          .nodeRestart,
          "node \(node) began anew: version \(known.version) after \(track.last.version)",
          otherFrames: [track.last.frame]))
      tracks[node] = Track(last: known, recent: [known])
      return
    }
    if step >= 0 { track.last = known }
    if facts.row.cutBy == nil {
      if track.recent.count == VersionWatch.memory { track.recent.removeFirst() }
      track.recent.append(known)
    }
    tracks[node] = track
  }

  private func old(_ node: NodeID, _ known: Known, _ last: Known) -> Finding {
    Finding(
      .oldDocument,
      "node \(node)'s version \(known.version) came behind its version \(last.version)",
      otherFrames: [last.frame])
  }

  private func content(_ facts: RowFacts, _ decoded: DecodedDocument) -> Int {
    facts.row.message.kind == .document
      ? facts.row.value.payload.contentHash : decoded.document.encoded().contentHash
  }
}
