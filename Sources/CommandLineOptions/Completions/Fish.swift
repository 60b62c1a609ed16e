/// Completion for fish 3.
struct FishCompletion<Raw: Sendable> {
  let tool: Tool<Raw>

  init(_ tool: Tool<Raw>) { self.tool = tool }

  func text() -> String {
    let function = "_" + ShellText.function(of: tool)
    let names = tool.visibleCommands.map(\.name).joined(separator: " ")
    let valueNames = ShellText.valueNames(of: tool)
    let valueCase =
      valueNames.isEmpty
      ? "" : "            case \(valueNames.joined(separator: " "))\n                set skip 1\n"
    var text = """
      # fish completion for \(tool.name); generated from its option table.

      # The command on the line; nothing where none has been typed yet.
      function \(function)_command
          set -l skip 0
          for word in (commandline -opc)[2..-1]
              if test $skip = 1
                  set skip 0
                  continue
              end
              switch $word
                  case --
                      echo \(tool.defaultCommand)
                      return
      \(valueCase)            case '-?*'
                  case \(names)
                      echo $word
                      return
                  case '*'
                      echo \(tool.defaultCommand)
                      return
              end
          end
      end

      function \(function)_none
          test -z (\(function)_command | string collect)
      end

      # The default command's options hold as long as no command has been typed.
      function \(function)_in
          set -l command (\(function)_command)
          test -n "$command"; or set command \(tool.defaultCommand)
          contains -- "$command" $argv
      end

      complete -c \(tool.name) -e

      """
    for command in tool.visibleCommands {
      text += line(
        condition: "\(function)_none", "-a \(quoted(command.name))", command.summary)
    }
    for command in tool.visibleCommands {
      if let arguments = command.arguments { text += argumentLine(command, arguments, function) }
      if command.arguments?.completion != .file {
        text += line(condition: "\(function)_in \(command.name)", "-f", nil)
      }
    }
    return text + optionLines(function)
  }

  private func argumentLine(
    _ command: Command<Raw>, _ arguments: Arguments, _ function: String
  ) -> String {
    guard case .words(let words) = arguments.completion else { return "" }
    let list = quoted(words.joined(separator: " "))
    return line(condition: "\(function)_in \(command.name)", "-a \(list)", arguments.summary)
  }

  /// One line an option; commands that share it stand in the condition.
  private func optionLines(_ function: String) -> String {
    var text = ""
    var seen: Set<String> = []
    for option in tool.visibleCommands.flatMap(\.visibleOptions)
    where seen.insert(option.long).inserted {
      let owners = tool.visibleCommands.filter { command in
        command.visibleOptions.contains { $0.long == option.long }
      }
      let condition = "\(function)_in \(owners.map(\.name).joined(separator: " "))"
      let short = option.short.map { "-s \($0) " } ?? ""
      text += line(
        condition: condition, "\(short)-l \(option.long)\(valueFlags(option))", option.summary)
      if option.setter.isNegatable {
        text += line(condition: condition, "-l no-\(option.long)", option.summary)
      }
    }
    for (names, summary) in BuiltInOption.documented {
      let flags = names.map { name in
        let word = name.rawValue
        return word.hasPrefix("--") ? "-l \(word.dropFirst(2))" : "-s \(word.dropFirst())"
      }
      text += line(condition: nil, flags.joined(separator: " "), summary)
    }
    return text
  }

  private func valueFlags(_ option: Option<Raw>) -> String {
    if !option.takesValue { return "" }
    if !option.choices.isEmpty {
      // fish reads the list a second time: names and meanings are parted by its `\t`.
      let words = option.choices.map { choice in
        choice.summary.isEmpty ? choice.name : "\(choice.name)\\t\(quoted(choice.summary))"
      }
      return " -x -a \(quoted(words.joined(separator: " ")))"
    }
    return switch option.completion {
    case .nothing: " -x"
    case .file: " -r -F"
    case .folder: " -x -a '(__fish_complete_directories)'"
    case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private func line(condition: String?, _ flags: String, _ summary: String?) -> String {
    let when = condition.map { "-n \(quoted($0)) " } ?? ""
    let text = summary.map { " -d \(quoted($0))" } ?? ""
    return "complete -c \(tool.name) \(when)\(flags)\(text)\n"
  }

  /// A word in single quotes, inside which fish knows `\\'` and `\\\\`.
  private func quoted(_ word: String) -> String {
    "'" + word.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
