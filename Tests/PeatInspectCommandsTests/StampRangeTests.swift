import Foundation
import PeatTestSupport
import Testing

/// Stamps over the whole range that each container can hold end no command by a trap: every one
/// answers with a documented status (cli.md, "Exit status").
struct StampRangeTests {
  /// What is asked of a capture; `F` stands for its path.
  static let commands: [[String]] = [
    ["--utc", "F"], ["--relative", "F"], ["-f", "csv", "F"], ["-f", "ndjson", "F"],
    ["--from", "1", "--to", "-1", "F"], ["state", "F"],
    ["state", "--at", "1", "-f", "ndjson", "F"],
    ["state", "--at", "-1", "F"], ["diff", "--at", "1", "--at", "-1", "F"],
    ["convergence", "F"], ["convergence", "-f", "ndjson", "F"], ["check", "F"],
    ["check", "-f", "ndjson", "F"], ["monitor", "--replay", "F", "--speed", "max", "-f", "csv"],
    ["-v", "F", "ORDINARY"], ["check", "ORDINARY", "F"],
    ["convergence", "F", "ORDINARY"], ["state", "--offset", "F=-1", "ORDINARY", "F"],
  ]

  @Test("no stamp of any container traps in any command", arguments: StampedContainer.allCases)
  func wholeRange(_ container: StampedContainer) throws {
    let folder = try ScratchFolder()
    let session = StampRangeTests.session
    let ordinary = try folder.write(session.bytes, "ordinary.btsnoop")
    let patterns = container.patterns(count: session.packets.count)
    #expect(patterns.count >= 5)
    for (index, stamps) in patterns.enumerated() {
      let path = try folder.write(
        container.file(session.packets, stamps: stamps), "\(container)-\(index)")
      // Half of the commands each, and the other half with the next: all meet every kind somewhere.
      let turn = index + (StampedContainer.allCases.firstIndex(of: container) ?? 0)
      for (place, command) in StampRangeTests.commands.enumerated()
      where (place + turn) & 1 == 0 {
        let words = command.map {
          $0 == "ORDINARY" ? ordinary : $0.replacing("F", with: path, maxReplacements: 1)
        }
        let run = try CommandRun(words, isLimited: true)
        #expect((0...4).contains(run.status), "\(words): \(run.status): \(run.standardError)")
      }
      let live = try CommandRun(["monitor", "-f", "csv", "-"], input: .file(path), isLimited: true)
      #expect((0...4).contains(live.status), "monitor: \(live.status): \(live.standardError)")
    }
  }

  @Test(
    "an ordinary session reads the same from every container", arguments: StampedContainer.allCases)
  func ordinary(_ container: StampedContainer) throws {
    guard ![.pcapngLowOffset, .pcapngHighOffset].contains(container) else { return }
    let folder = try ScratchFolder()
    let session = StampRangeTests.session
    let path = try folder.write(
      container.file(session.packets, stamps: container.stamps(of: session.packets)), "capture")
    let run = try CommandRun(["-f", "ndjson", path])
    #expect(run.status == 0, "\(run.standardError)")
    #expect(
      try run.records().compactMap { $0["document"]["version"].int }
        == (1...4).flatMap { Array(repeating: $0, count: 4) })
  }

  /// Three nodes pass each other's counts on, so that every update has latencies.
  private static var session: CaptureBuilder {
    var capture = CaptureBuilder()
    capture.open(0x40, peer: 0xC000_0000_0001)
    capture.open(0x41, peer: 0xC000_0000_0002)
    for version in 1...4 as ClosedRange<UInt32> {
      let count = UInt64(version)
      let known: [(UInt32, UInt64)] = [
        (0x1122_3344, count), (0x5566_7788, count), (0x99AA_BBCC, count),
      ]
      func document(_ node: Int, _ counters: Int) -> [UInt8] {
        Recording.document(
          version: version, node: known[node].0, counter: Array(known.prefix(counters)))
      }
      capture.notify(document(0, 1), on: 0x40)
      capture.wait(0.2)
      capture.write(document(1, 2), on: 0x41)
      capture.wait(0.2)
      capture.notify(document(2, 3), on: 0x41)
      capture.wait(0.2)
      capture.write(document(1, 3), on: 0x40)
      capture.wait(0.2)
    }
    capture.disconnect(0x40)
    capture.disconnect(0x41)
    return capture
  }
}
