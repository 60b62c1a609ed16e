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
}
