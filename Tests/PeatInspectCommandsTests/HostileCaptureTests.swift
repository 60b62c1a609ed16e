import Foundation
import PeatTestSupport
import Testing

/// Captures made to break a reader: each ends with a documented status, in little memory and time.
struct HostileCaptureTests {
  /// A made capture and what is asked of it.
  struct Hostile: CustomTestStringConvertible, Sendable {
    var name: String
    var status: Int32
    var rows: Int?
    var bytes: [UInt8]

    var testDescription: String { name }

    init(_ name: String, status: Int32 = 0, rows: Int? = nil, _ fill: (inout Recording) -> Void) {
      self.name = name
      self.status = status
      self.rows = rows
      var recording = Recording()
      recording.connect(1, peer: 0xC000_0000_0001)
      recording.discover(1, handle: 16)
      fill(&recording)
      bytes = recording.bytes
    }

    init(_ name: String, status: Int32, bytes: [UInt8]) {
      self.name = name
      self.status = status
      self.bytes = bytes
    }
  }

  private static let document = Recording.document(version: 1, node: 1, counter: [(1, 1)])

  static let links: [Hostile] = [
    Hostile("a start fragment of every length up to 64, never continued", rows: 0) {
      for count in 0...64 {
        $0.packet(
          2,
          [0x01, 0x20] + Recording.little(UInt64(count), 2)
            + [UInt8](repeating: 0xFF, count: count), isReceived: true)
      }
    },
    Hostile("ACL lengths that claim more than is there", rows: 0) {
      for _ in 0..<200 { $0.packet(2, [0x01, 0x20, 0xFF, 0xFF, 1, 2, 3], isReceived: true) }
    },
    Hostile("four thousand connections that never end", rows: 0) {
      for handle in 0..<0x0EFF { $0.connect(UInt16(handle), peer: UInt64(handle) << 8) }
    },
    Hostile("each value on another handle without a name", rows: 0) {
      $0.connect(2, peer: 0xC000_0000_0002)
      for handle in 1...9000 { $0.notify(2, UInt16(handle), HostileCaptureTests.document) }
    },
    Hostile("a long write of parts that each overlap the last", rows: 1) {
      for part in 0..<1500 {
        $0.l2cap(
          1, [0x16, 16, 0] + Recording.little(UInt64(part & 1), 2) + [1, 2], isReceived: false)
      }
      $0.l2cap(1, [0x18, 1], isReceived: false)
    },
    // What came before offset 65535 is not in the capture.
    Hostile("a long write at the end of the offsets", status: 4, rows: 1) {
      $0.l2cap(1, [0x16, 16, 0, 0xFF, 0xFF, 1, 2], isReceived: false)
      $0.l2cap(1, [0x18, 1], isReceived: false)
    },
    Hostile("a multiple notification whose lengths run over", rows: 1) {
      $0.l2cap(1, [0x23, 16, 0, 0xFF, 0xFF, 1, 2, 3, 4, 5], isReceived: true)
    },
    Hostile("discovery that claims every handle for another type", rows: 0) {
      for handle in stride(from: UInt16(1), to: 0xFF00, by: 16) {
        $0.l2cap(1, [0x04] + Recording.little(UInt64(handle), 2) + [0xFF, 0xFF], isReceived: false)
        $0.l2cap(
          1, [0x05, 1] + Recording.little(UInt64(handle), 2) + [0x00, 0x2A], isReceived: true)
      }
    },
    Hostile("EATT channels opened without end, SDUs without end", rows: 0) {
      for step in 0..<300 {
        let id = UInt8(truncatingIfNeeded: step)
        let open: [UInt8] = [0x17, id, 10, 0, 0x27, 0, 64, 0, 64, 0, 9, 0, 0x40, 0]
        $0.l2cap(1, channel: 5, open, isReceived: false)
        $0.l2cap(
          1, channel: 5, [0x18, id, 10, 0, 64, 0, 64, 0, 9, 0, 0, 0, 0x40, 0], isReceived: true)
        $0.l2cap(1, channel: 0x40, [0xFF, 0xFF, 1, 2, 3], isReceived: true)
      }
    },
    Hostile("pairing packets of every length", rows: 0) {
      for count in 0...20 {
        for code in [UInt8(8), 9] {
          $0.l2cap(
            1, channel: 6, [code] + [UInt8](repeating: 0x55, count: count), isReceived: true)
        }
      }
    },
    Hostile("events of every code and too little behind it", rows: 0) {
      for code in UInt8(0)...255 { $0.packet(4, [code, 200, 1], isReceived: true) }
    },
    Hostile("a document that claims four thousand million entries", rows: 1) {
      $0.notify(1, 16, Recording.little(1, 8) + [0xFF, 0xFF, 0xFF, 0xFF])
    },
    Hostile("twelve thousand million counts, twice", rows: 2) {
      let value = Recording.document(version: .max, node: 1, counter: [(1, .max), (2, .max)])
      $0.notify(1, 16, value)
      $0.notify(1, 16, value)
    },
    Hostile("a drop counter that jumps up and down", rows: 40) {
      for step in 0..<40 {
        $0.drops = step % 2 == 0 ? .max : 0
        $0.notify(1, 16, HostileCaptureTests.document)
      }
    },
    Hostile("a clock that is set back by a year now and then", rows: 30) {
      for step in 0..<30 {
        if step % 10 == 0 { $0.microseconds -= 31_536_000_000_000 }
        $0.notify(1, 16, HostileCaptureTests.document)
      }
    },
  ]

  static let containers: [Hostile] = {
    var monitor = Recording(isMonitor: true)
    for opcode in UInt32(0)...40 {
      for count in 0...24 {
        monitor.record([UInt8](repeating: 0xFF, count: count), flags: 0xFFFF_0000 | opcode)
      }
    }
    var noisy = Recording()
    noisy.connect(1, peer: 1)
    noisy.noise((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 0x9E37 >> 3) })
    var header = Recording()
    header.noise([0, 0, 0, 9])
    return [
      Hostile(
        "monitor records of every kind and too little behind it", status: 0, bytes: monitor.bytes),
      Hostile("a record, then noise", status: 4, bytes: noisy.bytes),
      Hostile("a file of its header alone", status: 0, bytes: Recording().bytes),
      Hostile("a file that ends in its first record's header", status: 4, bytes: header.bytes),
      Hostile("an empty file", status: 3, bytes: []),
      Hostile("a magic and nothing behind it", status: 4, bytes: Array("btsnoop\u{0}".utf8)),
    ]
  }()

  @Test("hostile packets in a sound file", arguments: links)
  func link(_ hostile: Hostile) throws { try check(hostile) }

  @Test("hostile files", arguments: containers)
  func container(_ hostile: Hostile) throws { try check(hostile) }

  private func check(_ hostile: Hostile) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(hostile.bytes, "capture")
    let run = try CommandRun(["-v", "-f", "ndjson", path], isLimited: true)
    #expect(run.status == hostile.status, "\(run.standardError.suffix(300))")
    if let rows = hostile.rows { #expect(run.lines.count == rows) }
    let piped = try CommandRun(["-f", "ndjson", "-"], input: .pipe(hostile.bytes))
    #expect(piped.status == hostile.status)
  }
}
