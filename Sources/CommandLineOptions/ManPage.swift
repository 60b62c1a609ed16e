/// The manual page in mdoc(7), from the table alone: the same table gives the same bytes on any day.
package struct ManPage<Raw: Sendable> {
  private let tool: Tool<Raw>
  private var lines: [String] = []

  /// Makes the manual page of a tool.
  package init(_ tool: Tool<Raw>) { self.tool = tool }

  /// The page's source.
  package func text() -> String {
    var page = self
    page.writeHead()
    page.writeDescription()
    for command in tool.visibleCommands { page.write(command) }
    page.writeOptions()
    page.writeEntries("ENVIRONMENT", tool.environment, macro: "Ev")
    page.writeEntries("FILES", tool.files, macro: nil)
    page.writeEntries("EXIT STATUS", tool.exitStatuses, macro: nil)
    page.writeExamples()
    page.writeSeeAlso()
    page.writeCopyright()
    return page.lines.map { $0 + "\n" }.joined()
  }

  // MARK: - Sections

  private mutating func writeHead() {
    lines.append(".\\\" Generated from the option table by '\(tool.name) man'. Do not edit.")
    lines.append(".Dd \(mdocDate)")
    lines.append(".Dt \(tool.name.uppercased()) 1")
    lines.append(".Os")
    lines.append(".Sh NAME")
    lines.append(".Nm \(tool.name)")
    lines.append(".Nd \(escaped(tool.summary))")
    lines.append(".Sh SYNOPSIS")
    for command in tool.visibleCommands {
      lines.append(".Nm")
      let word = ".Cm \(command.name)"
      lines.append(command.name == tool.defaultCommand ? ".Op Cm \(command.name)" : word)
      if !command.visibleOptions.isEmpty { lines.append(".Op Ar option ...") }
      if let arguments = command.arguments { writeArguments(arguments) }
    }
  }

  private mutating func writeArguments(_ arguments: Arguments) {
    for word in arguments.synopsis.split(separator: " ") {
      let name = arguments.name
      switch word {
      case "\(name)...": lines.append(".Ar \(name) ...")
      case "[\(name)...]": lines.append(".Op Ar \(name) ...")
      case "[\(name)]": lines.append(".Op Ar \(name)")
      default: lines.append(".Ar \(name)")
      }
    }
  }

  private mutating func writeDescription() {
    lines.append(".Sh DESCRIPTION")
    writeParagraphs(tool.discussion)
    lines.append(".Pp")
    lines.append("The first argument that is neither a command nor an option is taken as an")
    lines.append("argument of")
    lines.append(".Cm \(tool.defaultCommand) .")
    lines.append(".Sh COMMANDS")
  }

  private mutating func write(_ command: Command<Raw>) {
    lines.append(".Ss \(command.name)")
    writeText(OptionText.sentence(command.summary))
    if let arguments = command.arguments {
      lines.append(".Bl -tag -width Ds")
      lines.append(".It Ar \(arguments.name)")
      writeText(OptionText.sentence(arguments.summary))
      lines.append(".El")
    }
    if !command.discussion.isEmpty {
      lines.append(".Pp")
      writeParagraphs(command.discussion)
    }
    if !command.visibleOptions.isEmpty {
      lines.append(".Pp")
      lines.append("Options:")
      for (index, option) in command.visibleOptions.enumerated() {
        let end = index == command.visibleOptions.count - 1 ? " ." : " ,"
        lines.append(".Fl Fl \(option.setter.isNegatable ? "[no-]" : "")\(option.long)\(end)")
      }
    }
  }

  /// Every option once, under its heading, with the commands that take it where not all do.
  private mutating func writeOptions() {
    lines.append(".Sh OPTIONS")
    let takers = tool.visibleCommands.filter { !$0.visibleOptions.isEmpty }
    var seen: Set<String> = []
    var groups: [(title: String, options: [Option<Raw>])] = []
    for (category, options) in takers.flatMap(\.optionsByCategory) {
      let new = options.filter { seen.insert($0.long).inserted }
      if new.isEmpty { continue }
      if let index = groups.firstIndex(where: { $0.title == category.title }) {
        groups[index].options += new
      } else {
        groups.append((category.title, new))
      }
    }
    for group in groups {
      lines.append(".Ss \(escaped(group.title))")
      lines.append(".Bl -tag -width Ds")
      for option in group.options {
        let owners = takers.filter { $0.visibleOptions.contains { $0.long == option.long } }
        write(option, owners: owners.count == takers.count ? [] : owners.map(\.name))
      }
      lines.append(".El")
    }
    lines.append(".Ss Help")
    lines.append(".Bl -tag -width Ds")
    for (names, summary) in BuiltInOption.documented {
      lines.append(".It " + names.map { "Fl \($0.rawValue.dropFirst())" }.joined(separator: " , "))
      writeText(OptionText.sentence(summary))
    }
    lines.append(".El")
  }

  private mutating func write(_ option: Option<Raw>, owners: [String]) {
    let short = option.short.map { "Fl \($0) , " } ?? ""
    let negation = option.setter.isNegatable ? " , Fl -no-\(option.long)" : ""
    let value = option.value.map { " Ar \(escaped($0))" } ?? ""
    lines.append(".It \(short)Fl -\(option.long)\(negation)\(value)")
    writeText(OptionText.summary(option))
    if !owners.isEmpty { writeText("For: \(owners.joined(separator: ", ")).") }
    if !option.discussion.isEmpty {
      lines.append(".Pp")
      writeParagraphs(option.discussion)
    }
    if option.choices.contains(where: { !$0.summary.isEmpty }) {
      lines.append(".Bl -tag -width Ds -compact")
      for choice in option.choices {
        lines.append(".It Cm \(escaped(choice.name))")
        writeText(OptionText.sentence(choice.summary))
      }
      lines.append(".El")
    }
  }

  private mutating func writeEntries(
    _ title: String, _ entries: [Tool<Raw>.Entry], macro: String?
  ) {
    if entries.isEmpty { return }
    lines.append(".Sh \(title)")
    lines.append(".Bl -tag -width Ds")
    for entry in entries {
      let macro = macro.map { "\($0) " } ?? ""
      lines.append(".It \(macro)\(escaped(entry.term))")
      writeText(OptionText.sentence(entry.text))
    }
    lines.append(".El")
  }

  private mutating func writeExamples() {
    let examples = tool.visibleCommands.flatMap(\.examples)
    if examples.isEmpty { return }
    lines.append(".Sh EXAMPLES")
    for (index, example) in examples.enumerated() {
      if index > 0 { lines.append(".Pp") }
      writeText(OptionText.sentence(example.explanation))
      lines.append(".Bd -literal -offset indent")
      lines.append(protected("$ " + escaped(example.commandLine)))
      lines.append(".Ed")
    }
  }

  private mutating func writeSeeAlso() {
    if tool.seeAlso.isEmpty { return }
    lines.append(".Sh SEE ALSO")
    for (index, page) in tool.seeAlso.sorted().enumerated() {
      let parts = page.split(separator: "(")
      let section = parts.count > 1 ? parts[1].prefix { $0 != ")" } : "1"
      let end = index == tool.seeAlso.count - 1 ? "" : " ,"
      lines.append(".Xr \(parts[0]) \(section)\(end)")
    }
  }

  private mutating func writeCopyright() {
    if tool.copyright.isEmpty { return }
    lines.append(".Sh COPYRIGHT")
    writeParagraphs(tool.copyright)
  }

  // MARK: - Text

  private mutating func writeParagraphs(_ text: String) {
    for (index, paragraph) in TextLayout.paragraphs(of: text).enumerated() {
      if index > 0 { lines.append(".Pp") }
      writeText(paragraph)
    }
  }

  /// Each sentence begins a line, as mdoc asks for; long ones are wrapped.
  private mutating func writeText(_ text: String) {
    var sentence: [Substring] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      sentence.append(word)
      if word.hasSuffix(".") || word.hasSuffix("?") {
        writeSentence(sentence)
        sentence = []
      }
    }
    writeSentence(sentence)
  }

  private mutating func writeSentence(_ words: [Substring]) {
    let text = words.joined(separator: " ")
    for line in TextLayout.wrap(text, width: 78) { lines.append(protected(escaped(line))) }
  }

  /// Backslashes and dashes as roff wants them; dashes so that options can be copied from the page.
  private func escaped(_ text: String) -> String { ManText.escaped(text) }

  /// A line that begins like a request, made text.
  private func protected(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// `November 30, 2026`, the only form that mdoc reads on every system.
  /// The day of the tool's version, as mdoc wants it.
  package var date: String { mdocDate }

  private var mdocDate: String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let parts = tool.date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return tool.date }
    return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
  }
}
