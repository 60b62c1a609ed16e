import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline
import WireBytes

/// The data of a page as one JSON object: columns, not records; times in microseconds from the first
/// packet; nodes, files and payloads by their places. `assets/data.js` reads it.
struct ReportData {
  /// Connections, and findings, of a page.
  static let linkLimit = 1000
  static let itemLimit = 400

  let input: ReportInput
  let nodes: ReportNodes

  init(_ input: ReportInput) {
    self.input = input
    nodes = ReportNodes(input)
  }

  func append(to text: inout OutputText) {
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.field("tool", input.tool)
    text.field("command", ReportText.cut(input.command, to: 4000))
    appendFiles(to: &text)
    text.field("start", input.axis.start.map { $0.nanoseconds / 1000 })
    text.field("date", input.axis.start.map(ReportData.date))
    text.field("span", input.timeline.hasTimes ? span : input.timeline.messages * 1_000_000)
    text.field("timed", input.timeline.hasTimes)
    text.field("steps", list: input.axis.steps) { step, text in
      text.append("[")
      text.append(decimal: step.at)
      text.append(",")
      text.append(decimal: step.shift)
      text.append("]")
    }
    text.field("messages", input.timeline.messages)
    text.field("answers", list: ReportAnswers(input, nodes).cards) { card, text in
      text.append("{\"verdict\":")
      text.append(jsonString: card.verdict.rawValue)
      text.field("question", card.question)
      text.field("title", card.title)
      text.field("text", card.text)
      text.field("link", card.link)
      text.append("}")
    }
    appendNodes(to: &text)
    appendTimeline(to: &text)
    appendEmergencies(to: &text)
    appendSpread(to: &text)
    appendLinks(to: &text)
    appendFindings(to: &text)
    appendReceivers(to: &text)
    text.append("}")
  }

  private var span: Int {
    let links = input.links.flatMap { [microseconds($0.facts.closed, $0.file, $0.facts.lastFrame)] }
    let marks = input.timeline.marks.last?.at ?? 0
    let end = input.view.elapsed.map { Int($0 / 1000) } ?? 0
    return max(1, marks, end, links.compactMap { $0 }.max() ?? 0)
  }

