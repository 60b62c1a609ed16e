import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// One row for what two adapters of a file saw of one value (cli.md, `seen_in`).
struct ViewpointTests {
  @Test("the captures of a real kernel hold the messages that their README counts")
  func kernelCaptures() throws {
    let folder = TestData.captures.appendingPathComponent("kernel")
    let usual = [
      "multiple_notification": 5, "read_response": 1, "write_command": 2, "write_request": 2,
    ]
    let plain = ["notification": 3, "read_response": 1, "write_command": 1, "write_request": 1]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where !file.hasSuffix(".md") {
      let values = try HandleResolutionTests.values(
        try CaptureReader(path: folder.appendingPathComponent(file).path), DissectionOptions())
      let counts = Dictionary(values.map { ($0.opcode.rawValue, 1) }, uniquingKeysWith: +)
      #expect(counts == (file.hasPrefix("gatttool") ? plain : usual), "\(file)")
      let hasBoth = file.contains("monitor") || file.contains("btmon")
      for value in values {
        #expect(value.seenIn.count == (hasBoth ? 2 : 0), "\(file): frame \(value.frame)")
        if hasBoth { #expect(value.direction == .sent, "\(file): frame \(value.frame)") }
      }
    }
  }

  private static let here: UInt64 = 0xC000_0000_0001
  private static let there: UInt64 = 0xC000_0000_0002

  /// Two adapters that are connected with each other.
  static func pair() -> Recording {
    var recording = Recording(isMonitor: true)
    for (adapter, address) in [(UInt32(0), here), (1, there)] {
      recording.packet(
        4, [0x0E, 10, 1, 0x09, 0x10, 0] + Recording.little(address, 6), isReceived: true,
        adapter: adapter)
    }
    recording.connect(1, peer: there, isCentral: true, adapter: 0)
    recording.connect(1, peer: here, isCentral: false, adapter: 1)
    return recording
  }

  private static func values(_ recording: Recording) throws -> [CapturedValue] {
    try HandleResolutionTests.values(recording) {
      $0.hints = [HandleHint(address: nil, handle: 16)]
    }
  }

  @Test("equal values sent one after the other are paired each with its own")
  func repeated() throws {
    var recording = Self.pair()
    let value = Recording.document(version: 1, node: 1, counter: [])
    for _ in 0..<3 { recording.write(1, 16, value, adapter: 0) }
    for _ in 0..<3 { recording.write(1, 16, value, adapter: 1, isReceived: true) }
    let values = try Self.values(recording)
    #expect(values.map(\.frame) == [5, 6, 7])
    #expect(values.map { $0.seenIn.map(\.frame) } == [[5, 8], [6, 9], [7, 10]])
  }

  @Test("the row is the sender's, even where the receiver's packet comes first in the file")
  func receiverFirst() throws {
    var recording = Self.pair()
    let value = Recording.document(version: 1, node: 1, counter: [])
    recording.write(1, 16, value, adapter: 1, isReceived: true)
    recording.write(1, 16, value, adapter: 0)
    let values = try Self.values(recording)
    #expect(values.map(\.frame) == [6])
    #expect(values.first?.direction == .sent)
    #expect(values.first?.seenIn.map(\.frame) == [5, 6])
  }

  @Test("what one adapter receives from elsewhere is not taken for what the other sends")
  func unrelated() throws {
    var recording = Self.pair()
    recording.connect(2, peer: 0xC000_0000_0009, isCentral: false, adapter: 1)
    let value = Recording.document(version: 1, node: 1, counter: [])
    recording.write(1, 16, value, adapter: 0)
    recording.write(2, 16, value, adapter: 1, isReceived: true)
    let values = try Self.values(recording)
    #expect(values.count == 2)
    #expect(values.allSatisfy { $0.seenIn.isEmpty })
  }

  @Test("a value that was lost on the way is a row of its own")
  func lost() throws {
    var recording = Self.pair()
    recording.write(1, 16, Recording.document(version: 1, node: 1, counter: []), adapter: 0)
    recording.microseconds += 60_000_000
    let last = Recording.document(version: 2, node: 1, counter: [])
    recording.write(1, 16, last, adapter: 0)
    recording.write(1, 16, last, adapter: 1, isReceived: true)
    let values = try Self.values(recording)
    #expect(values.map { $0.seenIn.count } == [0, 2])
  }
}
