import MeshDissection
import PeatDissection
package import PeatProtocol
package import PeatReplay
package import PeatTimeline
package import WireBytes

/// What a run has counted, for the lines behind the timeline.
package struct RunCounts: Sendable {
  package var byKind: [(kind: MessageKind, count: Int)] = []
  package var messages = 0
  package var shown = 0
  package var sent = 0
  package var messagesByNode: [NodeID: Int] = [:]
  package var problems: [(code: String, count: Int)] = []
  /// Messages of meshes, by layer.
  package var mesh: [(layer: String, count: Int)] = []

  /// Messages of firmware upgrades.
  package var upgrades = 0

  package init() {}

  /// Counts a firmware upgrade's message.
  package mutating func count(_ row: UpgradeRow) {
    upgrades += 1
    for finding in row.findings { countProblem(finding.code.rawValue) }
  }

  /// Counts a mesh's message.
  package mutating func count(_ row: MeshRow) {
    let layer = row.message.layer.rawValue
    if let index = mesh.firstIndex(where: { $0.layer == layer }) {
      mesh[index].count += 1
    } else {
      mesh.append((layer, 1))
    }
    for finding in row.findings { countProblem(finding.code.rawValue) }
  }

  package mutating func count(_ row: TimelineRow) {
    messages += 1
    if row.value.direction.isFromLocal { sent += 1 }
    if let index = byKind.firstIndex(where: { $0.kind == row.message.kind }) {
      byKind[index].count += 1
    } else {
      byKind.append((row.message.kind, 1))
    }
    if let node = row.message.node,
      messagesByNode[node] != nil || messagesByNode.count < MeshState.maximumNodes
    {
      messagesByNode[node, default: 0] += 1
    }
    // A step of the clock is counted as a notice.
    for finding in row.findings where finding.code != .clockStep {
      countProblem(finding.code.rawValue)
    }
    if row.message.kind == .malformed { countProblem("malformed") }
    if let outcome = row.value.outcome { countProblem(outcome.name) }
  }

  package mutating func countProblem(_ code: String) {
    if let index = problems.firstIndex(where: { $0.code == code }) {
      problems[index].count += 1
    } else {
      problems.append((code, 1))
    }
  }
}

/// What is told of the captures themselves.
package struct CaptureFacts: Sendable {
  package var frames = 0
  package var connections = 0
  package var unresolved = 0
  package var first: Timestamp?
  package var last: Timestamp?
  /// Nanoseconds from first to last, without what steps of a clock add.
  package var elapsed: Int64?
  package var peatAdvertisers = 0
  /// Why there is no message, where that is known better than from these numbers.
  package var silence: String?

  package init() {}
}

extension MeshState {
  /// Nodes that only others' documents tell of, ascending.
  var hearsay: [NodeID] {
    var unheard = Set(counter.entries.map(\.node))
    if let emergency { unheard.formUnion(emergency.acks.map(\.node) + [emergency.source]) }
    return unheard.filter { nodes[$0] == nil && $0.rawValue != 0 }.sorted()
  }
}

