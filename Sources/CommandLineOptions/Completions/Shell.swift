/// The shells that a completion script exists for.
package enum Shell: String, Sendable, CaseIterable {
  case bash, zsh, fish

  /// The completion script of a tool.
  package func script<Raw>(for tool: Tool<Raw>) -> String {
    switch self {
    case .bash: BashCompletion(tool).text()
    case .zsh: ZshCompletion(tool).text()
    case .fish: FishCompletion(tool).text()
    }
  }
}

/// What the three scripts share.
enum ShellText {
  /// A word in single quotes, as bash and zsh read it.
  static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// The name of the script's functions.
  static func function<Raw>(of tool: Tool<Raw>) -> String {
    "_" + String(tool.name.map { $0 == "-" ? "_" : $0 })
  }

  /// Every spelling of a visible option with a value, over all commands, each once.
  static func valueNames<Raw>(of tool: Tool<Raw>) -> [String] {
    var seen: Set<String> = []
    let options = tool.visibleCommands.flatMap(\.visibleOptions).filter(\.takesValue)
    return options.flatMap(\.names).filter { seen.insert($0).inserted }
  }

  /// The spellings of the built-in options that help shows.
  static let builtIns = BuiltInOption.documented.flatMap(\.names).map(\.rawValue)
}
