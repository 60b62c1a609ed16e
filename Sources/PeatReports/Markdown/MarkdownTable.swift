import WireBytes

/// Tables of Markdown as GitHub, GitLab and others read them (GitHub Flavored Markdown 4.10).
enum MarkdownTable {
  /// Appends a table; the first row is its head, and columns without content are left out.
  static func append(_ rows: [[String]], to text: inout OutputText) {
    guard let head = rows.first, rows.count > 1 else { return }
    let shown = head.indices.filter { column in
      rows.dropFirst().contains { !($0[column].isEmpty || $0[column] == "-") }
    }
    for (place, row) in rows.enumerated() {
      append(row: shown.map { row[$0] }, to: &text)
      if place == 0 { append(rule: shown.count, to: &text) }
    }
    text.append("\n")
  }

  static func append(row: [String], to text: inout OutputText) {
    text.append("|")
    for cell in row { text.append(raw: " \(escaped(cell)) |") }
    text.append("\n")
  }

  static func append(rule columns: Int, to text: inout OutputText) {
    text.append("|")
    for _ in 0..<columns { text.append(" --- |") }
    text.append("\n")
  }

  /// Text that stays text: neither markup, nor a link, nor a mention of somebody, nor a new cell
  /// (CommonMark 0.31 2.4: any punctuation may have a backslash in front).
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in OutputText.neutral(text).unicodeScalars {
      switch character {
      case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "#", "|", "~", "!", "&", "$":
        result += "\\" + String(character)
      // A mention or a bare address is found behind the backslashes too, so that it is broken up.
      case "@": result += "(at)"
      default: result.unicodeScalars.append(character)
      }
    }
    return result.replacing("://", with: ":\\/\\/").replacing("www.", with: "www\\.")
  }
}
