import CommandLineOptions
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

@Suite struct ToolDefinitionTests {
  @Test func `the option table has no contradiction`() {
    #expect(ToolDefinition.tool.validate() == [])
  }

  @Test func `every command shows its help`() throws {
    for command in ToolDefinition.tool.visibleCommands {
      let run = try CommandRun([command.name, "--help"])
      #expect(run.status == 0)
      let text = run.text.split { $0.isWhitespace }.joined(separator: " ")
      #expect(text.contains(command.summary), "\(command.name)")
    }
  }
}
