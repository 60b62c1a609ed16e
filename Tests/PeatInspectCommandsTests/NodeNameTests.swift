import CommandLineOptions
import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// `--node` takes callsigns.
@Suite struct NodeNameTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }
  private let capture = path("a-two-nodes.h4.btsnoop")
  // From the scenario's truth: ALPHA-1 is 207F0E0F.
  private let id = "207F0E0F"

  @Test(
    "a callsign selects what the node's id does, in every command that has --node",
    arguments: EveryCommandTests.reading.filter { name in
      ToolDefinition.tool.command(named: name)?.options.contains { $0.long == "node" } ?? false
    })
  func callsign(command: String) throws {
    for name in ["ALPHA-1", "alpha-1"] {
      let byName = try CommandRun([command, "-q", "-f", "csv", "--node", name, capture])
      let byID = try CommandRun([command, "-q", "-f", "csv", "--node", id, capture])
      #expect(byName.output == byID.output)
      #expect(byName.status == byID.status)
    }
  }

  @Test("a name that nobody or more than one bears is refused with what there is")
  func refused() throws {
    let nobody = try CommandRun(["--node", "ZULU", capture])
    #expect(nobody.status == 2)
    #expect(nobody.standardError.contains("'ALPHA-1', 'BRAVO-2'"))
    // Both captures have an ALPHA-1, of different meshes.
    let other = Self.path("b-base.monitor.btsnoop")
    let several = try CommandRun(["--node", "ALPHA-1", capture, other])
    #expect(several.status == 2)
    #expect(several.standardError.contains(id))
  }

  @Test("where nothing can be read beforehand, the id is asked for")
  func pipe() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: capture)))
    let run = try CommandRun(["--node", "ALPHA-1", "-"], input: .pipe(bytes))
    #expect(run.status == 2)
    #expect(run.standardError.contains("give the id"))
  }

  @Test("with --each, each capture is asked for itself")
  func each() throws {
    let run = try CommandRun(
      [
        "--each", "-q", "-f", "ndjson", "--node", "ALPHA-1", capture,
        Self.path("b-base.monitor.btsnoop"),
      ])
    let records = try run.records()
    #expect(Set(records.compactMap { $0["file"].string }).count == 2)
  }
}
