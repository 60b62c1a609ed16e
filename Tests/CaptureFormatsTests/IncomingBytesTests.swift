import CaptureFormats
import Foundation
import PeatTestSupport
import Testing
import WireBytes

/// Captures that are read while they are written.
struct IncomingBytesTests {
  private struct Seen: Equatable {
    var header: RecordHeader
    var payload: [UInt8]
  }

  private func drain(_ reader: inout CaptureReader, _ seen: inout [Seen]) throws {
    for _ in 0..<2 {
      while let record = try reader.next() {
        seen.append(Seen(header: record.header, payload: [UInt8](record.payload)))
      }
    }
  }

  @Test(
    "records come as soon as they are whole, however the bytes are cut",
    arguments: ["h4.btsnoop", "monitor.btsnoop", "phdr.pcap", "phdr.pcapng", "little-endian.pklg"])
  func pieces(container: String) throws {
    let path = TestData.captures.appendingPathComponent("a-two-nodes.\(container)").path
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var whole = try CaptureReader(bytes: bytes, name: "whole")
    var expected: [Seen] = []
    try drain(&whole, &expected)
    for size in [1, 7, 64, 5000] {
      let source = IncomingBytes()
      var seen: [Seen] = []
      var place = 0
      while place < bytes.count, !source.canBeRecognised {
        source.append(bytes[place..<min(place + size, bytes.count)])
        place += size
      }
      var reader = try CaptureReader(following: source, name: "live")
      try drain(&reader, &seen)
      while place < bytes.count {
        source.append(bytes[place..<min(place + size, bytes.count)])
        place += size
        try drain(&reader, &seen)
      }
      #expect(seen == expected, "\(container) in pieces of \(size)")
      #expect(reader.damageCount == 0)
    }
  }

  @Test("a record that never became whole is damage once the source has ended")
  func cut() throws {
    let path = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let source = IncomingBytes()
    source.append(bytes.dropLast(3))
    var reader = try CaptureReader(following: source, name: "live")
    var seen: [Seen] = []
    try drain(&reader, &seen)
    #expect(reader.damageCount == 0)
    source.end()
    reader.isGrowing = false
    try drain(&reader, &seen)
    #expect(reader.damageCount == 1)
  }

  @Test("a packet outside any container is the record that a file of its link type gives")
  func packets() throws {
    let table: [(container: String, link: LinkType, wrap: Int)] = [
      ("phdr.pcap", .hciH4WithDirection, 5), ("monitor.pcap", .linuxMonitor, 4),
      ("h4.pcap", .hciH4, 1),
    ]
    for (container, link, wrap) in table {
      let path = TestData.captures.appendingPathComponent("a-two-nodes.\(container)").path
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      var reader = try CaptureReader(bytes: bytes, name: container)
      while let record = try reader.next() {
        let start = record.fileOffset - wrap
        let packet = Array(bytes[start..<(record.fileOffset + record.payload.byteCount)])
        let view = RecordView(
          packet: packet.rawBytes, of: link, frame: record.frame, time: record.time,
          originalLength: packet.count)
        #expect([UInt8](view.payload) == [UInt8](record.payload))
        #expect(view.content == record.content)
        #expect(view.direction == record.direction)
        #expect(view.adapter == record.adapter)
        #expect(view.monitorOpcode == record.monitorOpcode)
        #expect(view.originalLength == record.originalLength)
      }
    }
  }
}
