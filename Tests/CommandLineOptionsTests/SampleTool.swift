@testable import CommandLineOptions

/// A small tool with one of everything.
struct SampleRaw: Sendable, Equatable {
  enum Format: String, Sendable { case text, csv, ndjson }
  enum Zone: Sendable { case utc, local }

  var format = Format.text
  var output: String?
  var nodes: [String] = []
  var from: String?
  var zone = Zone.local
  var verbosity = 0
  var isQuiet = false
  var aligns = true
  var limit: Int?
  var at: String?
}

enum SampleTool {
  static let output = OptionCategory("Output")
  static let selection = OptionCategory("Selection")

  static let shared: [Option<SampleRaw>] = [
    Option(
      long: "format", short: "f", value: "FMT", choices: [Choice("text", "for people"), "csv"],
      defaultValue: "text", category: output, summary: "how results are written",
      discussion: "A first sentence.\n\nA second 'paragraph' with [brackets]: and colons.",
      isCommon: true, apply: .choice(\.format)),
    Option(
      long: "output", short: "o", value: "PATH", completion: .file, category: output,
      summary: "write there instead of stdout", isCommon: true, apply: .text(\.output)),
    Option(
      long: "utc", category: output, summary: "show times in UTC", apply: .set(\.zone, to: .utc)),
    Option(
      long: "node", value: "ID", category: selection, summary: "keep only this node",
      apply: .append(\.nodes)),
    Option(
      long: "from", value: "T", category: selection, summary: "keep only later messages",
      apply: .text(\.from)),
    Option(
      long: "limit", value: "N", category: selection, summary: "stop after that many",
      apply: .integer(\.limit, in: 1...100)),
    Option(
      long: "align", category: selection, summary: "align clocks", apply: .toggle(\.aligns)),
    Option(
      long: "verbose", short: "v", category: output, summary: "say more",
      apply: .count(\.verbosity)),
    Option(
      long: "quiet", short: "q", category: output, summary: "say less", apply: .set(\.isQuiet)),
  ]

  static let files = Arguments(
    name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -")

  static let tool = Tool<SampleRaw>(
    name: "sample-tool", summary: "shows how a table works",
    discussion: "It reads files.\n\n.Dot lines and \\backslashes stay what they are.",
    version: "1.2.3", date: "2026-11-30",
    commands: [
      Command(
        name: "inspect", summary: "the timeline", discussion: "Long words about it.",
        options: shared, arguments: files,
        examples: [Example("sample-tool a.pcap | head -n '3'", "Shows the start.")],
        seeAlso: ["state"]),
      Command(
        name: "state", summary: "the state at one moment",
        options: shared + [
          Option(
            long: "at", value: "T", category: selection, summary: "the moment", apply: .text(\.at))
        ], arguments: files),
      Command(
        name: "shell", summary: "it's a script",
        arguments: Arguments(
          name: "SHELL", minimum: 1, maximum: 1, completion: .words(["bash", "zsh", "fish"]),
          summary: "the shell")),
      Command(name: "list", summary: "what there is"),
      Command(name: "secret", summary: "not shown", isHidden: true),
    ],
    defaultCommand: "inspect",
    exitStatuses: [.init("0", "done"), .init("2", "the command line is wrong")],
    environment: [.init("NO_COLOR", "no colours")], files: [.init("keys", "one a line")],
    seeAlso: ["tshark(1)"])

  /// The command, options and arguments of a command line, or its error as text.
  static func run(_ words: String...) -> Result<Run, UsageError> {
    do throws(UsageError) {
      guard case .run(let command, let raw, let arguments) = try invoke(words) else {
        return .failure(UsageError("asks for no command"))
      }
      return .success(Run(command: command.name, raw: raw, arguments: arguments))
    } catch {
      return .failure(error)
    }
  }

  static func invoke(_ words: [String]) throws(UsageError) -> Invocation<SampleRaw> {
    try tool.parse(words, defaults: SampleRaw())
  }

  /// The error of a command line, as one line.
  static func complaint(_ words: String...) -> String? {
    do throws(UsageError) {
      _ = try invoke(words)
      return nil
    } catch {
      return error.description
    }
  }

  struct Run: Equatable {
    let command: String
    let raw: SampleRaw
    let arguments: [String]
  }
}
