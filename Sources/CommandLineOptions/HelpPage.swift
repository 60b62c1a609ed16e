/// Help for a terminal: `-h` on one screen, `--help` in full.
package struct HelpPage<Raw: Sendable> {
  private let tool: Tool<Raw>
  private let width: Int

  /// Makes help for a terminal of `width` columns; lines are never longer than 100.
  package init(_ tool: Tool<Raw>, width: Int) {
    self.tool = tool
    self.width = min(width, 100)
  }

  /// Help for the tool, or for one command.
  package func text(for command: Command<Raw>?, isFull: Bool) -> String {
    if let command { return commandHelp(command, isFull: isFull) }
    return isFull ? fullToolHelp() : shortToolHelp()
  }

  // MARK: - The tool

  private func shortToolHelp() -> String {
    var page = TextLayout(width: width)
    writeHead(&page)
    writeCommands(&page)
    if let standard = tool.command(named: tool.defaultCommand) {
      let common = standard.visibleOptions.filter(\.isCommon)
      if !common.isEmpty {
        page.heading("Common options")
        for option in common { writeShort(option, &page) }
        writeBuiltIns(&page)
      }
    }
    page.line()
    page.paragraphs(
      "'\(tool.name) COMMAND -h' shows a command's options, '\(tool.name) --help' everything, "
        + "and 'man \(tool.name)' is the manual.", indent: 0)
    return page.text
  }

  private func fullToolHelp() -> String {
    var page = TextLayout(width: width)
    writeHead(&page)
    page.line()
    page.paragraphs(tool.discussion, indent: 0)
    writeCommands(&page)
    if let standard = tool.command(named: tool.defaultCommand) {
      writeFullOptions(of: standard, title: " (\(standard.name))", &page)
    }
    writeEntries("Exit status", tool.exitStatuses, &page)
    writeEntries("Environment", tool.environment, &page)
    writeEntries("Files", tool.files, &page)
    page.line()
    page.paragraphs("'\(tool.name) COMMAND --help' explains each command.", indent: 0)
    return page.text
  }

  private func writeHead(_ page: inout TextLayout) {
    page.paragraphs("\(tool.name) \(tool.version): \(tool.summary)", indent: 0)
    page.heading("Usage")
    if let standard = tool.command(named: tool.defaultCommand) {
      page.line("  \(tool.synopsis(of: standard))")
    }
    page.line("  \(tool.name) COMMAND [OPTION...] [ARGUMENT...]")
  }

  private func writeCommands(_ page: inout TextLayout) {
    page.heading("Commands")
    let column = (tool.visibleCommands.map(\.name.count).max() ?? 0) + 3
    for command in tool.visibleCommands {
      let mark = command.name == tool.defaultCommand ? " (default)" : ""
      page.entry(command.name, command.summary + mark, indent: 2, column: column)
    }
  }

  // MARK: - A command

  private func commandHelp(_ command: Command<Raw>, isFull: Bool) -> String {
    var page = TextLayout(width: width)
    page.paragraphs("\(tool.name) \(command.name): \(command.summary)", indent: 0)
    page.heading("Usage")
    page.line("  \(tool.synopsis(of: command))")
    if isFull && !command.discussion.isEmpty {
      page.line()
      page.paragraphs(command.discussion, indent: 0)
    }
    if let arguments = command.arguments {
      page.heading("Arguments")
      page.entry(arguments.name, arguments.summary, indent: 2, column: termColumn)
    }
    if isFull {
      writeFullOptions(of: command, title: "", &page)
    } else {
      for (category, options) in command.optionsByCategory {
        page.heading(category.title)
        for option in options { writeShort(option, &page) }
      }
      page.heading("Help")
      writeBuiltIns(&page)
    }
    if isFull && !command.examples.isEmpty {
      page.heading("Examples")
      for (index, example) in command.examples.enumerated() {
        if index > 0 { page.line() }
        page.line("  $ \(example.commandLine)")
        page.paragraphs(example.explanation, indent: 4)
      }
    }
    if isFull && !command.seeAlso.isEmpty {
      page.heading("See also")
      page.paragraphs(
        command.seeAlso.map { "\(tool.name) \($0)" }.joined(separator: ", "), indent: 2)
    }
    return page.text
  }

  // MARK: - Options

  private var termColumn: Int { 26 }

  private func writeShort(_ option: Option<Raw>, _ page: inout TextLayout) {
    let names = option.choices.map(\.name).joined(separator: ", ")
    var summary = option.summary
    if !names.isEmpty { summary += ": \(names)" }
    if let value = option.defaultValue { summary += " [\(value)]" }
    page.entry(aligned(option), summary, indent: 2, column: termColumn)
  }

  private func writeFullOptions(
    of command: Command<Raw>, title: String, _ page: inout TextLayout
  ) {
    for (category, options) in command.optionsByCategory {
      page.heading(category.title + title)
      for (index, option) in options.enumerated() {
        if index > 0 { page.line() }
        page.line("  \(aligned(option))")
        page.paragraphs(OptionText.summary(option), indent: 10)
        if !option.discussion.isEmpty { page.paragraphs(option.discussion, indent: 10) }
        for choice in option.choices where option.choices.contains(where: { $0.summary != "" }) {
          page.entry(choice.name, choice.summary, indent: 12, column: 12)
        }
      }
    }
    page.heading("Help")
    writeBuiltIns(&page)
  }

  private func writeBuiltIns(_ page: inout TextLayout) {
    for (names, summary) in BuiltInOption.documented {
      let synopsis = names.map(\.rawValue).joined(separator: ", ")
      let term = names[0].rawValue.hasPrefix("--") ? "    \(synopsis)" : synopsis
      page.entry(term, summary, indent: 2, column: termColumn)
    }
  }

  /// Long names stand below each other, with or without a short one before them.
  private func aligned(_ option: Option<Raw>) -> String {
    option.short == nil ? "    \(option.synopsis)" : option.synopsis
  }

  private func writeEntries(
    _ title: String, _ entries: [Tool<Raw>.Entry], _ page: inout TextLayout
  ) {
    if entries.isEmpty { return }
    page.heading(title)
    for entry in entries { page.entry(entry.term, entry.text, indent: 2, column: 14) }
  }
}

/// Sentences about an option that help and manual share.
enum OptionText {
  /// The summary as a sentence, with what the table knows besides.
  static func summary<Raw>(_ option: Option<Raw>) -> String {
    var text = sentence(option.summary)
    if !option.choices.isEmpty {
      text += " One of \(option.choices.map(\.name).joined(separator: ", "))."
    }
    if let value = option.defaultValue { text += " Default: \(value)." }
    if option.setter.isRepeatable { text += " May be repeated." }
    return text
  }

  /// A phrase as a sentence: capital letter, full stop.
  static func sentence(_ phrase: String) -> String {
    guard let first = phrase.first else { return "" }
    let end = phrase.hasSuffix(".") ? "" : "."
    return first.uppercased() + phrase.dropFirst() + end
  }
}
