/// A manual page of section 7 that explains words one by one.
package struct ManTable {
  /// A word with its explanation.
  package struct Entry: Sendable {
    /// What it stands under; entries of one heading follow each other.
    package var heading: String
    package var word: String
    /// Paragraphs.
    package var text: [String]

    /// Makes an entry from its parts.
    package init(heading: String, word: String, text: [String]) {
      self.heading = heading
      self.word = word
      self.text = text
    }
  }

  private let name: String
  private let summary: String
  private let opening: String
  private let entries: [Entry]
  private let seeAlso: [String]

  /// Makes a page; `seeAlso` names pages with their sections, such as `peat-inspect 1`.
  package init(
    name: String, summary: String, opening: String, entries: [Entry], seeAlso: [String]
  ) {
    self.name = name
    self.summary = summary
    self.opening = opening
    self.entries = entries
    self.seeAlso = seeAlso
  }

  /// The page's source in mdoc(7), dated like the manual.
  package func text(date: String) -> String {
    var lines = [
      ".\\\" Generated from the table of findings. Do not edit.", ".Dd \(date)",
      ".Dt \(name.uppercased()) 7", ".Os", ".Sh NAME", ".Nm \(name)",
      ".Nd \(ManText.escaped(summary))", ".Sh DESCRIPTION", ManText.line(opening),
    ]
    var heading = ""
    for entry in entries {
      if entry.heading != heading {
        if !heading.isEmpty { lines.append(".El") }
        heading = entry.heading
        lines.append(".Sh \(ManText.escaped(heading.uppercased()))")
        lines.append(".Bl -tag -width Ds")
      }
      lines.append(".It Sy \(ManText.escaped(entry.word))")
      for (index, paragraph) in entry.text.enumerated() {
        if index > 0 { lines.append(".Pp") }
        lines.append(ManText.line(paragraph))
      }
    }
    if !heading.isEmpty { lines.append(".El") }
    lines.append(".Sh SEE ALSO")
    for (index, page) in seeAlso.enumerated() {
      lines.append(".Xr \(page)" + (index < seeAlso.count - 1 ? " ," : ""))
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Text in mdoc.
enum ManText {
  /// A line of text, which no request can begin.
  static func line(_ text: String) -> String {
    let escaped = escaped(text)
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result
  }
}
