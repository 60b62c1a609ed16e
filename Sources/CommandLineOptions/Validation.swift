extension Tool {
  /// What is wrong with the table, one sentence each; a test expects none.
  package func validate() -> [String] {
    var problems = duplicates(commands.map(\.name)).map { "two commands are named '\($0)'" }
    if command(named: defaultCommand) == nil {
      problems.append("the default command '\(defaultCommand)' does not exist")
    }
    if !date.isCalendarDate { problems.append("the date '\(date)' is not YYYY-MM-DD") }
    for command in commands { problems += validate(command) }
    return problems + crossCommandProblems()
  }

  private func validate(_ command: Command<Raw>) -> [String] {
    let place = "command '\(command.name)'"
    var problems = summaryProblems(command.summary, of: place)
    if !isName(command.name) { problems.append("\(place): the name is not lower-case words") }
    let reserved = BuiltInOption.allCases.map(\.rawValue)
    let names = reserved + command.options.flatMap(\.names)
    problems += duplicates(names).map { "\(place): '\($0)' is taken twice" }
    for option in command.options { problems += validate(option, place: place) }
    for other in command.seeAlso where self.command(named: other) == nil {
      problems.append("\(place): refers to '\(other)', which does not exist")
    }
    if let arguments = command.arguments {
      problems += summaryProblems(arguments.summary, of: "\(place), argument \(arguments.name)")
      if let maximum = arguments.maximum, maximum < max(arguments.minimum, 1) {
        problems.append("\(place): at most \(maximum) arguments but at least \(arguments.minimum)")
      }
    }
    for example in command.examples where example.explanation.isEmpty {
      problems.append("\(place): the example '\(example.commandLine)' is not explained")
    }
    return problems
  }

  private func validate(_ option: Option<Raw>, place: String) -> [String] {
    let place = "\(place), option '--\(option.long)'"
    var problems = summaryProblems(option.summary, of: place)
    if !isName(option.long) { problems.append("\(place): the name is not lower-case words") }
    if let short = option.short, !short.isASCII || !(short.isLetter || short.isNumber) {
      problems.append("\(place): the short name is no letter")
    }
    if option.takesValue != (option.value != nil) {
      problems.append("\(place): \(option.takesValue ? "its value has no name" : "takes no value")")
    }
    if let value = option.value, value.isEmpty || value.contains(where: { $0 == " " }) {
      problems.append("\(place): the name of its value is not one word")
    }
    if !option.takesValue && (!option.choices.isEmpty || option.completion != .nothing) {
      problems.append("\(place): has choices or a completion but no value")
    }
    if !option.choices.isEmpty && option.completion != .nothing {
      problems.append("\(place): has both choices and a completion")
    }
    if option.setter.isNegatable && option.long.hasPrefix("no-") {
      problems.append("\(place): its negation would begin with --no-no-")
    }
    problems += duplicates(option.choices.map(\.name)).map { "\(place): choice '\($0)' twice" }
    for choice in option.choices where choice.name.isEmpty || choice.name.contains(" ") {
      problems.append("\(place): the choice '\(choice.name)' is not one word")
    }
    if let value = option.defaultValue, !option.choices.isEmpty,
      !option.choices.contains(where: { $0.name == value })
    {
      problems.append("\(place): the default '\(value)' is none of its choices")
    }
    return problems
  }

  /// One name means one thing: the parser looks for the command's name before it knows the command,
  /// and users learn an option once.
  private func crossCommandProblems() -> [String] {
    var problems: [String] = []
    var known: [String: (takesValue: Bool, long: String, command: String)] = [:]
    for command in commands {
      for option in command.options {
        for name in option.names {
          let this = (takesValue: option.takesValue, long: option.long, command: command.name)
          if let other = known[name], other.takesValue != this.takesValue || other.long != this.long
          {
            problems.append("'\(name)' differs between '\(other.command)' and '\(this.command)'")
          }
          known[name] = this
        }
      }
    }
    return problems
  }

  private func summaryProblems(_ summary: String, of place: String) -> [String] {
    if summary.isEmpty { return ["\(place): not documented"] }
    if summary.hasSuffix(".") { return ["\(place): the summary ends in a full stop"] }
    if summary.contains("\n") { return ["\(place): the summary has several lines"] }
    return []
  }

  private func isName(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter, name.last != "-" else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
  }

  private func duplicates(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { !seen.insert($0).inserted }
  }
}

extension String {
  /// Whether it is written as `2026-11-30`.
  fileprivate var isCalendarDate: Bool {
    let parts = split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.count) == [4, 2, 2] && parts.allSatisfy { $0.allSatisfy(\.isNumber) }
  }
}
