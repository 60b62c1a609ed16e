import Foundation
import PeatTestSupport
import Testing

/// Captures whose recorder's clock was put, through the built tool.
@Suite struct ClockStepTests {
  private static let folder = TestData.testsFolder.appendingPathComponent(
    "BugReports2/12-ubertooth-time-jumps")
  private static let impossible = TestData.testsFolder.appendingPathComponent(
    "Cases/stamp-of-year-minus-1935.btsnoop"
  ).path

  /// Every command that reads captures, in every format that is not for a person.
  private static let commands = [
    ["inspect"], ["inspect", "-f", "csv"], ["inspect", "-f", "ndjson"], ["state"],
    ["state", "-f", "csv"], ["state", "-f", "ndjson"], ["diff"], ["diff", "-f", "ndjson"],
    ["convergence"], ["convergence", "-f", "csv"], ["convergence", "-f", "ndjson"], ["check"],
    ["check", "-f", "ndjson"],
  ]

  /// Frame and size in seconds of each step that `check` tells.
  private func steps(_ path: String) throws -> [[String]] {
    try CommandRun(["check", "-f", "ndjson", path]).records()
      .filter { $0["code"].string == "clock-step" }
      .map { record in
        let words = (record["message"].string ?? "").split(separator: " ").map(String.init)
        let frame = record["frames"].array?.first?.int ?? 0
        return ["\(frame)", words.dropLast().last ?? ""]
      }
      .sorted { (Int($0[0]) ?? 0) < (Int($1[0]) ?? 0) }
  }

  @Test("each step is a finding with frame and size") func findings() throws {
    // expect.md: +427 s, back, -3600 s; and from 1970-01-01 00:00:01 to 2025-10-09 08:53:21.
    #expect(
      try steps(ClockStepTests.folder.appendingPathComponent("jumps.pcap").path)
        == [["24", "427.0"], ["26", "427.0"], ["28", "3600.0"]])
    #expect(
      try steps(ClockStepTests.folder.appendingPathComponent("clock-set-forward.btsnoop").path)
        == [["14", "1760000000.0"]])
  }

  @Test("a record whose time cannot be is named by every command, which ends as documented")
  func impossibleTime() throws {
    for command in ClockStepTests.commands {
      let run = try CommandRun(command + [ClockStepTests.impossible])
      #expect(run.status == 0, "\(command)")
      #expect(run.standardError.contains("frame 3: the record's time cannot be"), "\(command)")
      #expect(!run.text.contains("1677"), "\(command)")
    }
  }

  @Test("no span crosses a step, and none is negative") func spans() throws {
    for name in ["jumps.pcap", "clock-set-forward.btsnoop"] {
      let path = ClockStepTests.folder.appendingPathComponent(name).path
      for command in [["inspect"], ["state"], ["convergence"]] {
        for record in try CommandRun(command + ["-f", "ndjson", path]).records() {
          for span in ClockStepTests.spans(of: record) {
            // The packets of either file lie within 0.11 s of each other but for the steps.
            #expect(span >= 0 && (span < 1 || span > 427 && span < 428), "\(name) \(record)")
          }
        }
      }
      let text = try CommandRun(["convergence", path]).text
      #expect(!text.contains(" -3") && !text.contains("1760000000"))
    }
  }

  private static func spans(of value: JSON) -> [Double] {
    var found: [Double] = []
    for key in ["elapsed", "age", "delay", "time_to_all", "median", "p95", "worst"] {
      if let number = value[key].double { found.append(number) }
    }
    for part in value.array ?? [] { found += spans(of: part) }
    for (_, part) in value.object ?? [:] { found += spans(of: part) }
    return found
  }

  @Test("the records of convergence and its summary count alike") func reach() throws {
    let path = TestData.captures.appendingPathComponent("e-churn.h4.btsnoop").path
    let records = try CommandRun(["convergence", "-f", "ndjson", path]).records()
    let updates = records.filter { $0["scope"].string == "update" }
    let summary = try #require(records.last)
    for reach in ["complete", "partial", "alone"] {
      #expect(updates.count { $0["reach"].string == reach } == summary[reach].int)
    }
    #expect(
      updates.count { !($0["never"].array ?? []).isEmpty } == summary["partial"].int)
    #expect(updates.count { $0["time_to_all"].double != nil } == summary["complete"].int)
  }

  @Test("a command that was given times says that a step lies inside") func timesOnTheCommandLine()
    throws
  {
    let path = ClockStepTests.folder.appendingPathComponent("jumps.pcap").path
    for command in [["inspect", "--from", "0"], ["diff", "--from", "0"], ["check", "--to", "1"]] {
      let run = try CommandRun(command + [path])
      #expect(run.standardError.contains("times that were asked for"), "\(command)")
    }
  }

  @Test(
    "stamps over the whole range of each container stop no command",
    arguments: StampedContainer.allCases)
  func wholeRange(_ container: StampedContainer) throws {
    var builder = CaptureBuilder()
    builder.open()
    for version in 1...12 { builder.notify(ClockStepTests.document(UInt8(version))) }
    let folder = try ScratchFolder()
    let packets = builder.packets
    for (index, stamps) in container.patterns(count: packets.count).enumerated() {
      let path = try folder.write(container.file(packets, stamps: stamps), "\(index)")
      for command in [
        ["inspect"], ["state"], ["diff"], ["convergence", "-f", "ndjson"], ["check"],
      ] {
        let run = try CommandRun(command + [path])
        // A container without a signature is known by its times too: status 3 says what it met.
        #expect([0, 1, 3, 4].contains(run.status), "\(container) \(index) \(command)")
        #expect(run.status != 3 || run.standardError.contains(path))
      }
    }
  }

  /// A document of node 00000001 that has counted as often as its version says.
  private static func document(_ version: UInt8) -> [UInt8] {
    [version, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, version, 0, 0, 0, 0, 0, 0, 0]
  }
}