  private static func date(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 16)
    text.append(date: CivilTime(time))
    return String(decoding: text.slice, as: UTF8.self)
  }

  func microseconds(_ time: Timestamp?, _ file: String, _ frame: Int) -> Int? {
    input.axis.microseconds(time, file: file, frame: frame)
  }

  // MARK: - Capture and nodes

  private func appendFiles(to text: inout OutputText) {
    text.field("files", list: input.files) { file, text in
      text.append("{\"name\":")
      text.append(jsonString: ReportText.cut(file.name, to: 300))
      text.field("size", file.size)
      text.field("sha256", file.digest)
      text.field("packets", file.packets)
      text.field("first", file.first)
      text.field("last", file.last)
      text.field("silence", file.silence.map { ReportText.cut($0, to: 600) })
      text.append("}")
    }
  }

  private func appendNodes(to text: inout OutputText) {
    text.field("heard", nodes.heard)
    text.field("nodes_left_out", nodes.leftOut)
    let state = input.view.state
    text.field("total", "\(state.total)")
    text.field("nodes", list: nodes.ids) { node, text in
      let known = state.nodes[node]
      let told = known?.peripheral
      let sighting = input.view.sightings[node]
      text.append("{\"id\":")
      text.append(json: node)
      text.field(
        "name", input.callsign(node).flatMap { $0.isEmpty ? nil : ReportText.cut($0, to: 48) })
      text.field("messages", input.timeline.counts[node] ?? 0)
      text.field("count", "\(state.count(of: node))")
      text.field("total", known.map { "\($0.document.counter.total)" })
      text.field("version", known?.newest.version)
      text.field("platform", sighting?.platform?.rawValue)
      text.field("type", told?.type.name)
      text.field("battery", told?.health.battery)
      text.field("activity", told?.health.activity.name)
      text.field("alerts", told.flatMap { $0.health.alerts.names.joined(separator: ", ") })
      text.field("last", known.map(\.lastHeard))
      if let time = input.view.time, let known, let age = state.age(of: known, at: time) {
        text.append(key: "age")
        text.append(seconds: age, decimals: 6)
      }
      if let address = sighting?.address {
        text.field("address", address.description)
        text.field("advertised", input.view.name(at: address).map { ReportText.cut($0, to: 48) })
      }
      appendTrack(node, to: &text)
      text.append("}")
    }
  }

  private func appendTrack(_ node: NodeID, to text: inout OutputText) {
    let tracks = input.timeline.tracks
    if let fixes = tracks.fixes[node] {
      text.field("fixes", tracks.fixCounts[node] ?? fixes.count)
      text.field("track", list: fixes) { fix, text in
        text.append(float: fix.latitude)
        text.append(",")
        text.append(float: fix.longitude)
      }
    }
    if let lags = tracks.lags[node] {
      text.field("lag", list: lags) { lag, text in
        text.append(decimal: lag.at)
        text.append(",")
        text.append(decimal: lag.behind)
      }
    }
  }

  // MARK: - Emergencies

  private func appendEmergencies(to text: inout OutputText) {
    text.field("emergencies", list: input.stories.prefix(ReportData.itemLimit)) { story, text in
      text.append("{\"source\":")
      text.append(decimal: nodes[story.identity.source])
      text.field("stamp", "\(story.identity.time)")
      text.field("type", story.type)
      text.field("mesh", story.mesh.map { ReportText.cut($0, to: 48) })
      text.field("raised", at(story.raised, story.firstSeen))
      text.field("raised_by", story.raisedBy.rawValue)
      text.field("first", place(story.firstSeen))
      text.field("last_ack", lastAck(story))
      text.field("end", end(story))
      text.field("acked", story.ackedCount)
      text.field("audience", story.audience.count)
      text.field("verdict", ReportText.cut(input.words.verdict(story), to: 2000))
      text.field("ending", input.words.ending(story).map { ReportText.cut($0, to: 600) })
      text.field("captures", story.captures)
      text.field("nodes", list: story.nodes.prefix(ReportData.itemLimit)) {
        append($0, story, to: &$1)
      }
      text.append("}")
    }
  }

  private func append(_ node: EmergencyNode, _ story: EmergencyStory, to text: inout OutputText) {
    text.append("{\"node\":")
    text.append(decimal: nodes[node.node])
    text.field(
      "outcome", node.node == story.identity.source ? "source" : node.outcome.rawValue)
    text.field("audience", node.isAudience)
    text.field("hearsay", node.isHearsay)
    text.field("carried", node.carried.map(place))
    text.field("told", node.told.map(place))
    if let told = node.told { text.field("by", nodes[told.author]) }
    text.field("acked", node.acked.map { place($0.sighted) })
    if let acked = node.acked { text.field("through", nodes[acked.through]) }
    text.field("why", node.evidence?.reason.rawValue)
    text.field("text", input.words.text(node, story).map { ReportText.cut($0, to: 600) })
    if let evidence = node.evidence {
      text.field("file", evidence.file.map { input.axis.place(of: $0) })
      text.field("frames", frames: evidence.frames)
    }
    text.field("down", list: node.downs.prefix(16)) { gap, text in
      text.append("{\"from\":")
      text.append(decimal: microseconds(gap.from, gap.file, gap.frames.first ?? 0) ?? 0)
      text.field("until", microseconds(gap.until, gap.file, gap.frames.last ?? 0))
      text.field("reason", gap.end.map { LinkText.words($0) })
      text.field("file", input.axis.place(of: gap.file))
      text.field("frames", frames: gap.frames)
      text.field("other", nodes[gap.other])
      text.append("}")
    }
    text.append("}")
  }

  /// When it was raised, on the axis of the first sighting.
  private func at(_ time: Timestamp?, _ sighted: Sighted) -> Int? {
    microseconds(time, sighted.file, sighted.frame)
  }

  private func lastAck(_ story: EmergencyStory) -> Int? {
    story.nodes.compactMap { node in
      node.acked.flatMap { at($0.sighted.time, $0.sighted) }
    }.max()
  }

  /// Where a later one took its place, or the last cleared it; nil while somebody still carries it.
  private func end(_ story: EmergencyStory) -> Int? {
    if let later = story.supersededBy,
      let next = input.stories.first(where: { $0.identity == later })
    {
      return at(next.firstSeen.time, next.firstSeen)
    }
    guard story.standing.isEmpty else { return nil }
    return story.cleared.compactMap { at($0.sighted.time, $0.sighted) }.max()
  }

  private func place(_ sighted: Sighted) -> [Int] {
    [at(sighted.time, sighted) ?? -1, input.axis.place(of: sighted.file), sighted.frame]
  }

  // MARK: - Spread

  private func appendSpread(to text: inout OutputText) {
    let report = input.convergence
    let spread = ReportSpread(input, nodes)
    text.append(key: "spread")
    text.append("{\"updates\":")
    text.append(decimal: report.updates.count)
    text.field("complete", report.complete)
    text.field("partial", report.partial)
    text.field("alone", report.alone)
    text.field("incomplete", report.isFull)
    append(report.delay, as: "delay", to: &text)
    append(report.timeToAll, as: "all", to: &text)
    text.field("bytes", report.bytes)
    text.field("redundant", report.redundantBytes)
    text.field("rows", list: spread.rows) { $1.append(decimal: nodes[$0]) }
    text.field("columns", list: spread.columns) { $1.append(decimal: nodes[$0]) }
    text.field("cells", list: spread.cells.flatMap { $0 }) { cell, text in
      text.append("[")
      if let delay = cell.delay {
        text.append(decimal: delay.median / 1000)
        text.append(",")
        text.append(decimal: delay.p95 / 1000)
        text.append(",")
        text.append(decimal: delay.count)
        text.append(",")
      } else {
        text.append("0,0,0,")
      }
      text.append(decimal: cell.brought)
      text.append("]")
    }
    text.field("strips", list: spread.strips) { $1.append(jsonString: $0) }
    text.field("per_column", spread.perColumn)
    text.field("learning", list: report.nodes.filter { nodes[$0.node] >= 0 }) { node, text in
      text.append("{\"node\":")
      text.append(decimal: nodes[node.node])
      text.field("updates", node.updates)
      text.field("learnt", node.learnt)
      text.field("missed", node.missed)
      append(node.delay, as: "delay", to: &text)
      text.append("}")
    }
    text.append("}")
  }

  private func append(_ delay: Quantiles?, as key: StaticString, to text: inout OutputText) {
    guard let delay else { return }
    text.field(key, list: [delay.median, delay.p95, delay.worst]) {
      $1.append(decimal: $0 / 1000)
    }
  }
}

extension OutputText {
  mutating func field(_ key: StaticString, _ place: [Int]?) {
    guard let place else { return }
    field(key, list: place) { $1.append(decimal: $0) }
  }
}
