import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// What a live run shows before its input has ended.
struct LiveDissectorTests {
  @Test func `values are shown by their content though no discovery comes`() throws {
    let path = TestData.captures.appendingPathComponent("f-cached.reconnect-only.phdr.pcap").path
    var reader = try CaptureReader(path: path)
    var live = LiveDissector(options: DissectionOptions())
    var values: [CapturedValue] = []
    var now: UInt64 = 1
    while let record = try reader.next() {
      now += 1_000_000_000
      live.process(record, at: now)
      while let value = live.next(at: now) { values.append(value) }
    }
    // The last value may still wait for the answer to its write.
    while let value = live.next(at: now + LiveDissector.outcomePatience) { values.append(value) }
    // The whole capture's reading has 14 messages; the end of the input was not told here.
    #expect(values.count == 14)
    #expect(values.map(\.frame) == values.map(\.frame).sorted())
  }

  private static let millisecond: UInt64 = 1_000_000

  private struct Shown {
    var value: CapturedValue
    /// When it was given, in milliseconds.
    var moment: UInt64
  }

  /// What is given of a recording whose records come at their own times, asked every millisecond.
  private static func shown(_ recording: Recording, ends: Bool = false) throws -> [Shown] {
    var reader = try CaptureReader(bytes: recording.bytes, name: "made")
    var options = DissectionOptions()
    options.hints = [HandleHint(address: nil, handle: 16)]
    var live = LiveDissector(options: options)
    var shown: [Shown] = []
    var start: Int64?
    var elapsed: UInt64 = 0
    func look(until end: UInt64) {
      while elapsed < end {
        while let value = live.next(at: elapsed * millisecond) {
          shown.append(Shown(value: value, moment: elapsed))
        }
        elapsed += 1
      }
    }
    while let record = try reader.next() {
      let time = record.time?.nanoseconds ?? 0
      start = start ?? time
      look(until: UInt64(time - (start ?? time)) / millisecond)
      live.process(record, at: elapsed * millisecond)
    }
    if ends {
      live.finish()
      look(until: elapsed + 1)
    } else {
      look(until: elapsed + 1000)
    }
    return shown
  }

  private static let document = Recording.document(version: 1, node: 1, counter: [])

  @Test func `what two adapters see within 50 ms is one value, the sender's`() throws {
    var recording = ViewpointTests.pair()
    // The connections came at 0, 10, 20 and 30 ms; a record follows the other by 10 ms.
    for _ in 0..<2 { recording.write(1, 16, Self.document, adapter: 0) }
    for _ in 0..<2 { recording.write(1, 16, Self.document, adapter: 1, isReceived: true) }
    let shown = try Self.shown(recording)
    #expect(shown.map { $0.value.seenIn.map(\.frame) } == [[5, 7], [6, 8]])
    #expect(shown.map(\.value.direction) == [.sent, .sent])
    // Each is given with its second view, at 60 and at 70 ms.
    #expect(shown.map(\.moment) == [60, 70])
  }

  @Test func `a value that nobody else sees is given after 50 ms`() throws {
    var recording = ViewpointTests.pair()
    recording.write(1, 16, Self.document, adapter: 0)
    let shown = try Self.shown(recording)
    #expect(shown.map(\.moment) == [90])
    #expect(shown.map { $0.value.seenIn.isEmpty } == [true])
    #expect(try Self.shown(recording, ends: true).map(\.value.frame) == [5])
  }

  @Test func `a second view that comes later is no second value`() throws {
    var recording = ViewpointTests.pair()
    recording.write(1, 16, Self.document, adapter: 0)
    recording.microseconds += 200_000
    recording.write(1, 16, Self.document, adapter: 0)
    recording.write(1, 16, Self.document, adapter: 1, isReceived: true)
    recording.write(1, 16, Self.document, adapter: 1, isReceived: true)
    recording.write(1, 16, Self.document, adapter: 1, isReceived: true)
    let shown = try Self.shown(recording)
    // The first view of adapter 1 belongs to frame 5, the second to frame 6; the third has none.
    #expect(shown.map(\.value.frame) == [5, 6, 9])
    #expect(shown.map { $0.value.seenIn.map(\.frame) } == [[], [6, 8], []])
  }

  @Test func `one adapter alone waits for nobody`() throws {
    var recording = Recording(isMonitor: true)
    recording.connect(1, peer: 0xC000_0000_0002)
    recording.write(1, 16, Self.document)
    // The connection came at 0 ms.
    #expect(try Self.shown(recording).map(\.moment) == [10])
  }

  @Test func `a run gives what a reading of a kernel's recording gives`() throws {
    let folder = TestData.captures.appendingPathComponent("kernel")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where file.contains("monitor") || file.contains("btmon") {
      let path = folder.appendingPathComponent(file).path
      let read = try HandleResolutionTests.values(
        try CaptureReader(path: path), DissectionOptions())
      var reader = try CaptureReader(path: path)
      var live = LiveDissector(options: DissectionOptions())
      var values: [CapturedValue] = []
      var now: UInt64 = 0
      while let record = try reader.next() {
        now = max(now, UInt64(record.time?.nanoseconds ?? 0))
        while let value = live.next(at: now) { values.append(value) }
        live.process(record, at: now)
      }
      live.finish()
      while let value = live.next(at: now) { values.append(value) }
      // Where only content names a handle, its first value is given once that is known.
      values.sort { $0.frame < $1.frame }
      #expect(values.map(\.frame) == read.map(\.frame), "\(file)")
      #expect(values.map(\.seenIn) == read.map(\.seenIn), "\(file)")
    }
  }
}
