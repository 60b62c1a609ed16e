import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// The settings file (docs/cli.md, "Settings").
struct SettingsTests {
  private let folder: ScratchFolder
  private let sample = TestData.testsFolder
    .deletingLastPathComponent().appendingPathComponent("samples/two-nodes.btsnoop").path

  init() throws {
    folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("peat-inspect"), withIntermediateDirectories: true)
  }

  private func run(_ arguments: [String], settings: String) throws -> CommandRun {
    _ = try folder.write(Array(settings.utf8), "peat-inspect/config")
    return try CommandRun(
      arguments, environment: ["XDG_CONFIG_HOME": folder.path(""), "TZ": "America/New_York"])
  }

  @Test("the zone and colour of the file hold where the command line says nothing")
  func defaults() throws {
    let plain = try run([sample], settings: "")
    let utc = try run([sample], settings: "# of the bench\n\nzone utc\ncolor always\n")
    #expect(utc.output == (try run(["--utc", "--color", "always", sample], settings: "").output))
    #expect(utc.output != plain.output)
    let said = try run(["--local", "--color", "never", sample], settings: "zone utc\ncolor always")
    #expect(said.output == plain.output)
    let without = try run(["--no-config", sample], settings: "zone utc\ncolor always")
    #expect(without.output == plain.output)
  }

  @Test("a keys file is looked for beside the settings, and its name may have spaces")
  func keys() throws {
    _ = try folder.write(Array("mesh A secret 12\n".utf8), "peat-inspect/my keys")
    let run = try run(["state", sample], settings: "keys my keys\n")
    #expect(run.status == 3)
    #expect(run.standardError.contains("peat-inspect/my keys:1: expected 64 hexadecimal digits"))
  }

  @Test(
    "a line that is no setting is named, with what was expected, before anything is read",
    arguments: [
      ("zone", "zone utc or zone local"), ("zone mars", "zone utc or zone local"),
      ("color blue", "color auto, always or never"), ("keys", "a value behind keys"),
      ("node 12", "keys FILE, mesh ID, zone utc|local or color auto|always|never"),
    ])
  func faults(line: String, expected: String) throws {
    for command in [
      [], ["state"], ["check"], ["links"], ["emergencies"], ["convergence"], ["stats"],
    ] {
      let run = try run(command + [sample], settings: "zone utc\n\(line)\n")
      #expect(run.status == 3)
      #expect(run.output.isEmpty)
      #expect(run.standardError.contains("peat-inspect/config:2: expected \(expected);"))
    }
  }

  @Test("--version -v shows the settings, and --version alone does not")
  func version() throws {
    let verbose = try run(["--version", "-v"], settings: "mesh ALPHA\nzone utc\n")
    #expect(verbose.lines.count == 4)
    #expect(Array(verbose.lines.suffix(2)) == ["  mesh ALPHA", "  zone utc"])
    #expect(try run(["--version"], settings: "mesh ALPHA\n").lines.count == 1)
  }
}
