/// What a command line asks for.
package enum Invocation<Raw: Sendable>: Sendable {
  /// Run a command with its raw options and its arguments.
  case run(Command<Raw>, options: Raw, arguments: [String])
  /// Show help of a command, or of the tool where none was named.
  case help(Command<Raw>?, isFull: Bool)
  /// Show the version.
  case version
  /// Print the tool's description as JSON.
  case dump
}

extension Tool {
  /// Reads a command line.
  ///
  /// - Parameters:
  ///   - arguments: the words after the program's name.
  ///   - defaults: the raw options as they are when no option is given.
  ///   - hasStandardInput: whether a pipe or a file is there, which is read where no file is named.
  package func parse(
    _ arguments: [String], defaults: Raw, hasStandardInput: Bool = false
  ) throws(UsageError) -> Invocation<Raw> {
    let position = commandPosition(arguments)
    let named = position.flatMap { command(named: arguments[$0]) }
    guard let command = named ?? command(named: defaultCommand) else {
      throw UsageError("no command given")
    }
    var parser = Parser(tool: self, command: command, raw: defaults)
    parser.hasStandardInput = hasStandardInput
    for (index, word) in arguments.enumerated() where index != position {
      parser.words.append(word)
    }
    if let builtIn = try parser.run() {
      return switch builtIn {
      case .shortHelp: .help(named, isFull: false)
      case .fullHelp: .help(named, isFull: true)
      case .version, .shortVersion: .version
      case .dump: .dump
      }
    }
    return .run(command, options: parser.raw, arguments: parser.arguments)
  }

  /// Where the command's name stands: it is the first word that is neither an option nor an
  /// option's value. A file of such a name is given as `./state` or after `--`.
  private func commandPosition(_ words: [String]) -> Int? {
    var index = 0
    while index < words.count {
      let word = words[index]
      if word == "--" { return nil }
      if !word.hasPrefix("-") || word == "-" {
        return command(named: word) == nil ? nil : index
      }
      index += takesNextWord(word) ? 2 : 1
    }
    return nil
  }

  /// Whether an option before the command's name has its value in the next word. Options of one
  /// name agree on that in all commands (`validate()` checks it).
  private func takesNextWord(_ word: String) -> Bool {
    let options = commands.flatMap(\.options)
    if word.hasPrefix("--") {
      return options.contains { $0.takesValue && word == "--\($0.long)" }
    }
    let letters = Array(word.dropFirst())
    for (index, letter) in letters.enumerated() {
      if let option = options.first(where: { $0.short == letter }), option.takesValue {
        return index == letters.count - 1
      }
    }
    return false
  }
}

/// The state of reading one command line.
private struct Parser<Raw: Sendable> {
  let tool: Tool<Raw>
  let command: Command<Raw>
  var words: [String] = []
  var raw: Raw
  var arguments: [String] = []
  var hasStandardInput = false
  private var next = 0

  init(tool: Tool<Raw>, command: Command<Raw>, raw: Raw) {
    self.tool = tool
    self.command = command
    self.raw = raw
  }

  /// Reads all words, or up to a built-in option, which it returns.
  mutating func run() throws(UsageError) -> BuiltInOption? {
    while next < words.count {
      let word = words[next]
      next += 1
      if word == "--" {
        arguments += words[next...]
        break
      } else if word == "-" || !word.hasPrefix("-") {
        arguments.append(word)
      } else if let builtIn = BuiltInOption(rawValue: word) {
        return builtIn
      } else if word.hasPrefix("--") {
        try readLong(word)
      } else if try readCluster(word) {
        return .shortHelp
      }
    }
    try checkArguments()
    return nil
  }

  // MARK: - Options

