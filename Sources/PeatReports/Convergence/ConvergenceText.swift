package import PeatProtocol
import PeatReplay
import PeatTimeline
package import WireBytes

/// Convergence for reading: the summary, the emergencies, nodes, links, and the slowest updates.
package struct ConvergenceText {
  private static let slowest = 10

  private let printer: ConvergencePrinter
  private let style: TextStyle
  private let callsign: (NodeID) -> String?

  /// Makes the text of a report; `callsign` is what a node calls itself.
  package init(
    _ printer: ConvergencePrinter, style: TextStyle, callsign: @escaping (NodeID) -> String?
  ) {
    self.printer = printer
    self.style = style
    self.callsign = callsign
  }

  private var report: ConvergenceReport { printer.report }

  /// Appends everything.
  package func append(to text: inout OutputText) {
    appendSummary(to: &text)
    for emergency in report.emergencies { append(emergency, to: &text) }
    appendNodes(to: &text)
    appendLinks(to: &text)
    appendUpdates(to: &text)
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content)
    text.append("\n")
  }

  private func heading(_ content: String, to text: inout OutputText) {
    line("", to: &text)
    line(style.paint(content, .faint), to: &text)
  }

  private func legend(_ content: String, to text: inout OutputText) {
    for part in content.broken(to: style.columns) { line(style.paint(part, .faint), to: &text) }
  }

  private func name(_ node: NodeID) -> String {
    guard let callsign = callsign(node), !callsign.isEmpty else { return "\(node)" }
    return callsign.replacingUnsafeCharacters()
  }

  private func name(_ end: LinkEnd, _ node: NodeID?) -> String { node.map(name) ?? "\(end)" }

  private func span(_ nanoseconds: Int64?) -> String { nanoseconds.map(SpanText.text) ?? "-" }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private func instant(_ stamp: Stamp) -> String {
    var text = OutputText(capacity: 40)
    if style.clock == .relative {
      text.append(seconds: printer.elapsed(stamp) ?? 0, decimals: 3)
      text.append(" s")
    } else {
      text.append(clock: style.civil(stamp.time), decimals: 3)
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func appendSummary(to text: inout OutputText) {
    let line = { (content: String, text: inout OutputText) in self.line(content, to: &text) }
    line(
      style.paint(
        "\(counted(report.updates.count, "update")) among \(counted(report.nodes.count, "node")), "
          + "\(report.complete) known to all"
          + (report.partial > 0 ? ", \(report.partial) not" : "")
          + (report.alone > 0 ? ", \(report.alone) before any other node was heard" : ""),
        .bold), &text)
    if let delay = report.delay {
      line(
        "a node knows an update by: median \(span(delay.median)), 95% \(span(delay.p95)), "
          + "worst \(span(delay.worst))", &text)
    }
    if let all = report.timeToAll {
      line(
        "all nodes know it by: median \(span(all.median)), 95% \(span(all.p95)), "
          + "worst \(span(all.worst))", &text)
    }
    var traffic = "\(counted(report.messages, "message")), \(report.bytes) bytes"
    if let bytes = report.bytesPerUpdate { traffic += ", \(bytes) bytes an update" }
    if report.bytes > 0 {
      let percent = ConvergenceReport.quotient(
        report.redundantBytes * 100, report.bytes, decimals: 1)
      traffic += ", \(percent)% told their receiver nothing new"
    }
    line(traffic, &text)
    line("about \(span(report.airTime * 1000)) on the air", &text)
    if report.isFull {
      line(style.paint("more updates or nodes than are followed: the first count", .warning), &text)
    }
  }

  private func append(_ story: ConvergenceReport.EmergencyStory, to text: inout OutputText) {
    let first = story.raised.spread.first
    heading("EMERGENCY of \(name(story.source)) (\(story.source))", to: &text)
    let place = "  raised \(instant(first)), frame \(first.frame) of \(shown(first))"
    line(place.cut(to: style.columns), to: &text)
    let others = story.raised.spread.knowers.map {
      "\(name($0.node)) +\(span(report.delay(of: $0.stamp, since: first)))"
    }
    list("seen by", others, none: "nobody else", to: &text)
    list(
      "never seen by",
      story.raised.never.map(name) + ConvergenceText.more(story.raised), to: &text)
    let acks = story.acks.filter { $0.node != story.source }.map {
      "\(name($0.node)) +\(span(report.delay(of: $0.stamp, since: first)))"
    }
    list("acked by", acks, none: "nobody", to: &text)
    list("not acked by", story.pending.map(name), to: &text)
    if let all = story.timeToAllAcked { line("  all acked after \(span(all))", to: &text) }
    for clear in story.undoneClears {
      line(
        "  cleared by \(name(clear.spread.news.origin)) and back \(instant(clear.spread.first))",
        to: &text)
    }
  }

  private static func more(_ update: ConvergenceReport.UpdateStory) -> [String] {
    let count = update.neverCount - update.never.count
    return count > 0 ? ["and \(count) more"] : []
  }

  private func shown(_ stamp: Stamp) -> String {
    printer.file(stamp).replacingUnsafeCharacters()
  }

  private func list(
    _ title: String, _ items: [String], none: String? = nil, to text: inout OutputText
  ) {
    guard !items.isEmpty else {
      if let none { line("  \(title) \(none)", to: &text) }
      return
    }
    var current = "  \(title)"
    for (index, item) in items.enumerated() {
      let piece = " " + item + (index < items.count - 1 ? "," : "")
      if current.columns + piece.columns > style.columns {
        line(current, to: &text)
        current = "   "
      }
      current += piece
    }
    line(current, to: &text)
  }

  private func columns(_ delay: Quantiles?) -> String {
    // Where every message is itself the first to show its news, there is no delay to tell.
    let delay = delay?.worst == 0 ? nil : delay
    return [delay?.median, delay?.p95, delay?.worst].map { span($0).rightAligned(to: 10) }
      .joined()
  }

  private func appendNodes(to text: inout OutputText) {
    guard !report.nodes.isEmpty else { return }
    heading(
      "NODE".padded(to: 14) + "UPDATES   LEARNT   MISSED"
        + ["MEDIAN", "95%", "WORST"].map { $0.rightAligned(to: 10) }.joined(), to: &text)
    for node in report.nodes {
      line(
        name(node.node).cut(to: 13).padded(to: 14) + "\(node.updates)".rightAligned(to: 7)
          + "\(node.learnt)".rightAligned(to: 9) + "\(node.missed)".rightAligned(to: 9)
          + columns(node.delay), to: &text)
    }
    legend(
      "UPDATES: of the node's own. LEARNT: others' updates that its documents came to show; MISSED: "
        + "those that they never did.", to: &text)
  }

  private func appendLinks(to text: inout OutputText) {
    guard !report.links.isEmpty else { return }
    heading(
      "LINK".padded(to: 28) + "MESSAGES   USEFUL"
        + ["MEDIAN", "95%", "WORST", "LATENCY"].map { $0.rightAligned(to: 10) }.joined(),
      to: &text)
    for link in report.links {
      let title = "\(name(link.link.from, link.from)) > \(name(link.link.to, link.to))"
      line(
        title.cut(to: 27).padded(to: 28) + "\(link.traffic.messages)".rightAligned(to: 8)
          + "\(link.traffic.useful)".rightAligned(to: 9) + columns(link.delay)
          + span(link.latency?.median).rightAligned(to: 10), to: &text)
    }
    legend(
      "USEFUL: messages that told their receiver something it was not seen to know. - in a delay: "
        + "nothing was late.", to: &text)
  }

  /// When all knew an update.
  private static func words(
    _ update: ConvergenceReport.UpdateStory, _ span: (Int64?) -> String
  ) -> String {
    switch update.reach {
    case .complete: update.timeToAll.map { "after \(span($0))" } ?? "across a step of the clock"
    case .partial: "never"
    case .alone: "but nobody else was heard yet"
    }
  }

  /// The slowest updates, or all with `-v`.
  private func appendUpdates(to text: inout OutputText) {
    let chosen =
      style.isVerbose
      ? report.updates
      : Array(
        report.updates.filter { $0.timeToAll != nil }
          .sorted { ($0.timeToAll ?? 0) > ($1.timeToAll ?? 0) }.prefix(ConvergenceText.slowest))
    guard !chosen.isEmpty else { return }
    heading(style.isVerbose ? "UPDATES" : "SLOWEST UPDATES", to: &text)
    for update in chosen {
      let first = update.spread.first
      var content = "\(instant(first))  \(update.spread.news)"
      content += "  all " + ConvergenceText.words(update, span)
      if !update.never.isEmpty {
        content += ", not \(update.never.map(name).joined(separator: ", "))"
      } else if let last = update.spread.knowers.last {
        content += ", last \(name(last.node))"
      }
      line(content.cut(to: style.columns), to: &text)
    }
  }
}
