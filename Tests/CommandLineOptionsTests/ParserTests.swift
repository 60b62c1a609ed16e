import Testing

@testable import CommandLineOptions

@Suite struct ParserTests {
  private func raw(_ change: (inout SampleRaw) -> Void) -> SampleRaw {
    var raw = SampleRaw()
    change(&raw)
    return raw
  }

  @Test("a first word that is no command is a file of the default command")
  func defaultCommand() throws {
    let run = try SampleTool.run("a.pcap", "b.pcap").get()
    #expect(run == .init(command: "inspect", raw: SampleRaw(), arguments: ["a.pcap", "b.pcap"]))
  }

  @Test("a command is found behind options and their values")
  func commandBehindOptions() throws {
    let run = try SampleTool.run("-v", "-o", "state", "--node", "inspect", "state", "x").get()
    #expect(run.command == "state")
    #expect(run.arguments == ["x"])
    #expect(run.raw.output == "state")
    #expect(run.raw.nodes == ["inspect"])
  }

  @Test("only the first word can be a command")
  func laterCommandWordsAreFiles() throws {
    #expect(try SampleTool.run("x", "state").get().arguments == ["x", "state"])
    #expect(try SampleTool.run("state", "state").get().arguments == ["state"])
  }

  @Test("behind -- everything is a file, also names of commands and options")
  func doubleDash() throws {
    let run = try SampleTool.run("--", "state", "-q", "--").get()
    #expect(run == .init(command: "inspect", raw: SampleRaw(), arguments: ["state", "-q", "--"]))
    #expect(try SampleTool.run("state", "--", "-x").get().arguments == ["-x"])
  }

  @Test("a single dash is an argument")
  func dash() throws {
    #expect(try SampleTool.run("-").get().arguments == ["-"])
    #expect(try SampleTool.run("state", "-", "-o", "-").get().raw.output == "-")
  }

  @Test("long options take their value attached or as the next word")
  func longValues() throws {
    #expect(try SampleTool.run("--format=csv", "x").get().raw.format == .csv)
    #expect(try SampleTool.run("--format", "csv", "x").get().raw.format == .csv)
    #expect(try SampleTool.run("--node=a=b", "x").get().raw.nodes == ["a=b"])
  }

  @Test("short options stand in clusters and take their value attached or as the next word")
  func clusters() throws {
    let expected = raw {
      $0.isQuiet = true
      $0.verbosity = 2
      $0.output = "out.csv"
    }
    #expect(try SampleTool.run("-qvvoout.csv", "x").get().raw == expected)
    #expect(try SampleTool.run("-qvv", "-o", "out.csv", "x").get().raw == expected)
    #expect(try SampleTool.run("-qvvo", "out.csv", "x").get().raw == expected)
  }

  @Test("a value may look negative", arguments: [["--from", "-3"], ["--from=-3"]])
  func negativeValues(words: [String]) throws {
    guard case .run(_, let raw, let arguments) = try SampleTool.invoke(words + ["x"]) else {
      Issue.record("asks for no command")
      return
    }
    #expect(raw.from == "-3")
    #expect(arguments == ["x"])
  }

  @Test("a flag with a negation has both forms, and the last one counts")
  func negation() throws {
    #expect(try SampleTool.run("--no-align", "x").get().raw.aligns == false)
    #expect(try SampleTool.run("--no-align", "--align", "x").get().raw.aligns)
    #expect(SampleTool.complaint("--no-quiet", "x") != nil)
  }

  @Test("repeatable options add up, others keep the last")
  func repetition() throws {
    let run = try SampleTool.run("--node", "a", "--node=b", "-o", "1", "x", "-o", "2").get()
    #expect(run.raw.nodes == ["a", "b"])
    #expect(run.raw.output == "2")
    #expect(run.arguments == ["x"])
  }

