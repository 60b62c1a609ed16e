import Foundation
import PeatTestSupport
import Testing

/// Captures of one mesh from several places, against what the applications wrote down.
@Suite struct SeveralCapturesTests {
  private static let parts = [
    "m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng",
    "m-mesh-three.echo.monitor.btsnoop",
  ]

  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  private static let files = parts.map(path)

  /// The numbers of a line such as `FILE: clock -4.9 s against … drift +40.0 ppm`.
  private func clock(of file: String, in text: String) throws -> (offset: Double, drift: Double) {
    let line = try #require(
      text.split(separator: "\n").first { $0.contains("\(file): clock ") })
    let words = line.split(separator: " ").map(String.init)
    func number(after word: String) -> Double? {
      words.firstIndex(of: word).flatMap { Double(words[$0 + 1]) }
    }
    return (try #require(number(after: "clock")), number(after: "drift") ?? 0)
  }

  @Test func `clocks are found from what both ends recorded`() throws {
    let run = try CommandRun(["-f", "ndjson"] + Self.files)
    #expect(run.status == 0)
    let bravo = try clock(of: Self.files[1], in: run.standardError)
    #expect(abs(bravo.offset + 4.9) < 0.005)
    #expect(abs(bravo.drift) < 5)
    let echo = try clock(of: Self.files[2], in: run.standardError)
    #expect(abs(echo.offset + 3.2) < 0.005)
    #expect(abs(echo.drift - 40) <= 5)
  }

  @Test func `every document of the union is one row, in the order of sending`() throws {
    let captures = try TruthCapture.all().filter { Self.parts.contains($0.file) }
    var expected: [Int: TruthCapture.Document] = [:]
    var places: [Int: Set<String>] = [:]
    for capture in captures {
      for document in capture.documents {
        expected[document.sequence] = document
        places[document.sequence, default: []].insert(capture.file)
      }
    }
    let recorders = Dictionary(
      captures.compactMap { capture in capture.recordedNode.map { ($0, capture.file) } },
      uniquingKeysWith: { first, _ in first })
    let rows = try CommandRun(["-f", "ndjson"] + Self.files).records()
    #expect(rows.count == expected.count)

    // By the true clock, a row stands where its sender sent it, or where it was received if the
    // sender kept no record.
    var waiting: [String: [(time: Double, sequence: Int)]] = [:]
    for (sequence, document) in expected {
      let isSent = document.whole["sender"].string.flatMap { recorders[$0] } != nil
      let time = (isSent ? document.whole["t"] : document.whole["received_s"]).double ?? 0
      let key = [
        document.whole["hex"].string ?? "", document.whole["sender_address"].string ?? "",
        document.whole["receiver_address"].string ?? "",
      ].joined(separator: " ")
      waiting[key, default: []].append((time, sequence))
    }
    let start = try #require(captures.first?.truth["start_unix_us"].double) / 1e6
    var last = -Double.infinity
    for row in rows {
      let isSent = row["direction"].string == "sent"
      let ends = [row["link"]["local"].string ?? "", row["link"]["peer"].string ?? ""]
      let payload = ([row["payload"].string ?? ""] + (isSent ? ends : ends.reversed()))
        .joined(separator: " ")
      let time = try seconds(row["time"].string ?? "") - start - 3.2
      let candidates = waiting[payload] ?? []
      let nearest = candidates.indices.min {
        abs(candidates[$0].time - time) < abs(candidates[$1].time - time)
      }
      guard let nearest else {
        Issue.record("frame \(row["frame"].int ?? 0) has no document left")
        continue
      }
      let found = candidates[nearest]
      waiting[payload]?.remove(at: nearest)
      #expect(abs(found.time - time) < 0.015, "document \(found.sequence)")
      // Clocks agree to a few milliseconds, so the order does too.
      #expect(found.time > last - 0.012, "document \(found.sequence)")
      last = max(last, found.time)
      let seen = Set((row["seen_in"].array ?? []).compactMap { $0["file"].string })
      let both = places[found.sequence] ?? []
      #expect(seen == (both.count > 1 ? Set(both.map(Self.path)) : []))
      if both.count > 1 {
        let sender = expected[found.sequence]?.whole["sender"].string ?? ""
        #expect(row["file"].string == recorders[sender].map(Self.path))
        #expect(row["direction"].string == "sent")
        let times = (row["seen_in"].array ?? []).compactMap { $0["time"].string }
        #expect(times == times.sorted())
        #expect(row["time"].string == times.first)
      }
    }
    let left = waiting.values.flatMap { $0 }
    #expect(left.isEmpty)
  }

  @Test func `raw clocks are kept when asked, and set when told`() throws {
    let rows = try CommandRun(["-f", "ndjson"] + Self.files).records().count
    let raw = try CommandRun(["-f", "ndjson", "--no-align"] + Self.files)
    #expect(!raw.standardError.contains("clock "))
    #expect(try raw.records().count == rows)
    let alone = try CommandRun(["-f", "ndjson", Self.files[1]]).records()
    let times = Set(try raw.records().compactMap { $0["time"].string })
    let first = try #require(alone.first?["time"].string)
    #expect(times.contains(first))

    let run = try CommandRun(["-f", "ndjson", "--offset", "\(Self.files[1])=-4.9"] + Self.files)
    #expect(run.standardError.contains("clock -4.900000 s against"))
    #expect(run.standardError.contains("as given"))
    #expect(try run.records().count == rows)
  }

  @Test func `an offset of a file that is not read is a wrong command line`() throws {
    let run = try CommandRun(["--offset", "x=1"] + Self.files)
    #expect(run.status == 2)
    #expect(try CommandRun(["--offset", "\(Self.files[1])=soon"] + Self.files).status == 2)
  }

  @Test func `standard input is aligned like a file`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.files[1])))
    let run = try CommandRun(["-f", "ndjson", Self.files[0], "-"], input: .pipe(bytes))
    let clock = try clock(of: "-", in: run.standardError)
    #expect(abs(clock.offset + 4.9) < 0.005)
  }

  @Test func `captures that share nothing keep their clocks, and that is said`() throws {
    let run = try CommandRun([
      "-f", "ndjson", Self.files[0], Self.path("a-two-nodes.h4.btsnoop"),
    ])
    #expect(run.status == 0)
    #expect(run.standardError.contains("not aligned"))
  }

  /// Seconds since 1970 of `2026-03-01T09:30:29.514403Z`.
  private func seconds(_ text: String) throws -> Double {
    let parts = text.dropLast().split(separator: ".")
    let formatter = ISO8601DateFormatter()
    let whole = try #require(formatter.date(from: "\(parts[0])Z"))
    return whole.timeIntervalSince1970 + (Double("0.\(parts[1])") ?? 0)
  }
}
