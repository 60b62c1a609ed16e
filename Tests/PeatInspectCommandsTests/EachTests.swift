import Foundation
import PeatTestSupport
import Testing

/// `--each`, `--facts`, lists and `id` (cli.md, "Many captures").
struct EachTests {
  private let folder: ScratchFolder
  private let alpha = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
  private let bravo = TestData.captures.appendingPathComponent("a-two-nodes.from-bravo.h4.btsnoop")
    .path

  init() throws { folder = try ScratchFolder() }

  private func outcomes(_ run: CommandRun) throws -> [String: String] {
    var found: [String: String] = [:]
    for record in try run.records() where record["scope"].string == "capture" {
      let name = (record["file"].string ?? "").split(separator: "/").last.map(String.init) ?? ""
      found[name] = record["outcome"].string
    }
    return found
  }

  @Test("each capture is told as if it were alone, and bad ones do not stop the rest")
  func bad() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: alpha)))
    let cut = try folder.write(Array(bytes.prefix(3000)), "cut")
    let empty = try folder.write([], "empty")
    let text = try folder.write(Array("hello\n".utf8), "text")
    let list = try folder.write(
      Array([alpha, cut, empty, text, folder.path("none"), bravo].joined(separator: "\n").utf8),
      "list")
    for command in ["inspect", "state", "check", "convergence", "emergencies"] {
      for jobs in ["1", "3"] {
        let run = try CommandRun(
          [command, "-q", "-f", "ndjson", "--each", "--facts", "--jobs", jobs, "@" + list])
        #expect(run.status == 4)
        #expect(
          try outcomes(run) == [
            "a-two-nodes.h4.btsnoop": "whole", "cut": "damaged", "empty": "unreadable",
            "text": "unreadable", "none": "unreadable",
            "a-two-nodes.from-bravo.h4.btsnoop": "whole",
          ], "\(command) --jobs \(jobs)")
        for line in run.lines where !line.contains("\"scope\":\"capture\"") {
          #expect(line.contains("\"file\":\""))
        }
      }
    }
    // The messages of one capture are those of a run on it alone, but for their names.
    let alone = try CommandRun(["-q", "-f", "ndjson", alpha]).records()
    let each = try CommandRun(["-q", "-f", "ndjson", "--each", bravo, alpha]).records()
    let own = each.filter { $0["file"].string == alpha }
    #expect(own.map { $0["payload"].string } == alone.map { $0["payload"].string })
  }

  @Test("a list comes from standard input too, with breaks or zero bytes between names")
  func lists() throws {
    for mark in ["\n", "\0"] {
      let input = Array((alpha + mark + bravo + mark).utf8)
      let run = try CommandRun(["-q", "-f", "csv", "--each", "@-"], input: .pipe(input))
      #expect(run.status == 0)
      // 14 messages each (a-two-nodes.truth.json) and one header.
      #expect(run.lines.count == 29)
    }
    let empty = try folder.write([], "none.list")
    #expect(try CommandRun(["--each", "@" + empty]).status == 2)
    #expect(try CommandRun(["--each", "@" + folder.path("missing")]).status == 3)
    #expect(try CommandRun(["--each", "@-", "-"]).status == 2)
  }

  @Test("a capture that hangs is given up, and one whose reader dies is told as crashed")
  func hangs() throws {
    let pipe = folder.path("hang")
    #expect(mkfifo(pipe, 0o600) == 0)
    let run = try CommandRun(
      ["-q", "-f", "ndjson", "--each", "--facts", "--time-limit", "1", alpha, pipe, bravo])
    #expect(run.status == 4)
    #expect(
      try outcomes(run) == [
        "a-two-nodes.h4.btsnoop": "whole", "hang": "timed-out",
        "a-two-nodes.from-bravo.h4.btsnoop": "whole",
      ])

    let killer = Thread {
      // Waits until the reader has opened its end.
      guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
      for entry in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let number = pid_t(entry),
          let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline"),
          String(decoding: words, as: UTF8.self).contains("--each-worker"),
          String(decoding: words, as: UTF8.self).contains(pipe)
        else { continue }
        kill(number, SIGKILL)
      }
      try? handle.close()
    }
    killer.start()
    let crashed = try CommandRun(["-q", "-f", "ndjson", "--each", "--facts", alpha, pipe, bravo])
    #expect(crashed.status == 4)
    #expect(
      try outcomes(crashed) == [
        "a-two-nodes.h4.btsnoop": "whole", "hang": "crashed",
        "a-two-nodes.from-bravo.h4.btsnoop": "whole",
      ])
  }

  @Test("standard input has a name and the checksum of all of it")
  func input() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: alpha)))
    let run = try CommandRun(
      ["-q", "-f", "ndjson", "--facts", "--name", "s3://bucket/a", "-"], input: .pipe(bytes))
    let record = try #require(try run.records().last)
    #expect(record["file"].string == "s3://bucket/a")
    // By sha256sum(1).
    #expect(
      record["sha256"].string == "d78950484d9455a102821a77a663fa9f42af0944004168cc23b3496132253374")
    #expect(record["bytes"].int == 5021)
  }

  @Test("a message has one name at both ends of its link, and no two messages share one")
  func names() throws {
    func names(_ file: String) throws -> [String] {
      try CommandRun(["-q", "-f", "ndjson", "--facts", file]).records().compactMap {
        $0["id"].string
      }
    }
    let (one, other) = (try names(alpha), try names(bravo))
    #expect(one.count == 14)
    #expect(Set(one).count == 14)
    #expect(Set(one) == Set(other))
    // Without the options, records are as they always were.
    #expect(try CommandRun(["-q", "-f", "ndjson", alpha]).records().allSatisfy { $0["id"].isNull })
  }

  @Test("closing records are valid by the shipped schema")
  func schema() throws {
    let schema = try SchemaValidator(
      contentsOf: TestData.testsFolder.deletingLastPathComponent()
        .appendingPathComponent("docs/fleet.schema.json"))
    let names = try FileManager.default.contentsOfDirectory(atPath: TestData.captures.path)
    let files = names.map { TestData.captures.appendingPathComponent($0).path }.sorted()
    let run = try CommandRun(["state", "-q", "-f", "ndjson", "--each", "--facts"] + files)
    let records = try run.records().filter { $0["scope"].string == "capture" }
    #expect(records.count == files.count)
    for record in records {
      #expect(schema.faults(record).isEmpty, "\(record["file"].string ?? "")")
    }
  }
}
