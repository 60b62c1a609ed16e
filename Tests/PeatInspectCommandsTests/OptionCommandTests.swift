import CommandLineOptions
import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// Every option that a command accepts changes something in it: output, stderr, status or a file.
///
/// The options are those of the table; one that is new needs a line that shows it.
struct OptionCommandTests {
  private static let walked = EveryCommandTests.reading + ["decode", "merge"]

  private static let hidden = [
    "--anonymize", "--anonymize-key", String(repeating: "42", count: 16),
  ]

  private let folder: ScratchFolder
  private let first: String
  private let second: String

  init() throws {
    folder = try ScratchFolder()
    first = try folder.write(OptionCommandTests.capture("a-two-nodes.h4.btsnoop"), "a.btsnoop")
    second = try folder.write(
      OptionCommandTests.capture("a-two-nodes.from-bravo.h4.btsnoop"), "b.btsnoop")
  }

  private static func capture(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestData.captures.appendingPathComponent(name)))
  }

  @Test("every option that a command accepts acts in it", arguments: walked)
  func options(command name: String) throws {
    let command = try #require(ToolDefinition.tool.command(named: name))
    for option in command.options where !option.isHidden {
      let lines = try witnesses(option.long, of: name)
      #expect(!lines.isEmpty, "no line shows what --\(option.long) does in \(name)")
      let acts = try lines.contains { line in
        let without = try outcome([name] + line.without, of: line)
        let with = try outcome([name] + line.with, of: line)
        return without != with
      }
      #expect(acts, "--\(option.long) is accepted by \(name) and changes nothing")
    }
  }

  /// A command line without an option and with it.
  private struct Line {
    var without: [String]
    var with: [String]
    var environment: [String: String] = [:]
  }

  private struct Outcome: Equatable {
    var status: Int32
    var output: [UInt8]
    var standardError: String
    var files: [String]
  }

  private func outcome(_ arguments: [String], of line: Line) throws -> Outcome {
    let made = ["out", "cache"]
    for name in made { try? FileManager.default.removeItem(atPath: folder.path(name)) }
    let run = try CommandRun(
      arguments, environment: line.environment.merging(["TZ": "America/New_York"]) { $1 })
    return Outcome(
      status: run.status, output: run.output, standardError: run.standardError,
      files: made.filter { FileManager.default.fileExists(atPath: folder.path($0)) })
  }

  /// Lines of which one is enough to show what an option does.
  private func witnesses(_ option: String, of command: String) throws -> [Line] {
    let isHex = ["decode", "merge"].contains(command)
    let inputs = isHex ? ["020000000f0e7f2000000000", "030000000f0e7f2000000000"] : [first]
    func lines(_ words: [String], _ more: [String] = [], on files: [String]? = nil) -> [Line] {
      let files = files ?? inputs
      return [
        Line(without: more + files, with: words + more + files),
        Line(
          without: more + ["-f", "ndjson"] + files,
          with: words + more + ["-f", "ndjson"] + files),
      ]
    }
    switch option {
    case "format":
      return [Line(without: ["-f", "ndjson"] + inputs, with: ["-f", "text"] + inputs)]
    case "graph": return lines(["--graph", "dot"])
    case "interval": return lines(["--interval", "100ms"])
    case "output": return lines(["-o", folder.path("out")])
    case "utc": return lines(["--utc"])
    case "local": return [Line(without: ["--utc"] + inputs, with: ["--utc", "--local"] + inputs)]
    case "relative": return lines(["--relative"])
    case "no-config":
      // A keys file that everybody can read is warned of by every command that loads it.
      try FileManager.default.createDirectory(
        atPath: folder.path("config/peat-inspect"), withIntermediateDirectories: true)
      _ = try folder.write(Array("# none\n".utf8), "config/peat-inspect/keys")
      _ = try folder.write(Array("keys keys\n".utf8), "config/peat-inspect/config")
      let home = ["XDG_CONFIG_HOME": folder.path("config")]
      return [Line(without: inputs, with: ["--no-config"] + inputs, environment: home)]
    case "color": return lines(["--color", "always"], isHex ? ["-f", "text"] : [])
    case "from":
      return lines(["--from", "1"]) + lines(["--from", "100"]) + (try findings(["--from", "100"]))
    case "to":
      return lines(["--to", "0.5"]) + lines(["--to", "0"]) + (try findings(["--to", "0"]))
    case "at": return lines(["--at", "0.5"]) + lines(["--at", "0"])
    case "node": return lines(["--node", "00000001"]) + (try findings(["--node", "00000001"]))
    case "mesh-id": return lines(["--mesh-id", "OTTO"])
    case "peer":
      return lines(["--peer", "C0:00:00:00:00:77"])
        + (try findings(["--peer", "C0:00:00:00:00:77"]))
    case "kind": return lines(["--kind", "app"]) + (try findings(["--kind", "app"]))
    case "event": return lines(["--event", "need_assist"]) + (try findings(["--event", "moving"]))
    case "changed": return lines(["--changed"]) + (try findings(["--changed"]))
    case "filter":
      return lines(["--filter", "bytes > 9999"]) + (try findings(["--filter", "bytes > 9999"]))
    case "handle": return lines(["--handle", "0x0033"], on: [try unnamed()])
    case "characteristic": return lines(["--characteristic", "2a37"], on: [try heartRate()])
    case "all-characteristics": return lines(["--all-characteristics"], on: [try sibling()])
    case "bond-cache": return lines(["--bond-cache", folder.path("cache")])
    case "all-members":
      let zip = TestData.testsFolder.appendingPathComponent(
        "BugReports2/07-samsung-bugreport/header-only-log-plus-last.zip")
      return lines(["--all-members"], on: [zip.path])
    case "follow": return [Line(without: inputs + inputs, with: ["--follow"] + inputs + inputs)]
    case "keys": return lines(["--keys", try folder.write(Array("# none\n".utf8), "keys")])
    case "cdb":
      let neighbours = TestData.testsFolder.appendingPathComponent("Neighbours")
      let database = neighbours.appendingPathComponent("mesh-gatt.cdb.json").path
      return lines(
        ["--cdb", database], on: [neighbours.appendingPathComponent("mesh-proxy.h4.btsnoop").path])
    case "mesh": return lines(["--mesh", "DEMO"])
    case "secret": return lines(["--secret", String(repeating: "42", count: 32)])
    case "align": return lines(["--no-align"], on: [first, second])
    case "offset": return lines(["--offset", "\(second)=3"], on: [first, second])
    case "strict":
      var bytes = try OptionCommandTests.capture("a-two-nodes.h4.btsnoop")
      bytes.replaceSubrange(200..<240, with: repeatElement(0xFF, count: 40))
      return lines(["--strict"], on: [try folder.write(bytes, "damaged.btsnoop")])
    case "progress": return lines(["--progress", "always"])
    case "quiet":
      return lines(["-q"], ["--mesh", "DEMO", "--secret", String(repeating: "42", count: 32)])
    case "verbose": return lines(["-v"])
    case "apply-deltas":
      return lines(
        ["--apply-deltas"],
        on: [TestData.captures.appendingPathComponent("j-wrapped.h4.btsnoop").path])
    case "between": return lines(["--between", "207F0E0F,207F0E2E"])
    case "against": return lines(["--against", second])
    case "of": return lines(["--of", "convergence"], ["--against", second])
    case "exit-code": return lines(["--exit-code"])
    case "fail-on": return try findings(["--fail-on", "note"])
    case "list": return lines(["--list"])
    case "events": return lines(["--events"])
    case "only": return try findings(["--only", "bad-crc"])
    case "ignore": return try findings(["--ignore", "cut-by-mtu"])
    case "severity": return try findings(["--severity", "error"])
    case "all-packets": return shared(["--all-packets"], on: [first])
    case "apply-clocks": return shared(["--apply-clocks"], on: [first, second])
    case "include-opened":
      return shared(
        ["--include-opened"],
        ["--mesh", "ALFA", "--secret", OptionCommandTests.secret],
        on: [TestData.captures.appendingPathComponent("j-wrapped.h4.btsnoop").path])
    case "wireshark-filter": return lines(["--wireshark-filter"])
    case "anonymize": return lines(["--anonymize"])
    case "anonymize-key": return lines(["--anonymize-key", "missing"], ["--anonymize"])
    case "anonymize-time": return lines(["--anonymize-time"], OptionCommandTests.hidden)
    case "positions": return lines(["--positions", "drop"], OptionCommandTests.hidden)
    case "keep-foreign": return lines(["--keep-foreign"], OptionCommandTests.hidden)
    case "as": return lines(["--as", "relay"])
    case "clocks":
      let record =
        "{\"schema\":1,\"scope\":\"clock\",\"file\":\"\(first)\",\"origin_ns\":0,\"offset_ns\":5000000000,\"drift\":0}\n"
      return lines(["--clocks", try folder.write(Array(record.utf8), "clocks")], on: [first])
    case "mergeable": return lines(["--mergeable"])
    case "states": return lines(["--states"])
    case "each": return lines(["--each"], on: [first, second])
    case "jobs": return lines(["--jobs", "2"])
    case "time-limit": return lines(["--time-limit", "9"])
    case "facts": return lines(["--facts"])
    case "name": return lines(["--name", "x"])
    default: return []
    }
  }

  /// A capture that is written again.
  private func shared(_ words: [String], _ more: [String] = [], on files: [String]) -> [Line] {
    let common = more + ["-f", "pcapng"] + files
    return [Line(without: common, with: words + common)]
  }

  /// A capture with findings: a document that the MTU cut.
  private func findings(_ words: [String]) throws -> [Line] {
    let path = TestData.captures.appendingPathComponent("c-mtu23.h4.btsnoop").path
    return [Line(without: [path], with: words + [path])]
  }

  /// Values that read as documents, on a handle that nothing names, from several sides of it.
  private func unnamed() throws -> String {
    var capture = CaptureBuilder()
    capture.connect()
    capture.att([0x1B, 0x33, 0] + OptionCommandTests.document, from: .peer)
    capture.att([0x1B, 0x33, 0, 1, 2], from: .peer)
    return try folder.write(capture.bytes, "unnamed.btsnoop")
  }

  /// A document on a characteristic of another kind.
  private func heartRate() throws -> String {
    var capture = CaptureBuilder()
    capture.connect()
    capture.att([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], from: .host)
    capture.att([0x09, 7, 0x11, 0, 0x1A, 0x12, 0, 0x37, 0x2A], from: .peer)
    capture.att([0x1B, 0x12, 0] + OptionCommandTests.document, from: .peer)
    return try folder.write(capture.bytes, "heart.btsnoop")
  }

  /// A value of another characteristic of a Peat service.
  private func sibling() throws -> String {
    var capture = CaptureBuilder()
    capture.connect()
    capture.att([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], from: .host)
    capture.att([0x11, 6, 0x10, 0, 0x2F, 0, 0x7A, 0xF4], from: .peer)
    capture.att([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], from: .host)
    capture.att([0x09, 7, 0x11, 0, 0x1A, 0x12, 0, 0x04, 0x00], from: .peer)
    capture.att([0x1B, 0x12, 0] + OptionCommandTests.document, from: .peer)
    return try folder.write(capture.bytes, "sibling.btsnoop")
  }

  /// The secret of j-wrapped, as its truth file has it.
  private static let secret = "3b3801d84e1453a02e39606cbb1a8ee044e9fd60c45167fa17d4f6b2568d22dc"

  /// Version 2 of node 207F0E0F with an empty counter (protocol.md 3).
  private static let document: [UInt8] = [2, 0, 0, 0, 0x0F, 0x0E, 0x7F, 0x20, 0, 0, 0, 0]
}
