import Foundation
import PeatTestSupport
import Testing

/// Session h, one capture with many defects (cli.md, "Exit status").
struct DamagedCaptureTests {
  /// Files whose container or values are cut or damaged end with 4; others may be warned of.
  private static func status(_ file: String) -> Int32 {
    let harmless = ["whole", "dropped", "noisy"]
    return harmless.contains { file.contains(".\($0).") } ? 0 : 4
  }

  @Test("every expected document is there, and each row besides says why it is doubtful")
  func documents() throws {
    for capture in try TruthCapture.all() where capture.session.hasPrefix("h-") && capture.isHCI {
      let run = try CommandRun(["-f", "ndjson", capture.path])
      #expect(run.status == Self.status(capture.file), "\(capture.file)")
      // One of the files has an Ethernet packet on an interface of its own, which is named.
      let lines = run.standardError.split(separator: "\n").filter {
        !$0.contains("of interface 1 passed over: linktype 1 (Ethernet)")
      }
      #expect(lines.count <= 1, "\(capture.file): \(run.standardError)")
      if run.status == 4 { #expect(lines.count == 1, "\(capture.file)") }
      var expected = capture.documents[...]
      // A gap is told with the first value behind it.
      var isBehindGap = false
      for record in try run.records() {
        let codes = (record["findings"].array ?? []).compactMap(\.["code"].string)
        isBehindGap = isBehindGap || codes.contains("dropped-packets")
        if record["payload"].bytes == expected.first?.payload {
          expected.removeFirst()
          continue
        }
        #expect(
          codes.contains("cut-by-capture") || isBehindGap,
          "\(capture.file): frame \(record["frame"].int ?? 0)")
      }
      #expect(expected.isEmpty, "\(capture.file): \(expected.count) documents are missing")
    }
  }

  @Test("a growing drop counter is warned of once, with its total")
  func drops() throws {
    var recording = Recording()
    recording.connect(1, peer: 0xC000_0000_0001)
    recording.discover(1, handle: 16)
    for step in 1...30 {
      recording.drops += 2
      recording.notify(
        1, 16, Recording.document(version: UInt32(step), node: 1, counter: [(1, UInt64(step))]))
    }
    let run = try CommandRun(["-f", "ndjson", "-"], input: .pipe(recording.bytes))
    #expect(run.status == 0)
    let lines = run.standardError.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.contains("60 packets at 30 places") == true)
    for record in try run.records() {
      #expect(record["findings"][0]["code"].string == "dropped-packets")
    }
  }
}
