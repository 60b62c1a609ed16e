import Foundation
import PeatTestSupport
import Testing

/// `-f html`: the page as a file. `Tests/Report/check` opens it in a browser.
struct HTMLReportTests {
  private static let captures = [
    "a-two-nodes.h4.btsnoop", "e-churn-five.monitor.btsnoop", "i-malformed.phdr.pcap",
    "j-wrapped.h4.btsnoop", "k-phone.btsnoop_hci.log", "l-mesh.h4.btsnoop",
  ]

  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  /// The page's own block of data.
  private func data(_ page: String) throws -> JSON {
    let begin = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
    return try JSON(parsing: Data(page[begin.upperBound..<end.lowerBound].utf8))
  }

  @Test("figures are those of the records", arguments: captures)
  func figures(name: String) throws {
    let path = HTMLReportTests.path(name)
    let run = try CommandRun(["-q", "-f", "html", path])
    let page = try data(run.text)
    #expect(page["messages"].int == (try CommandRun(["-q", "-f", "ndjson", path]).lines.count))

    let summary = try #require(
      try CommandRun(["-q", "convergence", "-f", "ndjson", path]).records().last)
    #expect(page["spread"]["updates"] == summary["updates"])
    for reach in ["complete", "partial", "alone"] {
      #expect(page["spread"][reach] == summary[reach])
    }
    // Every update is counted once.
    let parts = ["complete", "partial", "alone"].map { summary[$0].int ?? 0 }
    #expect(parts.reduce(0, +) == summary["updates"].int)

    let findings = try CommandRun(["-q", "check", "-f", "ndjson", path]).records()
    #expect(page["findings"].array?.map { $0["message"] } == findings.map { $0["message"] })
    #expect(page["findings"].array?.map { $0["count"] } == findings.map { $0["count"] })

    let emergencies = try CommandRun(["-q", "emergencies", "-f", "ndjson", path]).records()
    #expect(page["emergencies"].array?.count == emergencies.count)
    for (shown, record) in zip(page["emergencies"].array ?? [], emergencies) {
      #expect(shown["stamp"].string == record["stamp"].int.map { "\($0)" })
      let outcomes = record["nodes"].array?.map { $0["why"] }
      #expect(shown["nodes"].array?.map { $0["why"] } == outcomes)
    }

    let state = try CommandRun(["-q", "state", "-f", "ndjson", path]).records()
    #expect(page["total"].string == state.first?["total"].int.map { "\($0)" })
  }

  @Test("the policy names nothing but the page's own script and style")
  func policy() throws {
    let page = try CommandRun(["-q", "-f", "html", HTMLReportTests.path(Self.captures[1])]).text
    let policy = try #require(page.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/))
    #expect(policy.1.hasPrefix("default-src 'none'; script-src 'sha256-"))
    #expect(!policy.1.contains("unsafe"))
    #expect(!page.contains(" style="))
    #expect(!page.contains("innerHTML"))
    #expect(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"))
    #expect(!page.contains("https://"))
  }

  @Test("a capture without messages says why, and one that cannot be read makes no page")
  func withoutMessages() throws {
    let folder = try ScratchFolder()
    let empty = try folder.write(
      Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA], "empty.btsnoop")
    let run = try CommandRun(["-q", "-f", "html", empty])
    #expect(run.status == 0)
    let page = try data(run.text)
    #expect(page["answers"][0]["verdict"].string == "Limit")
    #expect(page["answers"][0]["title"].string == "No Peat message was found")
    let missing = try CommandRun(["-f", "html", "-o", folder.path("x.html"), "/nonexistent"])
    #expect(missing.status == 3)
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.html")))
  }

  @Test("the command is told without the secret")
  func secret() throws {
    let secret = String(repeating: "42", count: 32)
    let run = try CommandRun([
      "-q", "-f", "html", "--mesh", "DEMO", "--secret", secret,
      HTMLReportTests.path("j-wrapped.h4.btsnoop"),
    ])
    #expect(!run.text.contains(secret))
    #expect(try data(run.text)["command"].string?.contains("--secret") == true)
  }
}
