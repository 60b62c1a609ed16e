import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline
import WireBytes

/// Counts what a live run sees, for `--metrics`.
struct MonitorMetrics {
  /// Nodes whose last message is remembered; of more, the longest silent is forgotten.
  private static let nodeLimit = 4096
  /// Nodes that have series of their own: those heard last.
  static let nodeSeriesLimit = 256
  /// A node is present while its last message is no older.
  static let presence: UInt64 = 60_000_000_000
  /// Upper bounds of the convergence histogram in seconds.
  static let bounds = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800]

  private struct Heard {
    var last: UInt64
    var messages = 0
  }

  private var nodes: [NodeID: Heard] = [:]
  private var kinds: [MessageKind: Int] = [:]
  private var findings: [String: Int] = [:]
  private var changes = 0
  private var knowledge = Knowledge()
  private var delayCounts = [Int](repeating: 0, count: MonitorMetrics.bounds.count + 1)
  private var delayCount = 0
  private var delaySum: Int64 = 0

  /// Takes a message that came at `moment` of the input.
  mutating func take(_ row: TimelineRow, at moment: UInt64) {
    kinds[row.message.kind, default: 0] += 1
    if row.effect.isChanged { changes += 1 }
    for finding in row.findings { countFinding(finding.code.rawValue) }
    if let node = row.message.node { hear(node, at: moment) }
    spread(row)
  }

  /// Takes a finding, also one that belongs to no message.
  mutating func countFinding(_ code: String) { findings[code, default: 0] += 1 }

  private mutating func hear(_ node: NodeID, at moment: UInt64) {
    if nodes[node] == nil, nodes.count >= MonitorMetrics.nodeLimit,
      let silent = nodes.min(by: { $0.value.last < $1.value.last })
    {
      nodes[silent.key] = nil
    }
    nodes[node, default: Heard(last: moment)].last = moment
    nodes[node]?.messages += 1
  }

  /// Measures how long each piece of news took to whoever shows it now, as `convergence` does.
  private mutating func spread(_ row: TimelineRow) {
    guard row.value.opcode != .advertisement, row.value.outcome == nil, row.cutBy != .capture,
      let time = row.value.time, let decoded = row.message.dispatchedDocument
    else { return }
    let isWhole = row.cutBy == nil && !decoded.dropped.contains { $0.section == .emergency }
    let stamp = Stamp(time: time, capture: 0, frame: row.value.frame)
    for place in knowledge.take(decoded.document, isWhole: isWhole, at: stamp) {
      let spread = knowledge.spreads[place]
      // Who showed the news first took no time for it.
      guard spread.author != decoded.document.node else { continue }
      observe(max(0, time.nanoseconds(since: spread.first.time)))
    }
  }

  private mutating func observe(_ delay: Int64) {
    let index = MonitorMetrics.bounds.firstIndex { Double(delay) <= $0 * 1e9 }
    delayCounts[index ?? MonitorMetrics.bounds.count] += 1
    delayCount += 1
    delaySum &+= delay
  }

  /// The text exposition, format 0.0.4.
  func exposition(of engine: MonitorEngine, alerts: Int) -> [UInt8] {
    var text = MetricsText()
    appendTraffic(engine, to: &text)
    appendNodes(engine, to: &text)
    appendConvergence(to: &text)
    let emergency = engine.timeline.state.emergency
    text.family("peat_emergency_active", .gauge, "Whether the mesh knows of an emergency")
    text.sample(value: emergency == nil ? "0" : "1")
    text.family("peat_emergency_pending", .gauge, "Nodes that have not acknowledged it")
    text.sample(value: "\(emergency?.pending.count ?? 0)")
    text.family("peat_inspect_alerts_total", .counter, "Alerts of --on")
    text.sample(value: "\(alerts)")
    return text.bytes
  }

  private func appendTraffic(_ engine: MonitorEngine, to text: inout MetricsText) {
    text.family("peat_messages_total", .counter, "Peat messages by kind")
    for (kind, count) in kinds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      text.sample(labels: [("kind", kind.rawValue)], value: "\(count)")
    }
    text.family("peat_changes_total", .counter, "Messages that changed the mesh's state")
    text.sample(value: "\(changes)")
    text.family("peat_findings_total", .counter, "Findings by code")
    for (code, count) in findings.sorted(by: { $0.key < $1.key }) {
      text.sample(labels: [("code", code)], value: "\(count)")
    }
    text.family("peat_inspect_packets_total", .counter, "Packets read")
    text.sample(value: "\(engine.frames)")
    text.family("peat_inspect_read_bytes_total", .counter, "Bytes of the packets read")
    text.sample(value: "\(engine.bytes)")
    text.family("peat_inspect_kernel_drops_total", .counter, "Packets lost before they were read")
    text.sample(value: "\(engine.drops)")
    text.family(
      "peat_inspect_unrecorded_packets_total", .counter, "Packets the recording could not hold")
    text.sample(value: "\(engine.unrecorded)")
  }

  private func appendNodes(_ engine: MonitorEngine, to text: inout MetricsText) {
    func age(_ heard: Heard) -> UInt64 { engine.now > heard.last ? engine.now - heard.last : 0 }
    text.family("peat_nodes_known", .gauge, "Nodes whose documents were heard")
    text.sample(value: "\(engine.timeline.state.nodes.count)")
    text.family("peat_nodes_present", .gauge, "Nodes heard in the last 60 seconds")
    text.sample(value: "\(nodes.values.count { age($0) <= MonitorMetrics.presence })")
    let shown = nodes.sorted { ($1.value.last, $0.key) < ($0.value.last, $1.key) }
      .prefix(MonitorMetrics.nodeSeriesLimit)
    text.family("peat_node_age_seconds", .gauge, "Time since the node's last message")
    for (node, heard) in shown {
      text.sample(
        labels: [("node", "\(node)")],
        value: MetricsText.seconds(Int64(clamping: age(heard))))
    }
    text.family("peat_node_messages_total", .counter, "Messages of the node")
    for (node, heard) in shown {
      text.sample(labels: [("node", "\(node)")], value: "\(heard.messages)")
    }
  }

  private func appendConvergence(to text: inout MetricsText) {
    text.family(
      "peat_convergence_seconds", .histogram,
      "Time from the first appearance of news until another node showed it")
    var sum = 0
    for (index, count) in delayCounts.enumerated() {
      sum += count
      let bound = index < MonitorMetrics.bounds.count ? "\(MonitorMetrics.bounds[index])" : "+Inf"
      text.sample("_bucket", labels: [("le", bound)], value: "\(sum)")
    }
    text.sample("_sum", value: MetricsText.seconds(delaySum))
    text.sample("_count", value: "\(delayCount)")
    text.family(
      "peat_inspect_convergence_full", .gauge, "Whether more news came than can be followed")
    text.sample(value: knowledge.isFull ? "1" : "0")
  }
}
