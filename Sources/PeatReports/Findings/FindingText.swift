import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Findings of a run for a person: what, where, and what to do.
package struct FindingText {
  private let style: TextStyle
  private let hasSeveralFiles: Bool

  package init(style: TextStyle, hasSeveralFiles: Bool) {
    self.style = style
    self.hasSeveralFiles = hasSeveralFiles
  }

  /// Appends every finding, and how many there are of each severity.
  package func append(_ report: FindingReport, to text: inout OutputText) {
    for item in report.items { append(item, to: &text) }
    let counts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = report.count(severity)
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let total = counts.isEmpty ? "nothing found" : counts.joined(separator: ", ")
    text.append(raw: style.paint(total, .bold) + "\n")
    if report.leftOut > 0 { text.append(raw: "\(report.leftOut) more were left out\n") }
  }

  private func append(_ item: FindingReport.Item, to text: inout OutputText) {
    let entry = FindingTable.entry(of: item.code)
    var place: [String] = []
    if hasSeveralFiles { place.append(item.file.replacingUnsafeCharacters()) }
    if let node = item.node { place.append("node \(node)") }
    if let link = item.link { place.append("connection \(link)") }
    if !item.frames.isEmpty { place.append(frames(item)) }
    if item.count > 1 { place.append("\(item.count) times") }
    if let time = time(item) { place.append(time) }
    let severity = item.code.severity
    text.append(
      raw: style.paint(severity.rawValue.padded(to: 8), FindingText.paint(severity))
        + style.paint(item.code.rawValue, .bold) + "  " + place.joined(separator: ", ") + "\n")
    append(item.message.replacingUnsafeCharacters(), to: &text)
    append("\(entry.advice) (\(entry.rule))", paint: .faint, to: &text)
  }

  private func frames(_ item: FindingReport.Item) -> String {
    let shown = item.frames.prefix(6).map { "\($0)" }.joined(separator: " ")
    return (item.frames.count == 1 ? "frame " : "frames ") + shown
      + (item.frames.count > 6 ? " …" : "")
  }

  private func time(_ item: FindingReport.Item) -> String? {
    guard let first = item.firstTime else { return nil }
    var text = OutputText(capacity: 40)
    if style.clock == .relative, let elapsed = item.elapsed {
      text.append(seconds: elapsed, decimals: 3)
      text.append(" s")
    } else {
      text.append(clock: style.civil(first), decimals: 3)
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Appends a paragraph, broken at words and set in.
  private func append(
    _ paragraph: String, paint: TextStyle.Paint? = nil, to text: inout OutputText
  ) {
    let indent = String(repeating: " ", count: 8)
    var line = ""
    func end() {
      if line.isEmpty { return }
      text.append(raw: indent + (paint.map { style.paint(line, $0) } ?? line) + "\n")
      line = ""
    }
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty && line.columns + word.count + 1 > style.columns - indent.count { end() }
      line += (line.isEmpty ? "" : " ") + word
    }
    end()
  }

  /// Appends the table of all findings.
  package func appendTable(to text: inout OutputText) {
    for code in FindingCode.allCases {
      let entry = FindingTable.entry(of: code)
      text.append(
        raw: style.paint(
          entry.severity.rawValue.padded(to: 8), FindingText.paint(entry.severity))
          + style.paint(code.rawValue, .bold) + "\n")
      append("\(entry.text). \(entry.advice) (\(entry.rule))", to: &text)
    }
  }

  private static func paint(_ severity: Severity) -> TextStyle.Paint {
    switch severity {
    case .error: .bad
    case .warning: .warning
    case .note: .faint
    }
  }
}
