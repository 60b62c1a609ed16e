import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// Recordings and alerts of a live run.
struct MonitorRecordingTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  /// A folder of its own, gone behind the body.
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "monitor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func replay(_ path: String, _ more: [String]) throws -> CommandRun {
    try CommandRun(["monitor", "--replay", path, "--speed", "max", "-f", "csv"] + more)
  }

  /// Rows without the name of their file.
  private func rows(_ run: CommandRun) -> [String] {
    run.lines.map { String($0.drop { $0 != "," }) }
  }

  @Test(
    "a recording gives the rows that were shown",
    arguments: [
      ("h4.btsnoop", "pcapng"), ("h4.btsnoop", "btsnoop"), ("monitor.pcap", "pcapng"),
      ("monitor.btsnoop", "btsnoop"), ("air256.pcap", "pcapng"), ("phdr.pcap", "pcapng"),
      ("h4.pcap", "pcapng"), ("phdr.nano.pcap", "pcapng"),
    ])
  func sameRows(container: String, format: String) throws {
    try inFolder { folder in
      let path = TestData.captures.appendingPathComponent("a-two-nodes.\(container)").path
      let file = "\(folder)/out.\(format)"
      let shown = try replay(path, ["-w", file])
      #expect(shown.status == 0)
      #expect(rows(try CommandRun(["-f", "csv", file])) == rows(shown))
    }
  }

  @Test(
    "a recording with comments has the same packets, and tells each message on its own",
    arguments: ["h4.btsnoop", "monitor.pcap", "air256.pcap"])
  func comments(container: String) throws {
    try inFolder { folder in
      let path = TestData.captures.appendingPathComponent("a-two-nodes.\(container)").path
      let file = "\(folder)/out.pcapng"
      let shown = try replay(path, ["-w", file, "--comments"])
      #expect(shown.status == 0)
      #expect(rows(try CommandRun(["-f", "csv", file])) == rows(shown))
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      var (count, place) = (0, bytes.startIndex)
      while let found = bytes.range(of: Data("Peat: ".utf8), in: place..<bytes.endIndex) {
        (count, place) = (count + 1, found.upperBound)
      }
      // The messages of the truth file.
      #expect(count == 14)
    }
  }

  @Test("comments need a pcapng")
  func refusedComments() throws {
    #expect(try replay(sample, ["--comments"]).status == 2)
    let unwritten = NSTemporaryDirectory() + "monitor-\(UUID().uuidString).btsnoop"
    #expect(try replay(sample, ["-w", unwritten, "--comments"]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: unwritten))
  }

  @Test("what btsnoop cannot hold is told")
  func unwritable() throws {
    try inFolder { folder in
      let air = TestData.captures.appendingPathComponent("a-two-nodes.air256.pcap").path
      let run = try replay(air, ["-w", "\(folder)/out.btsnoop"])
      #expect(run.standardError.contains("packets could not be written"))
    }
  }

  @Test("files rotate by size, the newest are kept, and each stands for itself")
  func rotation() throws {
    try inFolder { folder in
      let churn = TestData.captures.appendingPathComponent("e-churn-five.monitor.btsnoop").path
      _ = try replay(churn, ["-w", "\(folder)/r.pcapng", "--rotate", "4K", "--files", "3"])
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(files.count == 3)
      #expect(files.first?.hasSuffix("-00001.pcapng") == false)
      for file in files { #expect(try CommandRun(["-q", "\(folder)/\(file)"]).status == 0) }
    }
  }

  @Test("names and companions of -w are checked")
  func usage() throws {
    for wrong in [
      ["-w", "x.pcap"], ["--rotate", "1M"], ["--files", "2"], ["-w", "x.pcapng", "--files", "2"],
      ["--exec", "true"], ["--exec", ";"], ["--on", "emergency"], ["--on", "rain", "--bell"],
    ] {
      #expect(try replay(sample, wrong).status == 2, "\(wrong)")
    }
  }

  @Test("a program gets the record on standard input, without a shell")
  func alerts() throws {
    try inFolder { folder in
      let file = "\(folder)/record; echo.json"
      let run = try replay(sample, ["--on", "emergency", "--exec", "/usr/bin/tee", file, ";"])
      #expect(run.status == 0)
      // What the program prints must not mix with the rows: a header and 14 of them.
      #expect(run.lines.count == 15)
      let record = try JSON(parsing: Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(record["document"]["emergency"]["source"].string == "207F0E2E")
    }
  }

  @Test("silence alerts once until the next message, and --bell rings on a terminal")
  func silence() throws {
    try inFolder { folder in
      // The gaps between messages, in seconds: 1.859 is the longest, then 1.842.
      let options = ["--on", "silence=1850ms", "--bell"]
      let log = folder + "/log"
      let command = "\(CommandRun.binary) monitor --replay \(sample) --speed max -f csv "
      let script = Process()
      script.executableURL = URL(fileURLWithPath: "/usr/bin/script")
      script.arguments = [
        "-q", "-e", "-c", command + options.joined(separator: " ") + " >/dev/null", log,
      ]
      script.standardInput = FileHandle.nullDevice
      script.standardOutput = FileHandle.nullDevice
      try script.run()
      script.waitUntilExit()
      #expect(try Data(contentsOf: URL(fileURLWithPath: log)).count { $0 == 7 } == 1)
      // In a file or a pipe it would be noise.
      #expect(try !replay(sample, options).standardError.contains("\u{07}"))
    }
  }

  @Test("the words behind --exec go up to a lone semicolon")
  func words() throws {
    let folded = try ExecWords.fold(["monitor", "--exec", "a", "b;", "--c", ";", "-q"])
    #expect(folded.count == 3 && folded[2] == "-q")
    #expect(
      try ExecWords.unfold(String(folded[1].dropFirst("--exec=".count))) == ["a", "b;", "--c"])
    #expect(try ExecWords.fold(["--", "--exec", "x"]) == ["--", "--exec", "x"])
  }

  @Test("a recording over what is read is refused, whatever its name, and nothing is lost")
  func overItself() throws {
    let folder = try ScratchFolder()
    let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop")
    let bytes = [UInt8](try Data(contentsOf: sample))
    let file = try folder.write(bytes, "a.btsnoop")
    let link = URL(fileURLWithPath: file).deletingLastPathComponent()
      .appendingPathComponent("b.btsnoop").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    for name in [file, link] {
      let run = try CommandRun(["monitor", "-f", "csv", "--replay", file, "-w", name])
      #expect(run.status == 2)
      #expect(run.standardError.contains("is the input"))
    }
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
  }
}
