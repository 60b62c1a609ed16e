import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatTestSupport
import PeatTimeline
import Testing

/// Findings on the public captures, against what their truth files say was planted.
@Suite struct FindingTruthTests {
  /// Sessions in which nothing was planted.
  private static let undamaged = ["a-", "b-", "c-", "d-", "e-", "k-", "l-", "m-"]

  @Test func `undamaged sessions have no error`() throws {
    for capture in try TruthCapture.all() where capture.isHCI {
      guard FindingTruthTests.undamaged.contains(where: { capture.session.hasPrefix($0) }) else {
        continue
      }
      let errors = try Self.report(of: capture).report.items.filter {
        $0.code.severity == .error
      }
      #expect(errors.map { "\($0.code): \($0.message)" } == [], "\(capture.file)")
    }
  }

  @Test func `plain documents that collide with a marker are all found`() throws {
    for capture in try TruthCapture.all() where capture.isHCI && capture.session == "l-mesh" {
      let planted = capture.documents.count {
        $0.whole["first_byte_collides"].bool == true && ($0.payload.first ?? 0) != 0xAB
      }
      let found = try Self.report(of: capture).rows.count { row in
        row.findings.contains { $0.code == .versionCollision }
      }
      #expect(found == planted, "\(capture.file)")
    }
  }

  @Test func `notifications that the MTU cut are all found`() throws {
    for capture in try TruthCapture.all() where capture.isHCI && capture.session.hasPrefix("c-") {
      let planted = capture.documents.count { $0.whole["truncated"].bool == true }
      let run = try Self.report(of: capture)
      let found = run.rows.count { row in row.findings.contains { $0.code == .cutByMTU } }
      #expect(found == planted, "\(capture.file)")
      #expect(!run.report.items.contains { $0.code == .lostByMTU }, "\(capture.file)")
    }
  }

  /// What the truth's words of a planted fault are in codes: the first that fits its beginning.
  private static let codes: [(String, FindingCode)] = [
    ("heart rate", .heartRateRange), ("battery", .batteryRange), ("activity", .activityRange),
    ("emergency stamp in 1999", .uptimeTimestamp), ("peripheral stamp in 1999", .uptimeTimestamp),
    ("latitude", .locationDropped), ("longitude", .locationDropped),
    ("peripheral", .sectionDropped), ("callsign", .sectionDropped),
    ("emergency", .sectionDropped), ("section header cut", .sectionCut),
    ("section longer", .sectionCut), ("trailing bytes", .unknownSection),
    ("unknown section", .unknownSection), ("node zero in counter", .entrySkipped),
    ("same node twice", .entrySkipped), ("two peripheral sections", .entrySkipped),
    ("count at 2^64-1", .counterLeap), ("relay with hops over", .relayExpired),
    ("relay inside relay", .contentDropped), ("encrypted, random", .unopenedWrapper),
    ("", .malformedMessage),
  ]

  @Test func `every planted fault is named`() throws {
    for capture in try TruthCapture.all() where capture.isHCI && capture.session.hasPrefix("i-") {
      let rows = try Self.report(of: capture).rows
      #expect(rows.count == capture.documents.count, "\(capture.file)")
      for (row, document) in zip(rows, capture.documents) {
        guard let fault = document.whole["malformed"].string else { continue }
        let code = Self.codes.first { fault.hasPrefix($0.0) }?.1
        #expect(
          row.findings.contains { $0.code == code },
          "\(capture.file), \(fault): \(row.findings.map(\.code.rawValue))")
      }
    }
  }

  static func report(
    of capture: TruthCapture
  ) throws -> (rows: [TimelineRow], report: FindingReport) {
    let stream = CaptureStream(
      file: capture.file, reader: try CaptureReader(path: capture.path),
      options: DissectionOptions())
    var timeline = Timeline(streams: [stream], opener: NoKeys(), engine: FindingEngine())
    var report = FindingReport(start: nil)
    var rows: [TimelineRow] = []
    while let row = timeline.next() {
      rows.append(row)
      report.add(row)
    }
    let end = CaptureEnd(
      file: stream.file, lastTime: stream.dissector.lastTime,
      links: stream.dissector.linkFacts, advertisers: stream.dissector.advertisers)
    for finding in timeline.engine?.conclude(end) ?? [] { report.add(finding, file: stream.file) }
    return (rows, report)
  }
}
