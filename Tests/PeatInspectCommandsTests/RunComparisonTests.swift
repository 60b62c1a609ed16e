import Foundation
import PeatTestSupport
import Testing

/// `diff --of`: what two runs differ in is what the commands say of each.
@Suite struct RunComparisonTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }
  private let before = path("e-churn-five.monitor.btsnoop")
  private let after = path("a-two-nodes.h4.btsnoop")

  private func differences(_ parts: [String], _ left: [String], _ right: [String]) throws -> [JSON]
  {
    let words = parts.flatMap { ["--of", $0] } + right.flatMap { ["--against", $0] }
    return try CommandRun(["diff", "-q", "-f", "ndjson"] + words + left).records()
  }

  @Test("a run does not differ from itself")
  func itself() throws {
    let run = try CommandRun(
      [
        "diff", "-q", "--exit-code", "--of", "emergencies", "--of", "convergence", "--of",
        "findings", "--against", before, before,
      ])
    #expect(run.status == 0)
    #expect(run.text.hasPrefix("no differences between "))
  }

  @Test("figures of convergence are those of convergence")
  func convergence() throws {
    let fields = try differences(["convergence"], [before], [after])
    func summary(_ path: String) throws -> JSON {
      try #require(try CommandRun(["convergence", "-q", "-f", "ndjson", path]).records().last)
    }
    let left = try summary(before)
    let right = try summary(after)
    let messages = fields.first { $0["field"].string == "messages" }
    #expect(messages?["left"].string == left["messages"].int.map { "\($0)" })
    #expect(messages?["right"].string == right["messages"].int.map { "\($0)" })
    let known = fields.first { $0["field"].string == "known to all" }
    #expect(
      known?["left"].string == "\(left["complete"].int ?? -1) of \(left["updates"].int ?? -1)")
  }

  @Test("counts of findings are those of check")
  func findings() throws {
    let fields = try differences(["findings"], [before], [after])
    var expected: [String: [Int]] = [:]
    for (place, path) in [before, after].enumerated() {
      for item in try CommandRun(["check", "-q", "-f", "ndjson", path]).records() {
        guard let code = item["code"].string else { continue }
        let key = "\(code) \(item["node"].string ?? "")"
        expected[key, default: [0, 0]][place] += item["count"].int ?? 1
      }
    }
    for (key, counts) in expected where counts[0] != counts[1] {
      let field = fields.first {
        "\($0["field"].string ?? "") \($0["node"].string ?? "")" == key
      }
      #expect(field?["left"].string == "\(counts[0])", "\(key)")
      #expect(field?["right"].string == "\(counts[1])", "\(key)")
    }
  }

  @Test("an emergency of one run alone, and one that ended otherwise, are told")
  func emergencies() throws {
    let fields = try differences(["emergencies"], [before], [after])
    let left = try CommandRun(["emergencies", "-q", "-f", "ndjson", before]).records()
    let right = try CommandRun(["emergencies", "-q", "-f", "ndjson", after]).records()
    for (records, key, other) in [(left, "left", "right"), (right, "right", "left")] {
      for source in Set(records.compactMap { $0["source"].string }) {
        // The sources of the two scenarios are different nodes.
        let field = fields.first {
          $0["node"].string == source && $0["field"].string == "emergency 1 acked"
        }
        #expect(field?[key].string?.contains(" of ") == true)
        #expect(field?[other].string == nil)
      }
    }
  }

  @Test("several captures are one run")
  func severalCaptures() throws {
    let bravo = Self.path("a-two-nodes.from-bravo.h4.btsnoop")
    let records = try differences(["convergence"], [after], [after, bravo])
    // The same mesh, recorded at both ends: every message once.
    #expect(!records.contains { $0["field"].string == "messages" })
  }

  @Test("without another run there is nothing to compare")
  func usage() throws {
    let run = try CommandRun(["diff", "--of", "findings", before])
    #expect(run.status == 2)
    #expect(run.standardError.contains("--against"))
  }
}
