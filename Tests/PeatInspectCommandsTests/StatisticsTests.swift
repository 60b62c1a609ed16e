import Foundation
import PeatTestSupport
import Testing

/// `stats`: its shares are those of the rows.
@Suite struct StatisticsTests {
  private static let captures = [
    "Captures/a-two-nodes.air251.pcap", "Captures/b-base.monitor.btsnoop",
    "Captures/d-fragments.h4.btsnoop", "Captures/e-churn.h4.btsnoop",
    "Captures/h-damaged.whole.h4.btsnoop", "Captures/m-mesh-three.alpha.h4.btsnoop",
  ]

  private static func path(_ name: String) -> String {
    TestData.captures.deletingLastPathComponent().appendingPathComponent(name).path
  }

  @Test("every way of counting gives all messages and bytes of the timeline", arguments: captures)
  func sums(_ name: String) throws {
    let path = StatisticsTests.path(name)
    let rows = try CommandRun(["inspect", "-q", "-f", "ndjson", path]).records()
    let records = try CommandRun(["stats", "-q", "-f", "ndjson", path]).records()
    let bytes = rows.reduce(0) { $0 + ($1["bytes"].int ?? 0) }
    for by in ["all", "node", "link", "kind", "interval"] {
      let shares = records.filter { $0["by"].string == by }
      #expect(shares.reduce(0) { $0 + ($1["messages"].int ?? 0) } == rows.count, "by \(by)")
      #expect(shares.reduce(0) { $0 + ($1["bytes"].int ?? 0) } == bytes, "by \(by)")
    }
    var kinds: [String: Int] = [:]
    for row in rows { kinds[row["kind"].string ?? "", default: 0] += 1 }
    for record in records where record["by"].string == "kind" {
      #expect(record["messages"].int == kinds[record["kind"].string ?? ""])
    }
  }

  @Test("what is of use is what convergence does not call redundant", arguments: captures)
  func useful(_ name: String) throws {
    let path = StatisticsTests.path(name)
    let all = try #require(
      try CommandRun(["stats", "-q", "-f", "ndjson", path]).records().first)
    let summary = try #require(
      try CommandRun(["convergence", "-q", "-f", "ndjson", path]).records().last)
    let documents = try CommandRun(["convergence", "-q", "-f", "ndjson", path]).records()
      .filter { $0["scope"].string == "link" }
    let useful = documents.reduce(0) { $0 + ($1["useful_messages"].int ?? 0) }
    #expect(all["useful_messages"].int == useful)
    #expect((summary["redundant_messages"].int ?? 0) + useful <= (all["messages"].int ?? 0))
  }

  @Test("an interval counts from the first packet, and empty ones have no record")
  func intervals() throws {
    let path = StatisticsTests.path("Captures/e-churn.h4.btsnoop")
    let rows = try CommandRun(["inspect", "-q", "-f", "ndjson", path]).records()
    var expected: [Int: Int] = [:]
    for row in rows { expected[Int((row["elapsed"].double ?? 0) / 7), default: 0] += 1 }
    let records = try CommandRun(["stats", "-q", "-f", "ndjson", "--interval", "7s", path])
      .records().filter { $0["by"].string == "interval" }
    var found: [Int: Int] = [:]
    for record in records {
      #expect(record["interval"].double == 7)
      found[Int((record["elapsed"].double ?? 0) / 7)] = record["messages"].int
    }
    #expect(found == expected)
  }

  @Test("only selected messages count, and what is left out is said")
  func selection() throws {
    let path = StatisticsTests.path("Captures/e-churn.h4.btsnoop")
    let run = try CommandRun(["stats", "-f", "ndjson", "--node", "00000001", path])
    #expect(try run.records().first?["messages"].int == 0)
    #expect(run.standardError.contains("nothing matches the options"))
  }

  @Test("the same bytes again are a repeat, as often as the payloads of the rows say")
  func repeats() throws {
    let path = StatisticsTests.path("Captures/e-churn.h4.btsnoop")
    let rows = try CommandRun(["inspect", "-q", "-f", "ndjson", path]).records()
    var last: [String: String] = [:]
    var expected = 0
    for row in rows {
      let way = "\(row["link"]["id"].int ?? 0) \(row["direction"].string ?? "")"
      if let payload = row["payload"].string {
        expected += last[way] == payload ? 1 : 0
        last[way] = payload
      }
    }
    let all = try #require(try CommandRun(["stats", "-q", "-f", "ndjson", path]).records().first)
    #expect(all["repeats"].int == expected)
  }
}
