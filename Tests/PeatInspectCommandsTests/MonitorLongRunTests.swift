import BluetoothProtocols
import CaptureFormats
import Foundation
import LiveCapture
import PeatTestSupport
import SystemIO
import Testing

@testable import PeatInspectCommands

/// What befalls a run of days: clocks that are put, machines that sleep, adapters that go and come.
struct MonitorLongRunTests {
  private static let second: UInt64 = 1_000_000_000
  private static let day: Int64 = 86_400_000_000

  /// A capture whose records come by the machine's clock, one each second, whatever their own times.
  private final class SteadyInput: MonitorInput {
    private var player: Player
    private let interval: UInt64
    /// Told before each record: its number from 0.
    var onRecord: (Int) -> Void = { _ in }

    private struct Player: ~Copyable {
      var reader: CaptureReader
      var due: UInt64?
      var count = 0
      let end: Int

      mutating func pump(
        _ engine: inout MonitorEngine, _ now: UInt64, _ interval: UInt64, _ onRecord: (Int) -> Void
      ) throws(CaptureError) -> InputState {
        guard now >= due ?? now else { return .waiting }
        if count == end { throw CaptureError(.io, path: "test", reason: "the device has gone") }
        guard let record = try reader.next() else { return .ended }
        onRecord(count)
        count += 1
        due = now + interval
        engine.take(record, at: now)
        return .waiting
      }
    }

    /// - Parameter end: after so many records it fails.
    init(
      _ recording: PeatTestSupport.Recording, interval: UInt64 = MonitorLongRunTests.second,
      end: Int = .max
    ) throws(CaptureError) {
      player = Player(reader: try CaptureReader(bytes: recording.bytes, name: "made"), end: end)
      self.interval = interval
    }

    var descriptor: Int32? { nil }
    var nextLook: UInt64? { player.due }
    var damages: [CaptureError] { [] }
    var notes: [String] { [] }
    func moment(at now: UInt64) -> UInt64 { now }

    func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState {
      try player.pump(&engine, now, interval, onRecord)
    }
  }

  /// Documents of a node that counts up, written on one connection; `step` comes in the middle.
  private static func recording(count: Int, step: Int64 = 0) -> PeatTestSupport.Recording {
    var recording = PeatTestSupport.Recording()
    recording.connect(1, peer: 0xC000_0000_0002)
    for number in 1...count {
      if number == count / 2 { recording.microseconds += step }
      recording.write(
        1, 16,
        PeatTestSupport.Recording.document(
          version: UInt32(number), node: 7, counter: [(7, UInt64(number))]))
    }
    return recording
  }

  private struct Run {
    var lines: [Substring]
    var seconds: Double
    var alerts: Int
    var files: [String]
    /// Lines read back from the recording.
    var recorded: Int
  }

  private func run(
    _ input: any MonitorInput, clock: FakeClock = FakeClock(),
    _ change: (inout RawOptions, String) throws -> Void = { _, _ in }
  ) throws -> Run {
    let folder = NSTemporaryDirectory() + "monitor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var raw = RawOptions()
    raw.format = .csv
    raw.isQuiet = true
    raw.handles = ["16"]
    raw.monitor.commands = [["true"]]
    raw.monitor.alerts = [.silence(30 * Self.second)]
    try change(&raw, folder)
    let configuration = try MonitorConfiguration(
      raw, arguments: ["-"], environment: Environment([:]))
    let path = folder + "/rows"
    var command = try MonitorCommand(configuration, clock: clock, input: input)
    let start = clock.moment
    _ = try command.run(sink: OutputSink(try FileDescriptor.open(writing: path), mode: .lines))
    let end = clock.moment
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let recordings = files.filter { $0.hasSuffix(".btsnoop") }
    var recorded = 0
    for file in recordings {
      recorded +=
        try CommandRun(
          ["-q", "-f", "csv", "--handle", "16", "\(folder)/\(file)"]).lines.count - 1
    }
    return Run(
      lines: try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n"),
      seconds: Double(end - start) / 1e9,
      alerts: command.alertCount, files: recordings, recorded: recorded)
  }

  @Test(
    "clocks that are put by a day change nothing that is measured", arguments: [-day, 0, day])
  func clockSteps(step: Int64) throws {
    // 100 documents, one a second: rotation each 20 s, an end after 70 s, and no silence of 30 s.
    let run = try run(try SteadyInput(Self.recording(count: 100, step: step))) { raw, folder in
      raw.monitor.duration = 70 * Self.second
      raw.monitor.write = folder + "/r.btsnoop"
      raw.monitor.rotation = .time(20 * Self.second)
    }
    #expect(abs(run.seconds - 70) < 0.5)
    // The connection came at 0 s, the documents at 1 to 69 s, and that of 70 s ends the run.
    #expect((70...71).contains(run.lines.count), "\(run.lines.count)")
    #expect(run.files.count == 4)
    #expect(run.alerts == 0)
  }

