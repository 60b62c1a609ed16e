/// Completion for bash 4 and later; needs no other package.
struct BashCompletion<Raw: Sendable> {
  let tool: Tool<Raw>

  init(_ tool: Tool<Raw>) { self.tool = tool }

  func text() -> String {
    let function = ShellText.function(of: tool)
    let names = tool.visibleCommands.map(\.name)
    let valueNames = ShellText.valueNames(of: tool)
    let valueCase =
      valueNames.isEmpty
      ? ""
      : """
            \(valueNames.joined(separator: "|")))
              [[ ${COMP_WORDS[index + 1]} == '=' ]] && ((index++))
              ((index++)) ;;

      """
    return """
      # bash completion for \(tool.name); generated from its option table.
      \(function)() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
        local command='' plain='' word index
        # '=' is a word of its own here: --option = value.
        if [[ $cur == '=' ]]; then
          cur=''
        elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
          prev=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          case $word in
            --) plain=1; break ;;
      \(valueCase)      -?*) ;;
            \(names.joined(separator: "|")))
              [[ -z $command ]] && command=$word ;;
            *) [[ -z $command ]] && command=\(tool.defaultCommand) ;;
          esac
        done
        COMPREPLY=()
        if [[ -z $plain ]]; then
          case "${command:-\(tool.defaultCommand)} $prev" in
      \(valueCases())      esac
          if [[ $cur == -* ]]; then
            case "${command:-\(tool.defaultCommand)}" in
      \(optionCases())      esac
            return
          fi
        fi
        if [[ -z $command && -z $plain ]]; then
          \(reply(words: names))
          local -a found=("${COMPREPLY[@]}")
          \(function)_arguments \(tool.defaultCommand) "$cur"
          COMPREPLY=("${found[@]}" "${COMPREPLY[@]}")
          return
        fi
        \(function)_arguments "${command:-\(tool.defaultCommand)}" "$cur"
      }

      \(function)_arguments() {
        local cur=$2
        COMPREPLY=()
        case "$1" in
      \(argumentCases())  esac
      }

      complete -F \(function) \(tool.name)

      """
  }

  private func valueCases() -> String {
    var text = ""
    for command in tool.visibleCommands {
      for option in command.visibleOptions where option.takesValue {
        let patterns = option.names.map { ShellText.quoted("\(command.name) \($0)") }
        let words = option.choices.map(\.name)
        let action = reply(words.isEmpty ? option.completion : .words(words))
        text += "        \(patterns.joined(separator: "|"))) \(action); return ;;\n"
      }
    }
    return text
  }

  private func optionCases() -> String {
    tool.visibleCommands.map { command in
      let names = command.visibleOptions.flatMap(\.names) + ShellText.builtIns
      return "          \(command.name)) \(reply(words: names)) ;;\n"
    }.joined()
  }

  private func argumentCases() -> String {
    tool.visibleCommands.map { command in
      "    \(command.name)) \(reply(command.arguments?.completion ?? .nothing)) ;;\n"
    }.joined()
  }

  private func reply(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .file: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
    case .folder:
      "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"
    case .words(let words): reply(words: words)
    }
  }

  private func reply(words: [String]) -> String {
    let list = ShellText.quoted(words.joined(separator: " "))
    return "mapfile -t COMPREPLY < <(compgen -W \(list) -- \"$cur\")"
  }
}
