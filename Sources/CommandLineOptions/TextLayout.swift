/// Lines of text for help: wrapping, indenting, terms with their meaning.
struct TextLayout {
  /// Columns to fill.
  let width: Int
  private(set) var lines: [String] = []

  init(width: Int) {
    // Below that, wrapping would leave one word a line.
    self.width = max(width, 40)
  }

  /// The text, each line ended.
  var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func line(_ text: String = "") { lines.append(text) }

  /// A heading with an empty line before it.
  mutating func heading(_ title: String) {
    if !lines.isEmpty { line() }
    line("\(title):")
  }

  /// Paragraphs, parted by empty lines.
  mutating func paragraphs(_ text: String, indent: Int) {
    for (index, paragraph) in TextLayout.paragraphs(of: text).enumerated() {
      if index > 0 { line() }
      lines += TextLayout.wrap(paragraph, width: width - indent).map { spaces(indent) + $0 }
    }
  }

  /// A term in a column of `column` characters and its meaning beside it; a longer term gets a line
  /// of its own.
  mutating func entry(_ term: String, _ meaning: String, indent: Int, column: Int) {
    let start = indent + column
    let texts = TextLayout.wrap(meaning, width: width - start)
    let fits = term.count + 2 <= column
    if !fits || texts.isEmpty { line(spaces(indent) + term) }
    for (index, text) in texts.enumerated() {
      let head =
        index == 0 && fits ? spaces(indent) + term + spaces(column - term.count) : spaces(start)
      line(head + text)
    }
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }

  /// The paragraphs of a text, without its line breaks.
  static func paragraphs(of text: String) -> [String] {
    var result: [String] = []
    var words: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: " ")
      if parts.isEmpty && !words.isEmpty {
        result.append(words.joined(separator: " "))
        words = []
      }
      words += parts
    }
    if !words.isEmpty { result.append(words.joined(separator: " ")) }
    return result
  }

  /// Breaks a text between words into lines of at most `width` characters; a longer word stays
  /// whole.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if !current.isEmpty && current.count + 1 + word.count > width {
        lines.append(current)
        current = ""
      }
      current += current.isEmpty ? String(word) : " \(word)"
    }
    if !current.isEmpty { lines.append(current) }
    return lines
  }
}