  @Test("a wrong command line is told in one line with the nearest right spelling")
  func complaints() {
    let table: [([String], String)] = [
      (["--fromat", "csv", "x"], "unknown option '--fromat'; did you mean '--format'?"),
      (["--versoin"], "unknown option '--versoin'; did you mean '--version'?"),
      (["-utc", "x"], "unknown option '-u' in '-utc'; did you mean '--utc'?"),
      (["-x", "a"], "unknown option '-x'; 'sample-tool inspect -h' lists the options"),
      (
        ["--at", "3", "x"],
        "'inspect' has no option '--at'; 'state' has it: sample-tool state [OPTION...] FILE..."
      ),
      (
        ["-f", "cvs", "x"],
        "option '-f': 'cvs' is not one of text, csv; did you mean 'csv'?"
      ),
      (
        ["--limit", "0", "x"],
        "option '--limit': expected a whole number from 1 to 100, got '0'"
      ),
      (["--quiet=yes", "x"], "option '--quiet' takes no value"),
      (["x", "--from"], "option '--from' needs a value: --from T"),
      (
        ["--from", "--utc", "x"],
        "option '--from' needs a value before '--utc'; if it is the value, write --from=--utc"
      ),
      (["--output=", "x"], "option '--output': expected some text, got ''"),
      ([], "no FILE given; 'sample-tool inspect -h' shows how"),
      (["list", "x"], "'list' takes no arguments, got 'x'"),
      (
        ["shell", "bash", "zsh"],
        "'shell' takes SHELL, got 'zsh' besides; 'sample-tool shell -h' shows how"
      ),
      (["--a\u{1B}[31m\nb"], "unknown option '--a\\u{1b}[31m\\u{a}b'"),
    ]
    for (words, expected) in table {
      do throws(UsageError) {
        _ = try SampleTool.invoke(words)
        Issue.record("\(words) was accepted")
      } catch {
        #expect(error.description.hasPrefix(expected))
        #expect(!error.description.contains("\n"))
      }
    }
  }

  @Test("help, version and the dump are found anywhere before --")
  func builtIns() throws {
    let forms: [([String], String?, Bool)] = [
      (["-h"], nil, false), (["--help"], nil, true), (["state", "-h"], "state", false),
      (["--help", "state"], "state", true), (["state", "x", "-qh"], "state", false),
    ]
    for (words, name, full) in forms {
      guard case .help(let command, isFull: let isFull) = try SampleTool.invoke(words) else {
        Issue.record("\(words) asks for no help")
        continue
      }
      #expect(command?.name == name)
      #expect(isFull == full)
    }
    guard case .version = try SampleTool.invoke(["--version"]) else {
      Issue.record("no version")
      return
    }
    guard case .dump = try SampleTool.invoke(["--dump-cli"]) else {
      Issue.record("no dump")
      return
    }
  }

  @Test("a mistyped command can be recognised")
  func nearestCommand() {
    #expect(SampleTool.tool.nearestCommand(to: "stat") == "state")
    #expect(SampleTool.tool.nearestCommand(to: "inpsect") == "inspect")
    #expect(SampleTool.tool.nearestCommand(to: "capture.pcap") == nil)
    #expect(SampleTool.tool.nearestCommand(to: "secre") == nil)
  }
}

@Suite struct SuggestionTests {
  @Test("distances count insertions, deletions, changes and swaps")
  func distances() {
    let table = [
      ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "abd", 1),
      ("kitten", "sitting", 3), ("ca", "abc", 3),
    ]
    for (left, right, expected) in table {
      #expect(Suggestion.distance(Array(left), Array(right)) == expected)
      #expect(Suggestion.distance(Array(right), Array(left)) == expected)
    }
  }

  @Test("nothing is suggested for what is far from everything, empty, or endless")
  func far() {
    #expect(Suggestion.nearest(to: "zzzzzz", among: ["state", "diff"]) == nil)
    #expect(Suggestion.nearest(to: "", among: ["state"]) == nil)
    #expect(
      Suggestion.nearest(to: String(repeating: "s", count: 100_000), among: ["state"]) == nil)
  }

  @Test("a beginning suggests what it begins, if that is one")
  func beginnings() {
    #expect(Suggestion.nearest(to: "--char", among: ["--characteristic", "--kind"]) != nil)
    #expect(Suggestion.nearest(to: "conv", among: ["convergence", "convert"]) == nil)
  }
}
