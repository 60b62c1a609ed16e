import Foundation
import Testing

@testable import CommandLineOptions

@Suite struct HelpPageTests {
  @Test("help stays within the terminal", arguments: [40, 80, 200])
  func width(columns: Int) {
    let help = HelpPage(SampleTool.tool, width: columns)
    for command in SampleTool.tool.visibleCommands.map(Optional.some) + [nil] {
      for isFull in [false, true] {
        for line in help.text(for: command, isFull: isFull).split(separator: "\n") {
          // Usage lines and examples are not broken, so that they can be copied.
          if line.contains("sample-tool ") { continue }
          #expect(line.count <= min(columns, 100), "\(line)")
          #expect(line.last != " ", "\(line)")
        }
      }
    }
  }

  @Test("short help of a command has a line an option; long help has everything")
  func contents() {
    let help = HelpPage(SampleTool.tool, width: 80)
    let command = SampleTool.tool.command(named: "state")
    let short = help.text(for: command, isFull: false)
    let full = help.text(for: command, isFull: true)
    #expect(
      short.contains("  -f, --format FMT          how results are written: text, csv [text]\n"))
    #expect(short.contains("      --[no-]align          align clocks\n"))
    #expect(!short.contains("second 'paragraph'"))
    #expect(full.contains("second 'paragraph'"))
    #expect(full.contains("for people"))
    for option in command?.visibleOptions ?? [] {
      #expect(short.contains(option.synopsis))
      #expect(full.contains(option.synopsis))
    }
  }

  @Test("the tool's short help fits on a screen and names every command that is not hidden")
  func toolHelp() {
    let text = HelpPage(SampleTool.tool, width: 80).text(for: nil, isFull: false)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
    for command in SampleTool.tool.visibleCommands { #expect(text.contains("  \(command.name) ")) }
    #expect(!text.contains("secret"))
    #expect(text.hasPrefix("sample-tool 1.2.3: shows how a table works\n"))
  }
}

@Suite struct ManPageTests {
  @Test("mandoc, where it is installed, finds no fault")
  func lint() throws {
    guard let mandoc = Program("mandoc") else { return }
    try Program.withFile("sample-tool.1", ManPage(SampleTool.tool).text()) { file in
      let result = try mandoc.run(["-Tlint", "-Wwarning", file.path])
      #expect(result.status == 0, "\(result.output)")
    }
  }

  @Test("what looks like a request is text, and dashes can be copied")
  func escapes() throws {
    let page = ManPage(SampleTool.tool).text()
    #expect(page.contains("\\&.Dot lines and \\ebackslashes"))
    #expect(page.contains(".Dd November 30, 2026\n"))
    #expect(page.contains("$ sample\\-tool a.pcap | head \\-n \\(aq3\\(aq\n"))
    guard let mandoc = Program("mandoc") else { return }
    try Program.withFile("sample-tool.1", page) { file in
      let text = try mandoc.run(["-Tascii", "-Owidth=200", file.path]).output
      #expect(text.contains(".Dot lines and \\backslashes stay what they are."))
    }
  }

  @Test("every visible option stands in the manual once")
  func options() {
    let page = ManPage(SampleTool.tool).text()
    for option in SampleTool.tool.visibleCommands.flatMap(\.visibleOptions) {
      let items = page.split(separator: "\n").filter {
        $0.hasPrefix(".It ") && $0.split(separator: " ").contains("-\(option.long)")
      }
      #expect(items.count == 1, "\(option.long): \(items)")
    }
  }
}

@Suite struct ToolDescriptionTests {
  @Test("the description is JSON with every command and option")
  func json() throws {
    let data = Data(ToolDescription(SampleTool.tool).text().utf8)
    let tool = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(tool["schema"] as? Int == 1)
    let commands = try #require(tool["commands"] as? [[String: Any]])
    #expect(commands.map { $0["name"] as? String } == SampleTool.tool.commands.map(\.name))
    let options = try #require(commands[1]["options"] as? [[String: Any]])
    #expect(options.count == SampleTool.shared.count + 1)
    #expect(options[0]["names"] as? [String] == ["-f", "--format"])
    #expect(options[0]["discussion"] as? String == SampleTool.shared[0].discussion)
  }
}

@Suite struct ValidationTests {
  private func tool(_ options: [Option<SampleRaw>], _ more: Command<SampleRaw>...) -> [String] {
    let first = Command(name: "inspect", summary: "the timeline", options: options)
    return Tool<SampleRaw>(
      name: "x", summary: "x", discussion: "", version: "1", date: "2026-11-30",
      commands: [first] + more, defaultCommand: "inspect"
    ).validate()
  }

  private func option(
    _ long: String, short: Character? = nil, value: String? = nil, choices: [Choice] = [],
    summary: String = "does it", _ setter: OptionSetter<SampleRaw> = .set(\.isQuiet)
  ) -> Option<SampleRaw> {
    Option(
      long: long, short: short, value: value, choices: choices, category: SampleTool.output,
      summary: summary, apply: setter)
  }

  @Test("the sample has no fault")
  func sample() {
    #expect(SampleTool.tool.validate() == [])
  }

  @Test("each fault is found")
  func faults() {
    let table: [([Option<SampleRaw>], String)] = [
      ([option("a"), option("a")], "'--a' is taken twice"),
      ([option("a", short: "h")], "'-h' is taken twice"),
      ([option("help")], "'--help' is taken twice"),
      ([option("no-x"), option("x", .toggle(\.aligns))], "'--no-x' is taken twice"),
      ([option("Upper")], "not lower-case"),
      ([option("a", short: "-")], "short name is no letter"),
      ([option("a", summary: "")], "not documented"),
      ([option("a", summary: "Does it.")], "ends in a full stop"),
      ([option("a", .text(\.output))], "its value has no name"),
      ([option("a", value: "X")], "takes no value"),
      ([option("a", choices: ["x"])], "has choices or a completion but no value"),
      ([option("a", value: "X", choices: ["x", "x"], .text(\.output))], "choice 'x' twice"),
    ]
    for (options, expected) in table {
      let problems = tool(options)
      #expect(problems.contains { $0.contains(expected) }, "\(expected): \(problems)")
    }
  }

  @Test("one name means one thing in all commands")
  func acrossCommands() {
    let other = Command(
      name: "state", summary: "x", options: [option("a", value: "V", .text(\.output))])
    #expect(tool([option("a")], other) == ["'--a' differs between 'inspect' and 'state'"])
  }
}