/// The lines behind the timeline: span, nodes with their last state, messages by kind, problems.
package struct TextSummary: Sendable {
  package var style: TextStyle
  package var counts: RunCounts
  package var facts: CaptureFacts
  /// Nodes that are named of those only heard of.
  private static let hearsayLimit = 16

  package init(style: TextStyle, counts: RunCounts, facts: CaptureFacts) {
    self.style = style
    self.counts = counts
    self.facts = facts
  }

  package func append(
    state: MeshState, name: (NodeID) -> String, to text: inout OutputText
  ) {
    text.append("\n")
    appendSpan(to: &text)
    appendMessages(to: &text)
    appendNodes(state, to: &text)
    appendMesh(state, name: name, to: &text)
    if !counts.mesh.isEmpty {
      let layers = counts.mesh.map { "\($0.layer) \($0.count)" }.joined(separator: ", ")
      wrapped("Bluetooth mesh: \(layers)", to: &text)
    }
    if counts.upgrades > 0 {
      wrapped(
        "firmware upgrades: \(counted(counts.upgrades, "SMP message"))"
          + "; 'peat-inspect upgrades' tells their story", to: &text)
    }
    appendProblems(to: &text)
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content)
    text.append("\n")
  }

  /// A sentence, broken between words where the terminal ends.
  private func wrapped(
    _ content: String, _ paint: TextStyle.Paint? = nil, to text: inout OutputText
  ) {
    for part in content.broken(to: style.columns) {
      line(paint.map { style.paint(part, $0) } ?? part, to: &text)
    }
  }

  private func appendSpan(to text: inout OutputText) {
    var span = OutputText(capacity: 80)
    if let first = facts.first, let last = facts.last {
      let elapsed = facts.elapsed ?? max(0, last.nanoseconds(since: first))
      span.append(seconds: elapsed, decimals: 1)
      span.append(" s from ")
      span.append(date: style.civil(first))
      span.append(" ")
      span.append(clock: style.civil(first), decimals: 0)
      span.append(raw: " \(style.zoneName(first)), ")
    }
    span.append(raw: counted(facts.frames, "packet"))
    span.append(", ")
    span.append(raw: counted(facts.connections, "connection"))
    wrapped(String(decoding: span.slice, as: UTF8.self), .bold, to: &text)
  }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private func appendMessages(to text: inout OutputText) {
    guard counts.messages > 0 else {
      wrapped(whyNothing, to: &text)
      return
    }
    let kinds = counts.byKind.sorted { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }
      .map { "\($0.kind.rawValue) \($0.count)" }
    let shown = counts.shown == counts.messages ? "" : " (\(counts.shown) shown)"
    wrapped(
      "\(counted(counts.messages, "message"))\(shown), \(counts.sent) sent, "
        + "\(counts.messages - counts.sent) received: \(kinds.joined(separator: ", "))", to: &text)
    if counts.shown == 0 {
      wrapped(
        "nothing matches the options; span and nodes of the whole capture stand here to compare",
        .warning, to: &text)
    }
  }

  /// Why the timeline is empty, and what to do.
  private var whyNothing: String {
    if let silence = facts.silence { return "no Peat message: \(silence)" }
    var text = "no Peat message: "
    if facts.connections == 0 {
      text += "no LE connection in this capture"
      if facts.peatAdvertisers > 0 {
        text += "; \(counted(facts.peatAdvertisers, "device")) advertised Peat"
      }
    } else if facts.unresolved > 0 {
      text +=
        "\(counted(facts.unresolved, "value")) came on handles that no discovery in the capture "
        + "names; record from before the connection, or say which one it is with --handle"
    } else {
      text +=
        "no discovered characteristic is a Peat document (f47b, f47a0003-…); "
        + "add another one with --characteristic"
    }
    return text
  }

  private func appendNodes(_ state: MeshState, to text: inout OutputText) {
    guard !state.nodes.isEmpty else { return }
    let isNarrow = style.columns < 80
    let header =
      "NODE      " + "CALLSIGN".padded(to: 12) + "  COUNTER  VERSION  BATTERY"
      + (isNarrow ? "" : "  " + "POSITION".padded(to: 19) + "  AGE")
    line(style.paint(header, .faint), to: &text)
    for node in state.nodes.keys.sorted() {
      guard let known = state.nodes[node] else { continue }
      line(row(node, known, state, isNarrow: isNarrow), to: &text)
    }
    let unheard = state.hearsay
    for node in unheard.prefix(TextSummary.hearsayLimit) {
      line(
        "\(node)  " + "(hearsay)".padded(to: 12) + "  "
          + "\(state.counter[node])".cut(to: 7).rightAligned(to: 7), to: &text)
    }
    if unheard.count > TextSummary.hearsayLimit {
      line("and \(unheard.count - TextSummary.hearsayLimit) more by hearsay", to: &text)
    }
  }

  private func row(
    _ node: NodeID, _ known: NodeState, _ state: MeshState, isNarrow: Bool
  ) -> String {
    let callsign = known.peripheral?.callsign.text.replacingUnsafeCharacters() ?? ""
    let battery = known.peripheral.flatMap { $0.health.battery > 0 ? $0.health.battery : nil }
    var text =
      "\(node)  " + callsign.cut(to: 12).padded(to: 12) + "  "
      + "\(state.count(of: node))".cut(to: 7).rightAligned(to: 7) + "  "
      + "\(known.newest.version)".cut(to: 7).rightAligned(to: 7) + "  "
      + (battery.map { "\($0)%" } ?? "-").rightAligned(to: 7)
    if !isNarrow {
      let position = known.peripheral?.location?.shortText ?? "-"
      text += "  " + position.cut(to: 19).padded(to: 19) + "  " + ago(known, state)
    }
    return text
  }

  /// How long before the capture's end.
  private func ago(_ node: NodeState, _ state: MeshState) -> String {
    guard let last = facts.last else { return "" }
    guard let age = state.age(of: node, at: last) else { return "-" }
    var text = OutputText(capacity: 16)
    text.append(seconds: age, decimals: 1)
    text.append(" s")
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func appendMesh(
    _ state: MeshState, name: (NodeID) -> String, to text: inout OutputText
  ) {
    guard state.messages > 0 else { return }
    line("mesh total \(state.total)", to: &text)
    guard let emergency = state.emergency else { return }
    let known = name(emergency.source)
    let id = known == "\(emergency.source)" ? "" : " (\(emergency.source))"
    var content = "!!! EMERGENCY from \(known)\(id): "
    content += "ACK \(emergency.acked.count) of \(emergency.acks.count)"
    let waiting = emergency.pending.map(name)
    content +=
      waiting.isEmpty ? ", all acked" : ", waiting for \(waiting.joined(separator: ", "))"
    wrapped(content, waiting.isEmpty ? .warning : .alarm, to: &text)
  }

  private func appendProblems(to text: inout OutputText) {
    guard !counts.problems.isEmpty else { return }
    let list = counts.problems.map { "\($0.code) \($0.count)" }.joined(separator: ", ")
    wrapped("problems: \(list)", .bad, to: &text)
  }
}
