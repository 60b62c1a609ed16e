import PeatTestSupport
import Testing

@testable import PeatInspectCommands

@Suite struct CommandTableTests {
  @Test func `the table of commands and options contradicts itself nowhere`() {
    #expect(ToolDefinition.tool.validate() == [])
  }

  @Test func `each command has help`() throws {
    for command in ToolDefinition.tool.commands where !command.isHidden {
      let run = try CommandRun([command.name, "--help"])
      #expect(run.status == 0, "\(command.name)")
      let text = run.text.split { $0.isWhitespace }.joined(separator: " ")
      #expect(text.contains(command.summary), "\(command.name)")
    }
  }
}