  private mutating func readLong(_ word: String) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard let option = command.options.first(where: { $0.longNames.contains(name) }) else {
      throw unknown(name)
    }
    switch option.setter {
    case .flag(let change):
      try refuse(attached, of: name)
      change(&raw)
    case .negatableFlag(let change):
      try refuse(attached, of: name)
      change(&raw, name == "--\(option.long)")
    case .value(isRepeatable: _, let change):
      if let attached {
        try set(option, as: name, to: attached, by: change)
      } else {
        try set(option, as: name, to: try takeValue(of: option, as: name), by: change)
      }
    }
  }

  /// Reads `-abc` and `-ofile`; true where it holds `-h`.
  private mutating func readCluster(_ word: String) throws(UsageError) -> Bool {
    var letters = word.dropFirst()
    while let letter = letters.first {
      letters = letters.dropFirst()
      let name = "-\(letter)"
      if name == BuiltInOption.shortHelp.rawValue { return true }
      guard let option = command.options.first(where: { $0.short == letter }) else {
        throw unknown(letters.isEmpty && word.count == 2 ? word : name, in: word)
      }
      switch option.setter {
      case .flag(let change): change(&raw)
      case .negatableFlag(let change): change(&raw, true)
      case .value(isRepeatable: _, let change):
        if letters.isEmpty {
          try set(option, as: name, to: try takeValue(of: option, as: name), by: change)
        } else {
          try set(option, as: name, to: String(letters), by: change)
        }
        return false
      }
    }
    return false
  }

  /// The next word is the value, whatever it looks like (`--from -3`), unless it is the name of an
  /// option: then the value was forgotten.
  private mutating func takeValue(
    of option: Option<Raw>, as name: String
  ) throws(UsageError) -> String {
    let placeholder = option.value ?? "VALUE"
    guard next < words.count else {
      throw UsageError("option '\(name)' needs a value: \(name) \(placeholder)")
    }
    let word = words[next]
    let stem = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
    let isOption =
      word == "--" || command.options.contains { $0.longNames.contains(stem) }
      || (word.hasPrefix("--") && BuiltInOption(rawValue: word) != nil)
    if isOption {
      throw UsageError(
        "option '\(name)' needs a value before '\(stem)'",
        advice: "if it is the value, write --\(option.long)=\(word)")
    }
    next += 1
    return word
  }

  private mutating func set(
    _ option: Option<Raw>, as name: String, to value: String, by change: OptionSetter<Raw>.Change
  ) throws(UsageError) {
    if !option.choices.isEmpty {
      let names = option.choices.map(\.name)
      guard names.contains(value) else {
        let list = names.joined(separator: ", ")
        throw UsageError(
          "option '\(name)': \(UsageError.quoted(value)) is not one of \(list)",
          advice: UsageError.didYouMean(Suggestion.nearest(to: value, among: names)))
      }
    }
    do throws(InvalidValue) {
      try change(&raw, value)
    } catch {
      throw UsageError("option '\(name)': \(error.expectation), got \(UsageError.quoted(value))")
    }
  }

  private func refuse(_ value: String?, of name: String) throws(UsageError) {
    if value != nil { throw UsageError("option '\(name)' takes no value") }
  }

  private func unknown(_ name: String, in word: String? = nil) -> UsageError {
    let place = word == nil || word == name ? "" : " in \(UsageError.quoted(word ?? ""))"
    let elsewhere = tool.visibleCommands.filter { other in
      other.options.contains { !$0.isHidden && $0.names.contains(name) }
    }
    if let owner = elsewhere.first {
      let owners = elsewhere.map { "'\($0.name)'" }.joined(separator: ", ")
      return UsageError(
        "'\(command.name)' has no option \(UsageError.quoted(name))\(place)",
        advice: "\(owners) \(elsewhere.count == 1 ? "has" : "have") it: "
          + tool.synopsis(of: owner))
    }
    let names =
      command.visibleOptions.flatMap(\.longNames)
      + BuiltInOption.documented.flatMap(\.names).map(\.rawValue).filter { $0.hasPrefix("--") }
    let nearest = name.hasPrefix("--") ? Suggestion.nearest(to: name, among: names) : nil
    // `-node` was meant as `--node` where the whole word is a name but for a dash.
    let doubled = word.flatMap { word in names.first { $0 == "-\(word)" } }
    return UsageError(
      "unknown option \(UsageError.quoted(name))\(place)",
      advice: UsageError.didYouMean(nearest ?? doubled)
        ?? "'\(tool.name) \(command.name) -h' lists the options")
  }

  // MARK: - Arguments

  private mutating func checkArguments() throws(UsageError) {
    guard let expected = command.arguments else {
      if let first = arguments.first {
        throw UsageError(
          "'\(command.name)' takes no arguments, got \(UsageError.quoted(first))")
      }
      return
    }
    let help = "'\(tool.name) \(command.name) -h' shows how"
    if arguments.isEmpty && expected.readsStandardInput && hasStandardInput { arguments = ["-"] }
    if arguments.isEmpty && expected.minimum > 0 {
      throw UsageError("no \(expected.name) given", advice: help)
    }
    if arguments.count < expected.minimum {
      throw UsageError(
        "'\(command.name)' needs \(expected.minimum) \(expected.name)s, got \(arguments.count)",
        advice: help)
    }
    if let maximum = expected.maximum, arguments.count > maximum {
      throw UsageError(
        "'\(command.name)' takes \(expected.synopsis), got \(UsageError.quoted(arguments[maximum])) besides",
        advice: help)
    }
  }
}
