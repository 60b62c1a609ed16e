import PeatDissection
import PeatProtocol
import WireBytes

/// Remembers documents that an MTU cut until they are heard whole (protocol.md 8.2).
struct CutWatch: Sendable {
  /// Nodes whose cut values are watched.
  private static let nodeLimit = 4096
  /// Nanoseconds that the capture must have gone on: else the whole one may be behind its end.
  private static let patience: Int64 = 30_000_000_000

  private struct Cut: Sendable {
    var version: UInt32
    var frames: [Int]
    var time: Int64
    var when: Timestamp?
  }

  private var cuts: [NodeID: Cut] = [:]

  mutating func observe(_ facts: RowFacts) {
    if facts.row.cutBy == .mtu {
      note(facts)
    } else if let document = facts.document?.document, let cut = cuts[document.node],
      Int32(bitPattern: document.version &- cut.version) >= 0
    {
      cuts[document.node] = nil
    }
  }

  /// A cut value has version and node in front, whatever else it has lost.
  private mutating func note(_ facts: RowFacts) {
    let bytes = facts.row.value.payload
    guard let time = facts.time else { return }
    var reader = ByteReader(bytes.rawBytes, layer: .peat)
    guard let version = try? reader.le32(), let node = try? reader.le32() else { return }
    let id = NodeID(rawValue: node)
    guard cuts.count < CutWatch.nodeLimit || cuts[id] != nil else { return }
    var frames = cuts[id]?.frames ?? []
    if frames.count < FindingReport.frameLimit { frames.append(facts.frame) }
    cuts[id] = Cut(version: version, frames: frames, time: time, when: facts.row.value.time)
  }

  func conclude(_ capture: CaptureEnd) -> [EndFinding] {
    guard let end = capture.lastTime?.nanoseconds else { return [] }
    return cuts.sorted { $0.key < $1.key }.compactMap { node, cut in
      let (age, overflow) = end.subtractingReportingOverflow(cut.time)
      guard !overflow, age > CutWatch.patience else { return nil }
      return EndFinding(
        .lostByMTU,
        "node \(node)'s version \(cut.version) was cut, and no later one was heard whole",
        node: node, frames: cut.frames, time: cut.when)
    }
  }
}
