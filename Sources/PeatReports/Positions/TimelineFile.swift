import PeatDissection
import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Messages as a table of Markdown, or those with a position for a map; row by row.
package struct TimelineFile {
  /// What is written.
  package enum Form: Sendable {
    case markdown
    case positions(PositionFile.Form)
  }

  private let form: Form
  private let hasSeveralFiles: Bool
  private var memory = NodeMemory()
  private var positions = PositionFile(.geojson)

  package init(_ form: Form, hasSeveralFiles: Bool) {
    self.form = form
    self.hasSeveralFiles = hasSeveralFiles
    if case .positions(let form) = form { positions = PositionFile(form) }
  }

  /// Appends what stands before the rows.
  package func begin(to text: inout OutputText) {
    switch form {
    case .markdown:
      let head =
        ["Time (UTC)"] + (hasSeveralFiles ? ["File"] : [])
        + ["Frame", "Way", "Node", "Kind", "Bytes", "What"]
      MarkdownTable.append(row: head, to: &text)
      MarkdownTable.append(rule: head.count, to: &text)
    case .positions: positions.begin(to: &text)
    }
  }

  /// Appends what stands behind them.
  package func end(to text: inout OutputText) {
    if case .positions = form { positions.end(to: &text) }
  }

  /// Appends a row.
  package mutating func append(_ row: TimelineRow, to text: inout OutputText) {
    switch form {
    case .markdown: append(markdown: row, to: &text)
    case .positions: append(position: row, to: &text)
    }
  }

  private mutating func append(markdown row: TimelineRow, to text: inout OutputText) {
    let phrases = memory.phrases(for: row).map(\.text)
    let cells =
      [row.value.time.map(SpanText.utc) ?? ""] + (hasSeveralFiles ? [row.file] : [])
      + [
        "\(row.value.frame)", row.value.direction.rawValue,
        row.message.node.map { memory.name($0) } ?? "", row.message.kind.rawValue,
        "\(row.value.length)", phrases.joined(separator: " · "),
      ]
    MarkdownTable.append(row: cells, to: &text)
  }

  private mutating func append(position row: TimelineRow, to text: inout OutputText) {
    guard let decoded = row.document, let told = decoded.shownPeripheral,
      let location = told.location
    else { return }
    positions.append(
      PositionFile.Fix(
        node: decoded.document.node, callsign: told.callsign.text, location: location,
        time: row.value.time, battery: told.health.battery, file: row.file,
        frame: row.value.frame), to: &text)
  }
}
