/// Completion for zsh: a file for `$fpath`, or to be read with `source`.
struct ZshCompletion<Raw: Sendable> {
  let tool: Tool<Raw>

  init(_ tool: Tool<Raw>) { self.tool = tool }

  func text() -> String {
    let function = ShellText.function(of: tool)
    let names = tool.visibleCommands.map(\.name)
    let valueNames = ShellText.valueNames(of: tool)
    let valueCase =
      valueNames.isEmpty ? "" : "      \(valueNames.joined(separator: "|"))) ((index++)) ;;\n"
    return """
      #compdef \(tool.name)
      # zsh completion for \(tool.name); generated from its option table.

      \(function)_commands() {
        local -a commands=(
      \(commandDescriptions())  )
        _alternative 'files:file:_files' 'commands:command:{_describe command commands}'
      }

      \(function)() {
        local context state state_descr line command='' index
        typeset -A opt_args
        for ((index = 2; index < CURRENT; index++)); do
          case $words[index] in
            --) command=\(tool.defaultCommand); break ;;
      \(valueCase)      -?*) ;;
            \(names.joined(separator: "|")))
              # The rest sees the command line without the command's name.
              command=$words[index]
              words[index]=()
              ((CURRENT--))
              break ;;
            *) command=\(tool.defaultCommand); break ;;
          esac
        done
        case $command in
          '')
            _arguments -s -S \\
      \(specifications(of: tool.command(named: tool.defaultCommand)))        '1: :\(function)_commands' ;;
      \(commandCases())  esac
      }

      if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
        \(function) "$@"
      else
        compdef \(function) \(tool.name)
      fi

      """
  }

  private func commandDescriptions() -> String {
    tool.visibleCommands.map {
      "    \(ShellText.quoted("\(escaped($0.name)):\(escaped($0.summary))"))\n"
    }.joined()
  }

  private func commandCases() -> String {
    tool.visibleCommands.map { command in
      "    \(command.name))\n      _arguments -s -S \\\n" + specifications(of: command)
        + "        \(argumentSpecification(command)) ;;\n"
    }.joined()
  }

  private func specifications(of command: Command<Raw>?) -> String {
    var lines: [String] = []
    for option in command?.visibleOptions ?? [] {
      let value = option.value.map { ":\(escaped($0)):\(action(option))" } ?? ""
      let text = "[\(escaped(option.summary))]\(value)"
      if option.setter.isNegatable {
        for name in option.longNames { lines.append(ShellText.quoted("*\(name)\(text)")) }
        if let short = option.short { lines.append(ShellText.quoted("*-\(short)\(text)")) }
        continue
      }
      // `+` and `=`: the value follows in the same word or in the next.
      let long = "--\(option.long)\(option.takesValue ? "=" : "")"
      let short = option.short.map { "-\($0)\(option.takesValue ? "+" : "")" }
      for name in [short, long].compactMap({ $0 }) {
        lines.append(ShellText.quoted("*\(name)\(text)"))
      }
    }
    for (names, summary) in BuiltInOption.documented {
      for name in names {
        lines.append(ShellText.quoted("(- *)\(name.rawValue)[\(escaped(summary))]"))
      }
    }
    return lines.map { "        \($0) \\\n" }.joined()
  }

  private func argumentSpecification(_ command: Command<Raw>) -> String {
    guard let arguments = command.arguments else { return "'*: :'" }
    let action = action(arguments.completion)
    return ShellText.quoted("*:\(escaped(arguments.name)):\(action)")
  }

  private func action(_ option: Option<Raw>) -> String {
    if option.choices.isEmpty { return action(option.completion) }
    if option.choices.allSatisfy(\.summary.isEmpty) {
      return action(.words(option.choices.map(\.name)))
    }
    let words = option.choices.map { "\($0.name)\\:\(plain($0.summary))" }
    return "((\(words.joined(separator: " "))))"
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Text inside `[...]` or between colons.
  private func escaped(_ text: String) -> String {
    text.map { "\\:[]".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  /// Text inside `((name:text ...))`: one word for the shell.
  private func plain(_ text: String) -> String {
    text.map { $0.isLetter || $0.isNumber ? String($0) : "\\\($0)" }.joined()
  }
}