  @Test func `an hour of sleep is no silence, and is not made up for`() throws {
    let clock = FakeClock()
    let input = try SteadyInput(Self.recording(count: 20))
    input.onRecord = { if $0 == 10 { clock.sleep += 3600 * Self.second } }
    let run = try run(input, clock: clock)
    #expect(run.lines.count == 21)
    #expect(run.alerts == 0)
  }

  @Test func `a program that was stopped for an hour tells no silence`() throws {
    let clock = FakeClock()
    let input = try SteadyInput(Self.recording(count: 20))
    input.onRecord = { if $0 == 10 { clock.pass(3600 * Self.second) } }
    #expect(try run(input, clock: clock).alerts == 0)
  }

  @Test func `real silence is still told once`() throws {
    let input = try SteadyInput(Self.recording(count: 3), interval: 100 * Self.second)
    // Before the second and third document, and before the end.
    let run = try run(input) { raw, _ in raw.monitor.duration = 150 * Self.second }
    #expect(run.alerts == 2)
  }

  @Test func `an input that fails is opened again, and the recording goes on`() throws {
    var attempts: [UInt64] = []
    let clock = FakeClock()
    let recovering = try RecoveringInput(name: "bluetooth0") { (frames) throws(DeviceError) in
      attempts.append(clock.moment / Self.second)
      if (2...7).contains(attempts.count) {
        throw DeviceError(device: "bluetooth0", reason: "no such device")
      }
      do throws(CaptureError) {
        return try SteadyInput(Self.recording(count: 5), end: attempts.count == 1 ? 4 : .max)
      } catch {
        throw DeviceError(device: "bluetooth0", reason: "\(error)")
      }
    }
    let run = try run(recovering, clock: clock) { raw, folder in
      raw.monitor.write = folder + "/r.btsnoop"
      raw.monitor.alerts = []
      raw.monitor.commands = []
    }
    // Three documents of the first opening, which fails at 5 s, and five of the last.
    #expect(run.lines.count == 1 + 3 + 5)
    #expect(run.files.count == 1)
    #expect(run.recorded == 8)
    // The pauses double from 1 s up to 30 s.
    #expect(attempts == [1, 6, 8, 12, 20, 36, 66, 96])
  }

  @Test func `lost packets are summed where their counter begins anew`() throws {
    var engine = MonitorEngine(file: "x", options: .init(), keyring: .init())
    // 2 were lost when the counter stood at 5 and begins anew.
    for counts in [[3, 5], [0, 2]] as [[UInt32]] {
      var recording = PeatTestSupport.Recording()
      for count in counts {
        recording.drops = count
        recording.disconnect(1)
      }
      var reader = try CaptureReader(bytes: recording.bytes, name: "made")
      while let record = try reader.next() { engine.take(record, at: 0) }
    }
    #expect(engine.drops == 5 + 2)
  }

  @Test func `what hinders an opening is told once, and absence not at all`() throws {
    var attempts = 0
    let recovering = try RecoveringInput(name: "bluetooth0") { (_) throws(DeviceError) in
      attempts += 1
      if attempts > 1 {
        var error = DeviceError(device: "bluetooth0", reason: attempts > 3 ? "down" : "absent")
        error.isAbsent = attempts <= 3
        throw error
      }
      do throws(CaptureError) {
        return try SteadyInput(Self.recording(count: 5), end: 0)
      } catch {
        throw DeviceError(device: "bluetooth0", reason: "\(error)")
      }
    }
    var engine = MonitorEngine(file: "x", options: .init(), keyring: .init())
    var told: [String] = []
    for moment in 0...600 as ClosedRange<UInt64> {
      _ = try recovering.pump(into: &engine, at: moment * Self.second)
      told += recovering.takeNews()
    }
    #expect(attempts > 10)
    #expect(told.dropFirst() == ["cannot be opened again: bluetooth0: down"])
  }

  @Test func `an input that goes and comes is told of in one line each`() throws {
    let recovering = try RecoveringInput(name: "bluetooth0") { (_) throws(DeviceError) in
      do throws(CaptureError) {
        return try SteadyInput(Self.recording(count: 5), end: 0)
      } catch {
        throw DeviceError(device: "bluetooth0", reason: "\(error)")
      }
    }
    var engine = MonitorEngine(file: "x", options: .init(), keyring: .init())
    _ = try recovering.pump(into: &engine, at: 10 * Self.second)
    #expect(
      recovering.takeNews() == [
        "bluetooth0: the device has gone; it is opened again when it is back"
      ])
    _ = try recovering.pump(into: &engine, at: 11 * Self.second)
    #expect(
      recovering.takeNews() == ["bluetooth0: back after 1 s, of which packets are missing"])
    #expect(recovering.takeNews().isEmpty)
  }
}
