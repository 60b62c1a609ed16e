import PeatProtocol
package import WireBytes

extension MessageDump {
  /// Bytes shown of one field, unless all are asked for.
  private static let shownBytes = 32
  private static let bytesPerLine = 8

  /// Appends the dump as lines: offset, bytes, field, value; what a receiver drops below its field.
  package func append(to text: inout OutputText, style: TextStyle, indent: Int = 0) {
    let margin = String(repeating: " ", count: indent)
    line(margin + style.paint(title, .bold), to: &text)
    let width = min(26, fields.map(\.name.columns).max() ?? 0)
    for field in fields { append(field, width, margin, style, to: &text) }
    for remark in remarks { line("\(margin)  - \(remark)", to: &text) }
    inner?.append(to: &text, style: style, indent: indent + 4)
  }

  private func append(
    _ field: DumpField, _ width: Int, _ margin: String, _ style: TextStyle,
    to text: inout OutputText
  ) {
    let limit = style.isVerbose ? field.range.count : MessageDump.shownBytes
    var rows = rows(field.range, limit: limit)
    let hidden = field.range.count - limit
    if !field.name.isEmpty {
      let first = rows.isEmpty ? "" : rows.removeFirst()
      let bytes = first.padded(to: MessageDump.bytesPerLine * 3 - 1)
      line(
        margin + offset(field.range.lowerBound, style) + "  " + bytes + "  "
          + field.name.padded(to: width) + "  " + field.value, to: &text)
    }
    var place = field.range.lowerBound + MessageDump.bytesPerLine
    for row in rows {
      line(margin + offset(place, style) + "  " + row, to: &text)
      place += MessageDump.bytesPerLine
    }
    if hidden > 0 {
      line("\(margin)        … \(hidden) more byte\(hidden == 1 ? "" : "s")", to: &text)
    }
    for note in field.notes {
      let place = field.name.isEmpty ? offset(field.range.lowerBound, style) : "      "
      line(margin + place + "  " + style.paint("^ \(note)", .bad), to: &text)
    }
  }

  private func offset(_ place: Int, _ style: TextStyle) -> String {
    style.paint("\(place)".rightAligned(to: 6), .faint)
  }

  /// The bytes of a range, eight a row.
  private func rows(_ range: Range<Int>, limit: Int) -> [String] {
    let shown = bytes[range].prefix(limit)
    return stride(from: shown.startIndex, to: shown.endIndex, by: MessageDump.bytesPerLine).map {
      shown[$0..<min($0 + MessageDump.bytesPerLine, shown.endIndex)]
        .map { Hexadecimal.string([$0]) }.joined(separator: " ")
    }
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content)
    text.append("\n")
  }
}
