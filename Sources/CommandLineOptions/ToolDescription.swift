/// The tool as JSON (`--dump-cli`), for documentation and other programs.
///
/// `schema` changes only when a key changes meaning; keys may be added.
package struct ToolDescription<Raw: Sendable> {
  private let tool: Tool<Raw>

  /// Makes the description of a tool.
  package init(_ tool: Tool<Raw>) { self.tool = tool }

  /// The JSON text, one line.
  package func text() -> String {
    let commands = tool.commands.map(describe)
    return object([
      ("schema", "1"), ("name", string(tool.name)), ("version", string(tool.version)),
      ("summary", string(tool.summary)), ("default_command", string(tool.defaultCommand)),
      ("commands", list(commands)),
      ("exit_statuses", list(tool.exitStatuses.map(describe))),
      ("environment", list(tool.environment.map(describe))),
    ]) + "\n"
  }

  private func describe(_ command: Command<Raw>) -> String {
    var members = [
      ("name", string(command.name)), ("summary", string(command.summary)),
      ("discussion", string(command.discussion)), ("hidden", "\(command.isHidden)"),
      ("options", list(command.options.map(describe))),
    ]
    if let arguments = command.arguments {
      var parts = [
        ("name", string(arguments.name)), ("summary", string(arguments.summary)),
        ("minimum", "\(arguments.minimum)"),
      ]
      if let maximum = arguments.maximum { parts.append(("maximum", "\(maximum)")) }
      members.append(("arguments", object(parts)))
    }
    let examples = command.examples.map {
      object([("command", string($0.commandLine)), ("explanation", string($0.explanation))])
    }
    return object(members + [("examples", list(examples))])
  }

  private func describe(_ option: Option<Raw>) -> String {
    var members = [("names", list(option.names.map(string)))]
    if let value = option.value { members.append(("value", string(value))) }
    if !option.choices.isEmpty {
      members.append(("choices", list(option.choices.map { string($0.name) })))
    }
    if let value = option.defaultValue { members.append(("default", string(value))) }
    return object(
      members + [
        ("category", string(option.category.title)), ("summary", string(option.summary)),
        ("discussion", string(option.discussion)),
        ("repeatable", "\(option.setter.isRepeatable)"), ("hidden", "\(option.isHidden)"),
      ])
  }

  private func describe(_ entry: Tool<Raw>.Entry) -> String {
    object([("term", string(entry.term)), ("text", string(entry.text))])
  }

  // MARK: - JSON

  private func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  private func list(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  private func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
