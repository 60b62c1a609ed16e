import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// Help, manual and completions come out of one table; the copies in the tree must follow it.
struct GeneratedFilesTests {
  private static let project = TestData.testsFolder.deletingLastPathComponent()

  @Test("the option table contradicts itself nowhere")
  func tableIsSound() {
    #expect(ToolDefinition.tool.validate() == [])
  }

  @Test(
    "manual and completions in the tree are what the tool prints",
    arguments: [
      (["man"], "man/peat-inspect.1"),
      (["man", "findings"], "man/peat-inspect-findings.7"),
      (["completions", "bash"], "completions/peat-inspect.bash"),
      (["completions", "zsh"], "completions/_peat-inspect"),
      (["completions", "fish"], "completions/peat-inspect.fish"),
    ])
  func copiesAreInStep(arguments: [String], file: String) throws {
    let printed = try CommandRun(arguments)
    let kept = try String(
      contentsOf: Self.project.appendingPathComponent(file), encoding: .utf8)
    #expect(printed.text == kept, "run make man")
  }

  @Test("the manual's date is that of the newest version in the change log")
  func dateIsOfTheChangeLog() throws {
    let log = try String(
      contentsOf: Self.project.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    #expect(log.contains("[\(ToolDefinition.version)] - \(ToolDefinition.date)"))
  }
}
