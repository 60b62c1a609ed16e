import CommandLineOptions
import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// What holds for every command that reads captures; the commands are those of the table, so that
/// a new one is held to it too.
struct EveryCommandTests {
  /// The commands that read captures to their end.
  static let reading = ToolDefinition.tool.visibleCommands.filter { command in
    command.arguments?.name == "FILE" && command.options.contains { $0.long == "strict" }
      && command.options.contains { $0.long == "output" }
  }.map(\.name)

  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  @Test("the table names the reading commands")
  func commands() {
    #expect(
      Set(EveryCommandTests.reading).isSuperset(
        of: ["inspect", "state", "diff", "convergence", "check"]))
  }

  @Test(
    "no command writes its output over what it reads, under whatever name", arguments: reading)
  func outputOverInput(command: String) throws {
    let folder = try ScratchFolder()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    let capture = try folder.write(bytes, "a.btsnoop")
    let zip = TestData.testsFolder.appendingPathComponent(
      "BugReports2/07-samsung-bugreport/header-only-log-plus-last.zip")
    let packed = [UInt8](try Data(contentsOf: zip))
    let archive = try folder.write(packed, "r.zip")
    let keys = try folder.write(Array("# none\n".utf8), "keys")
    let symbolic = folder.path("symbolic")
    try FileManager.default.createSymbolicLink(atPath: symbolic, withDestinationPath: capture)
    let hard = folder.path("hard")
    try FileManager.default.linkItem(atPath: capture, toPath: hard)
    let member = archive + "!FS/data/misc/bluetooth/logs/btsnoop_hci.log.last"
    let tries: [(arguments: [String], input: CommandRun.Input)] = [
      (["-o", capture, capture], .nothing), (["-o", symbolic, capture], .nothing),
      (["-o", hard, capture], .nothing), (["-o", capture, symbolic], .nothing),
      (["-o", folder.path("./a.btsnoop"), sample, capture], .nothing),
      (["-o", archive, member], .nothing), (["-o", archive, archive], .nothing),
      (["-o", capture, "-"], .file(capture)), (["-o", keys, "--keys", keys, capture], .nothing),
    ]
    for (arguments, input) in tries {
      let run = try CommandRun([command] + arguments, input: input)
      #expect(run.status == 2, "\(command) \(arguments)")
      #expect(run.standardError.contains("is the input"), "\(command) \(arguments)")
      #expect(run.output.isEmpty)
    }
    #expect(try folder.contents("a.btsnoop") == bytes)
    #expect(try folder.contents("r.zip") == packed)
    #expect(try folder.contents("keys") == Array("# none\n".utf8))
  }

  @Test("a recording is not written over what is monitored, nor a text over what is decoded")
  func otherOutputs() throws {
    let folder = try ScratchFolder()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    let capture = try folder.write(bytes, "a.btsnoop")
    let text = try folder.write(Array("020000000f0e7f2000000000\n".utf8), "hex")
    let tries: [(arguments: [String], input: CommandRun.Input)] = [
      (["monitor", "--replay", capture, "-w", capture], .nothing),
      (["monitor", "-w", capture, "-"], .file(capture)),
      (["monitor", "--replay", sample, "--keys", capture, "-w", capture], .nothing),
      (["decode", "-o", text], .file(text)), (["merge", "-o", text], .file(text)),
      (["diff", "--against", capture, "-o", capture, sample], .nothing),
    ]
    for (arguments, input) in tries {
      let run = try CommandRun(arguments, input: input)
      #expect(run.status == 2, "\(arguments)")
      #expect(run.standardError.contains("is the input"), "\(arguments)")
    }
    #expect(try folder.contents("a.btsnoop") == bytes)
    #expect(try folder.contents("hex") == Array("020000000f0e7f2000000000\n".utf8))
  }

  @Test("an input that fails, early or late, silences no other", arguments: reading)
  func faultyInputs(command: String) throws {
    let folder = try ScratchFolder()
    let foreign = try folder.write(EveryCommandTests.ethernet, "e.pcapng")
    let empty = try folder.write([], "empty")
    let alone = try CommandRun([command, "-f", "csv", sample])
    #expect(alone.status == 0)
    for files in [
      [sample, foreign], [foreign, sample], [sample, "/no/such/file"], [empty, sample],
      [foreign, "/no/such/file", sample, empty],
    ] {
      let run = try CommandRun([command, "-f", "csv", "--no-align"] + files)
      #expect(run.status == 3, "\(command) \(files)")
      #expect(run.text == alone.text, "\(command) \(files)")
      for file in files where file != sample {
        #expect(run.standardError.contains("peat-inspect: \(file): "), "\(command) \(file)")
      }
    }
  }

  @Test("every command says once what is not shown, and on which handles", arguments: reading)
  func notShown(command: String) throws {
    var capture = CaptureBuilder()
    capture.connect()
    for value in 0..<3 { capture.att([0x1B, 0x33, 0, 1, 2, UInt8(value)], from: .peer) }
    capture.att([0x1B, 0x44, 0, 9], from: .peer)
    let folder = try ScratchFolder()
    let path = try folder.write(capture.bytes, "a.btsnoop")
    for verbose in [[], ["-v"]] {
      let run = try CommandRun([command] + verbose + [path])
      let lines = run.standardError.split(separator: "\n").filter {
        $0.contains(/[0-9]+ values? (was|were) not shown/)
      }
      #expect(lines.count == 1, "\(command): \(run.standardError)")
      #expect(lines.first?.contains("4 values were not shown") == true, "\(command)")
      #expect(lines.first?.contains("0x0033") == true && lines.first?.contains("0x0044") == true)
      #expect(run.status == 0)
    }
    let quiet = try CommandRun([command, "-q", path])
    #expect(!quiet.standardError.contains("not shown"))
  }

  @Test("every command says in one sentence why there is no message", arguments: reading)
  func whyNothing(command: String) throws {
    let folder = try ScratchFolder()
    var control = CaptureBuilder()
    control.packet([0x01, 0x03, 0x0C, 0], from: .host, isControl: true)
    control.packet([0x04, 0x0E, 4, 1, 0x03, 0x0C, 0], from: .peer, isControl: true)
    var filtered = CaptureBuilder()
    filtered.connect()
    var unnamed = CaptureBuilder()
    unnamed.connect()
    unnamed.att([0x1B, 0x33, 0, 1], from: .peer)
    var other = CaptureBuilder()
    other.connect()
    other.att([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], from: .host)
    other.att([0x09, 7, 0x11, 0, 0x1A, 0x12, 0, 0x37, 0x2A], from: .peer)
    other.att([0x1B, 0x12, 0, 0, 60], from: .peer)
    let reports = TestData.testsFolder.appendingPathComponent("BugReports2")
    let cases: [(path: String, reason: String)] = [
      (try folder.write(CaptureBuilder().bytes, "header"), "holds no packets"),
      (try folder.write(control.bytes, "control"), "no LE connection in this capture, and no ACL"),
      (try folder.write(filtered.bytes, "filtered"), "the log was filtered"),
      (try folder.write(unnamed.bytes, "unnamed"), "no discovery in the capture names"),
      (try folder.write(other.bytes, "other"), "no discovered characteristic is a Peat document"),
      (
        reports.appendingPathComponent("29-filtered-log/headers-only-9.btsnoop").path,
        "kept only the headers"
      ),
      (
        reports.appendingPathComponent("18-not-followed/connect-not-followed.pcap").path,
        "not followed by the sniffer"
      ),
    ]
    for (path, reason) in cases {
      let run = try CommandRun([command, path])
      let told = run.standardError.split(separator: "\n").filter {
        $0.contains("no Peat message: ")
      }
      #expect(told.count == 1, "\(command) \(path): \(run.standardError)")
      #expect(told.first?.contains(reason) == true, "\(command) \(path): \(run.standardError)")
    }
  }

  @Test("status 4 never comes without a sentence on stderr", arguments: reading)
  func damaged(command: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: TestData.captures.path)
      .filter { $0.hasPrefix("h-damaged") && !$0.hasSuffix(".json") }.sorted()
    var met = 0
    let more = TestData.testsFolder.appendingPathComponent(
      "BugReports2/29-filtered-log/headers-only-9.btsnoop"
    ).path
    for file in files.map({ TestData.captures.appendingPathComponent($0).path }) + [more] {
      let run = try CommandRun([command, "-q", file])
      guard run.status == 4 else { continue }
      met += 1
      #expect(run.standardError.contains("peat-inspect: \(file): "), "\(command) \(file)")
    }
    #expect(met >= 5, "\(command)")
  }

  @Test("a time before the end of what comes through a pipe is refused", arguments: reading)
  func timeBeforeUnknownEnd(command: String) throws {
    let options = ToolDefinition.tool.command(named: command)?.options.map(\.long) ?? []
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    for option in ["from", "to", "at"] where options.contains(option) {
      let run = try CommandRun([command, "--\(option)", "-1", "-"], input: .pipe(bytes))
      if ["diff", "convergence"].contains(command) {
        // They choose their moments when everything is read.
        let file = try CommandRun([command, "--\(option)", "-1", sample])
        #expect(run.status == 0)
        #expect(run.text.isEmpty == file.text.isEmpty)
      } else {
        #expect(run.status == 2, "\(command) --\(option)")
        #expect(run.standardError.contains("--\(option) -1"), "\(command)")
        #expect(run.output.isEmpty)
      }
    }
  }

  /// A pcapng file with an Ethernet interface and one packet: what it is shows only at its end.
  private static var ethernet: [UInt8] {
    var bytes: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]
    bytes += [UInt8](repeating: 0xFF, count: 8) + [28, 0, 0, 0]
    bytes += [1, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 20, 0, 0, 0]
    bytes += [6, 0, 0, 0, 36, 0, 0, 0] + [UInt8](repeating: 0, count: 12)
    return bytes + [4, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4, 36, 0, 0, 0]
  }
}
