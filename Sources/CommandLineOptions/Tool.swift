/// The whole tool: its commands and what its manual says besides them.
///
/// All commands share one struct of raw options; each lists the options that it takes.
package struct Tool<Raw: Sendable>: Sendable {
  /// The name of the executable.
  package let name: String
  /// One line without a full stop.
  package let summary: String
  /// Sentences for `--help` and the manual; paragraphs are parted by empty lines.
  package let discussion: String
  /// The version, such as `0.1.0`.
  package let version: String
  /// The date of that version as `2026-11-30`, so that the manual does not depend on the day.
  package let date: String
  /// The commands in the order of help.
  package let commands: [Command<Raw>]
  /// The name of the command that stands when the first argument names none.
  package let defaultCommand: String
  /// Exit statuses and their meaning.
  package let exitStatuses: [Entry]
  /// Environment variables and their meaning.
  package let environment: [Entry]
  /// Files and formats with their meaning.
  package let files: [Entry]
  /// Manual pages as `tshark(1)`.
  package let seeAlso: [String]

  /// Under which terms sources and binary are, for the manual.
  package let copyright: String

  /// A term and its meaning.
  package struct Entry: Sendable, Equatable {
    package let term: String
    package let text: String

    /// Makes an entry.
    package init(_ term: String, _ text: String) {
      self.term = term
      self.text = text
    }
  }

  /// Makes a tool; see the properties.
  package init(
    name: String, summary: String, discussion: String, version: String, date: String,
    commands: [Command<Raw>], defaultCommand: String, exitStatuses: [Entry] = [],
    environment: [Entry] = [], files: [Entry] = [], seeAlso: [String] = [],
    copyright: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.version = version
    self.date = date
    self.commands = commands
    self.defaultCommand = defaultCommand
    self.exitStatuses = exitStatuses
    self.environment = environment
    self.files = files
    self.seeAlso = seeAlso
    self.copyright = copyright
  }

  /// The commands that help shows.
  package var visibleCommands: [Command<Raw>] { commands.filter { !$0.isHidden } }

  /// The command of a name.
  package func command(named name: String) -> Command<Raw>? {
    commands.first { $0.name == name }
  }

  /// The visible command whose name is nearest to a word that was probably meant as one.
  package func nearestCommand(to word: String) -> String? {
    Suggestion.nearest(to: word, among: visibleCommands.map(\.name))
  }

  /// How a command is called: `peat-inspect [inspect] [OPTION...] FILE...`.
  package func synopsis(of command: Command<Raw>) -> String {
    let word = command.name == defaultCommand ? "[\(command.name)]" : command.name
    let arguments = command.arguments.map { " \($0.synopsis)" } ?? ""
    return "\(name) \(word) [OPTION...]\(arguments)"
  }
}

/// The options that every command has and that are no part of any table.
package enum BuiltInOption: String, Sendable, CaseIterable {
  /// A screenful of help.
  case shortHelp = "-h"
  /// All of the help.
  case fullHelp = "--help"
  /// Name and version.
  case version = "--version"
  /// The same in a letter.
  case shortVersion = "-V"
  /// The tool's description as JSON; not shown in help.
  case dump = "--dump-cli"

  /// Those that help shows, with their meaning.
  package static let documented: [(names: [BuiltInOption], summary: String)] = [
    ([.shortHelp, .fullHelp], "show help: -h on one screen, --help in full"),
    ([.shortVersion, .version], "show the version"),
  ]
}
