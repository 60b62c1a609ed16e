import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// The last resort: what values say of their own handle (cli.md, `content`).
struct ContentEvidenceTests {
  private static let peer: UInt64 = 0xE123_757B_B949

  private static func document(
    _ version: UInt32, node: UInt32 = 0x1111_1111, count: UInt64? = nil
  ) -> [UInt8] {
    Recording.document(
      version: version, node: node, counter: [(node, count ?? UInt64(version))])
  }

  /// How many values of a connection are shown, after `fill` has made its traffic.
  private static func shown(_ fill: (inout Recording) -> Void) throws -> Int {
    var recording = Recording()
    recording.connect(1, peer: peer)
    fill(&recording)
    return try HandleResolutionTests.values(recording).count
  }

  @Test("three documents of one node that counts up suffice, two do not")
  func several() throws {
    #expect(
      try Self.shown { for step in 1...3 { $0.notify(1, 16, Self.document(UInt32(step))) } } == 3)
    #expect(
      try Self.shown { for step in 1...2 { $0.notify(1, 16, Self.document(UInt32(step))) } } == 0)
  }

  @Test("a version that stays suffices where the counter grows")
  func counterGrows() throws {
    #expect(
      try Self.shown {
        for step in 1...4 { $0.notify(1, 16, Self.document(2, count: UInt64(step))) }
      } == 4)
  }

  @Test("documents that never change, or fall, do not count")
  func withoutGrowth() throws {
    #expect(try Self.shown { for _ in 1...9 { $0.notify(1, 16, Self.document(5)) } } == 0)
    #expect(
      try Self.shown { for step in 1...9 { $0.notify(1, 16, Self.document(20 - UInt32(step))) } }
        == 0)
  }

  @Test("a node that changes with each document does not count")
  func changingNode() throws {
    #expect(
      try Self.shown {
        for step in 1...9 {
          $0.notify(1, 16, Self.document(UInt32(step), node: 0x1000_0000 + UInt32(step)))
        }
      } == 0)
  }

  @Test("a device that echoes what is written to it does not count")
  func echo() throws {
    #expect(
      try Self.shown {
        for step in 1...9 {
          $0.write(1, 16, Self.document(UInt32(step)))
          $0.notify(1, 16, Self.document(UInt32(step)))
        }
      } == 0)
  }

  @Test("values that are no messages outweigh a few documents")
  func otherValues() throws {
    #expect(
      try Self.shown {
        for step in 1...4 {
          $0.notify(1, 16, Self.document(UInt32(step)))
          $0.notify(1, 16, [1, 2, 3, 4, 5, 6, 7])
        }
      } == 0)
  }

  @Test("discovery that names another type, or the document elsewhere, comes first")
  func contradiction() throws {
    #expect(
      try Self.shown {
        $0.discover(1, handle: 16, type: 0x2A19, service: 0x180F)
        for step in 1...9 { $0.notify(1, 16, Self.document(UInt32(step))) }
      } == 0)
    #expect(
      try Self.shown {
        $0.discover(1, handle: 30)
        for step in 1...9 { $0.notify(1, 16, Self.document(UInt32(step))) }
      } == 0)
  }

  @Test("frames that a key opens count, others count neither way")
  func openedFrames() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    for step in 1...4 {
      recording.notify(1, 16, [0xAE, 0] + [UInt8](repeating: UInt8(step), count: 40))
    }
    #expect(try HandleResolutionTests.values(recording).isEmpty)
    #expect(
      try HandleResolutionTests.values(recording) { $0.opensFrame = { _ in true } }.count == 4)
  }

  @Test("the look-alike of session g counts in no part of its capture")
  func lookAlike() throws {
    for capture in try TruthCapture.all()
    where capture.session == "g-lookalike" && capture.file.hasSuffix("h4.btsnoop") {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: capture.path)))
      let genuine = Set(capture.documents.map(\.payload))
      for start in Self.recordStarts(bytes) where start % 7 == 0 {
        let part = Array(bytes[..<16] + bytes[start...])
        let values = try HandleResolutionTests.values(
          try CaptureReader(bytes: part, name: "part"), DissectionOptions())
        for value in values {
          #expect(genuine.contains(value.payload), "from offset \(start), frame \(value.frame)")
        }
      }
    }
  }

  /// Offsets of the records of a btsnoop file.
  private static func recordStarts(_ bytes: [UInt8]) -> [Int] {
    var starts: [Int] = []
    var place = 16
    while place + 24 <= bytes.count {
      starts.append(place)
      place += 24 + bytes[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
    }
    return starts
  }
}
