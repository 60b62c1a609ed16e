import PeatDissection
import PeatProtocol
import PeatTimeline
package import WireBytes

/// How much was sent, for reading: everything in a line, then tables with bars.
package struct StatisticsText {
  /// Columns of the longest bar.
  private static let barWidth = 20
  /// Rows of a table where not everything was asked for.
  private static let rowLimit = 24
  /// Empty intervals in a row that are shown as such.
  private static let emptyLimit = 2

  private let report: StatisticsReport
  private let style: TextStyle

  /// Makes the text of a report.
  package init(_ report: StatisticsReport, style: TextStyle) {
    self.report = report
    self.style = style
  }

  private var total: TrafficShare { report.statistics.total }

  /// Appends everything.
  package func append(to text: inout OutputText) {
    appendSummary(to: &text)
    guard total.messages > 0 else { return }
    table(
      "NODE", report.nodes.map { node, share in (name(node), share) }, noun: "node", to: &text)
    table(
      "LINK", report.ways.map { way, share in (name(way), share) }, noun: "connection", to: &text)
    table("KIND", report.kinds.map { ($0.kind.rawValue, $0.share) }, noun: "kind", to: &text)
    appendIntervals(to: &text)
    line("", to: &text)
    for part in legend.broken(to: style.columns) { line(style.paint(part, .faint), to: &text) }
  }

  private var legend: String {
    "USEFUL: messages that told their receiver something it was not seen to know, the full part of "
      + "the bar. REPEATS: the same bytes as the message before on that connection."
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content)
    text.append("\n")
  }

  private func appendSummary(to text: inout OutputText) {
    guard total.messages > 0 else {
      line(style.paint("no messages", .bold), to: &text)
      return
    }
    var title = "\(SpanText.counted(total.messages, "message")), \(total.bytes) bytes"
    if let elapsed = report.elapsed, elapsed > 0 {
      title += " in \(SpanText.text(elapsed))"
      title +=
        " (\(rate(total.messages, elapsed)) messages/s, \(rate(total.bytes, elapsed)) bytes/s)"
    }
    line(style.paint(title, .bold), to: &text)
    line(
      "\(total.useful) useful (\(percent(total.useful))), \(total.repeats) repeats "
        + "(\(percent(total.repeats)))", to: &text)
    if report.statistics.unplaced > 0 {
      line(
        style.paint(
          "\(SpanText.counted(report.statistics.unplaced, "message")) in no table: more nodes, "
            + "connections or intervals than are told apart", .warning), to: &text)
    }
  }

  private func rate(_ count: Int, _ nanoseconds: Int64) -> String {
    ConvergenceReport.quotient(count * 10, max(1, Int(nanoseconds / 100_000_000)), decimals: 1)
  }

  private func percent(_ count: Int, of whole: Int? = nil) -> String {
    let whole = whole ?? total.messages
    guard whole > 0 else { return "-" }
    // Never 100 % nor 0 % of what is not.
    let rounded = (count * 100 + whole / 2) / whole
    return "\(count == 0 || count == whole ? rounded : min(99, max(1, rounded)))%"
  }

  private func name(_ node: NodeID?) -> String {
    guard let node else { return "(names no node)" }
    guard let callsign = report.callsign(node), !callsign.isEmpty else { return "\(node)" }
    return "\(callsign.replacingUnsafeCharacters()) \(node)"
  }

  private func name(_ way: TrafficWay) -> String {
    let ends = report.ends(of: way)
    guard let link = way.link else { return "advertised by \(name(ends.from, "this host"))" }
    let isFromLocal = way.direction.isFromLocal
    return "\(link) \(name(ends.from, isFromLocal ? "this host" : "peer")) > "
      + name(ends.to, isFromLocal ? "peer" : "this host")
  }

  private func name(_ end: TrafficEnd, _ unknown: String) -> String {
    if let node = end.node, let callsign = report.callsign(node), !callsign.isEmpty {
      return callsign.replacingUnsafeCharacters()
    }
    return end.address ?? end.node.map { "\($0)" } ?? unknown
  }

  private var nameWidth: Int { min(34, max(12, style.columns - 46)) }

  private func heading(_ title: String, to text: inout OutputText) {
    line("", to: &text)
    line(
      style.paint(
        title.padded(to: nameWidth)
          + ["MESSAGES", "BYTES", "USEFUL", "REPEATS"].map { $0.rightAligned(to: 9) }.joined(),
        .faint),
      to: &text)
  }

  private func row(
    _ name: String, _ share: TrafficShare, most: Int, to text: inout OutputText
  ) {
    var content =
      name.cut(to: nameWidth - 1).padded(to: nameWidth)
      + "\(share.messages)".rightAligned(to: 9) + "\(share.bytes)".rightAligned(to: 9)
      + percent(share.useful, of: share.messages).rightAligned(to: 9)
      + percent(share.repeats, of: share.messages).rightAligned(to: 9)
    let room = min(StatisticsText.barWidth, style.columns - content.columns - 1)
    if room > 4 { content += " " + bar(share, most: most, width: room) }
    line(content, to: &text)
  }

  /// A bar as long as the messages are many; the full part of it were useful.
  private func bar(_ share: TrafficShare, most: Int, width: Int) -> String {
    let length = max(share.messages > 0 ? 1 : 0, share.messages * width / max(1, most))
    let full =
      share.messages > 0 ? (share.useful * length + share.messages - 1) / share.messages : 0
    return String(repeating: "█", count: full) + String(repeating: "─", count: length - full)
  }

  private func table(
    _ title: String, _ rows: [(name: String, share: TrafficShare)], noun: String,
    to text: inout OutputText
  ) {
    guard !rows.isEmpty else { return }
    heading(title, to: &text)
    let most = rows.map(\.share.messages).max() ?? 1
    let shown = style.isVerbose ? rows.count : min(rows.count, StatisticsText.rowLimit)
    for (name, share) in rows.prefix(shown) { row(name, share, most: most, to: &text) }
    if shown < rows.count {
      line("\(SpanText.counted(rows.count - shown, "more \(noun)")) (-v lists them)", to: &text)
    }
  }

  private func appendIntervals(to text: inout OutputText) {
    let intervals = report.statistics.intervals()
    guard let first = intervals.shares.first else { return }
    heading("EVERY \(width(intervals.width))", to: &text)
    let most = intervals.shares.map(\.share.messages).max() ?? 1
    var next = first.start
    for (start, share) in intervals.shares {
      var missing = (start - next) / intervals.width
      if missing > StatisticsText.emptyLimit {
        line("\(SpanText.counted(Int(missing), "interval")) without messages", to: &text)
        missing = 0
      }
      for _ in 0..<missing {
        row(instant(next), TrafficShare(), most: most, to: &text)
        next += intervals.width
      }
      row(instant(start), share, most: most, to: &text)
      let sum = start.addingReportingOverflow(intervals.width)
      next = sum.overflow ? start : sum.partialValue
    }
    if report.statistics.timeless > 0 {
      line("\(SpanText.counted(report.statistics.timeless, "message")) without a time", to: &text)
    }
  }

  private func width(_ nanoseconds: Int64) -> String {
    let second: Int64 = 1_000_000_000
    return nanoseconds % second == 0
      ? "\(nanoseconds / second) S" : SpanText.text(nanoseconds).uppercased()
  }

  private func instant(_ offset: Int64) -> String {
    var text = OutputText(capacity: 32)
    if style.clock != .relative, let time = report.time(of: offset) {
      text.append(clock: style.civil(time), decimals: 0)
    } else {
      text.append(seconds: offset, decimals: 1)
      text.append(" s")
    }
    return String(decoding: text.slice, as: UTF8.self)
  }
}
