import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// `monitor` in its line mode, by runs of the built tool.
struct MonitorTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("a replay and a pipe give the records that inspect gives", arguments: ["ndjson", "csv"])
  func sameAsInspect(format: String) throws {
    for container in ["h4.btsnoop", "phdr.pcapng", "monitor.pcap", "little-endian.pklg"] {
      let path = TestData.captures.appendingPathComponent("a-two-nodes.\(container)").path
      let expected = try CommandRun(["-f", format, path])
      let replay = try CommandRun(["monitor", "--replay", path, "--speed", "max", "-f", format])
      #expect(replay.text == expected.text, "\(container)")
      let pipe = try CommandRun(["monitor", "-", "-f", format], input: .pipe(try bytes(path)))
      let fromPipe = try CommandRun(["-", "-f", format], input: .pipe(try bytes(path)))
      #expect(pipe.text == fromPipe.text, "\(container)")
      #expect(replay.status == 0 && pipe.status == 0)
    }
  }

  @Test("text ends with the summary")
  func summary() throws {
    let run = try CommandRun(["monitor", "--replay", sample, "--speed", "max"])
    #expect(run.lines.contains { $0.hasPrefix("14 messages, 6 sent, 8 received") })
    #expect(run.lines.contains { $0.contains("ACK 2 of 2, all acked") })
  }

  @Test("--count ends after so many shown messages")
  func count() throws {
    let run = try CommandRun([
      "monitor", "--replay", sample, "--speed", "max", "-f", "ndjson", "--count", "3",
    ])
    #expect(run.lines.count == 3)
    #expect(run.status == 0)
  }

  @Test("--until ends with the message after which it holds, with 0")
  func untilIsMet() throws {
    let run = try CommandRun([
      "monitor", "--replay", sample, "--speed", "max", "-f", "ndjson", "--until",
      "emergency.all_acked",
    ])
    #expect(run.status == 0)
    let last = try #require(try run.records().last)
    #expect(last["document"]["emergency"]["pending"].array == [])
    // The emergency is shown by the sixth message and acknowledged by the seventh.
    #expect(run.lines.count == 7)
  }

  @Test("--until that never held gives 1, also where --duration ended the run")
  func untilIsNotMet() throws {
    let arguments = ["monitor", "--replay", sample, "--speed", "max", "-f", "csv", "--until"]
    #expect(try CommandRun(arguments + ["nodes>=3"]).status == 1)
    let cut = try CommandRun(arguments + ["emergency", "--duration", "3"])
    #expect(cut.status == 1)
    // A header, and the messages of the first three seconds: at 1.5 s and 2.5 s.
    #expect(cut.lines.count == 3)
  }

  @Test("what is no condition is refused with what could be said")
  func untilIsChecked() throws {
    let run = try CommandRun(["monitor", "-", "--until", "emergncy"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("emergency.all_acked"))
  }

  @Test func `--until takes filters besides its own words`() throws {
    let arguments = ["monitor", "--replay", sample, "--speed", "max", "-f", "ndjson", "--until"]
    // The seventh message of the capture is the first after which all acknowledged.
    let both = try CommandRun(arguments + ["emergency.all_acked && bytes > 0"])
    #expect(both.status == 0)
    #expect(both.lines.count == 7)
    let either = try CommandRun(arguments + ["(bytes > 0 || frame == 1) && nodes>=1"])
    #expect(either.status == 0)
    #expect(either.lines.count == 1)
    let never = try CommandRun(arguments + ["bytes > 60000"])
    #expect(never.status == 1)
    #expect(never.lines.count == 14)
  }

  @Test func `--filter shows what inspect shows`() throws {
    for filter in ["emergency", "direction == sent && bytes > 20", "time > 5"] {
      let expected = try CommandRun(["-f", "csv", "--filter", filter, sample])
      let run = try CommandRun([
        "monitor", "--replay", sample, "--speed", "max", "-f", "csv", "--filter", filter,
      ])
      #expect(run.text == expected.text, "\(filter)")
      #expect(run.status == expected.status, "\(filter)")
    }
    #expect(try CommandRun(["monitor", "-", "--filter", "nofield == 1"]).status == 2)
  }

  @Test("a monitor without a source says what would be one, with 2")
  func noSource() throws {
    #expect(try CommandRun(["monitor"]).status == 2)
    #expect(try CommandRun(["monitor", "--speed", "2", "-"]).status == 2)
  }

  @Test("a source that is missing or no capture gives 3, one that is cut 4")
  func faults() throws {
    #expect(try CommandRun(["monitor", "/no/such/fifo"]).status == 3)
    #expect(try CommandRun(["monitor", "-"], input: .pipe([1, 2, 3, 4, 5])).status == 3)
    let whole = try bytes(sample)
    let run = try CommandRun(
      ["monitor", "-", "-f", "ndjson"], input: .pipe(Array(whole.dropLast(3))))
    #expect(run.status == 4)
    #expect(run.lines.count == 14)
  }

  @Test("spans of time are read with their units")
  func durations() throws {
    let table: [(String, UInt64)] = [
      ("60", 60_000_000_000), ("1.5s", 1_500_000_000), ("250ms", 250_000_000),
      ("10m", 600_000_000_000), ("12h", 43_200_000_000_000), ("1d", 86_400_000_000_000),
    ]
    for (text, expected) in table { #expect(try DurationText.parse(text) == expected) }
    for text in ["", "s", "-1", "1w", "nan", "0"] {
      #expect(throws: (any Error).self) { try DurationText.parse(text) }
    }
  }
}
