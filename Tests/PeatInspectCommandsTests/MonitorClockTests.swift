import Foundation
import PeatTestSupport
import SystemIO
import Testing

@testable import PeatInspectCommands

/// A clock that jumps to the end of every wait.
final class FakeClock: MonitorClock {
  private(set) var moment: UInt64 = 1_000_000_000
  private(set) var waits = 0
  /// What the machine slept so far.
  var sleep: UInt64 = 0

  func now() -> UInt64 { moment }

  func slept() -> UInt64 { sleep }

  /// Time passes though nobody waits.
  func pass(_ nanoseconds: UInt64) { moment += nanoseconds }

  func wait(for descriptors: [Int32], until: UInt64?) throws(Errno) -> [Bool] {
    waits += 1
    moment = max(moment + 1, until ?? moment)
    return descriptors.map { _ in false }
  }
}

/// What time does to a live run, without waiting for it.
struct MonitorClockTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  private func replay(
    speed: Double, _ change: (inout RawOptions) -> Void = { _ in }
  ) throws -> (text: String, seconds: Double) {
    var raw = RawOptions()
    raw.format = .csv
    raw.monitor.replay = sample
    raw.monitor.speed = speed
    change(&raw)
    let configuration = try MonitorConfiguration(
      raw, arguments: [], environment: Environment([:]))
    let clock = FakeClock()
    let path = NSTemporaryDirectory() + "monitor-\(UUID().uuidString)"
    defer { unlink(path) }
    var command = try MonitorCommand(configuration, clock: clock)
    _ = try command.run(sink: OutputSink(try FileDescriptor.open(writing: path), mode: .lines))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return (text, Double(clock.moment - 1_000_000_000) / 1e9)
  }

  @Test func `a wait is as long as is left, in whole milliseconds`() {
    let table: [(UInt64, UInt64, Int32)] = [
      (5, 4, 0), (5, 5, 0), (5, 6, 1), (0, 1_000_000, 1), (0, 1_000_001, 2), (0, .max, .max),
    ]
    for (now, moment, expected) in table {
      #expect(SystemClock.milliseconds(from: now, until: moment) == expected)
    }
  }

  @Test("a replay takes the capture's own time, divided by the speed")
  func pace() throws {
    // The capture lasts 18.8 s from its first to its last packet.
    for (speed, expected) in [(1.0, 18.8), (4.0, 4.7), (0.5, 37.6)] {
      let run = try replay(speed: speed)
      #expect(abs(run.seconds - expected) < 0.3, "speed \(speed): \(run.seconds)")
      #expect(run.text.split(separator: "\n").count == 15)
    }
  }

  @Test("--duration counts in the capture's time")
  func duration() throws {
    let run = try replay(speed: 2) { $0.monitor.duration = 10_000_000_000 }
    #expect(abs(run.seconds - 5) < 0.3, "\(run.seconds)")
    // A header, and the eight messages up to 10 s after the first packet.
    #expect(run.text.split(separator: "\n").count == 9)
  }
}
