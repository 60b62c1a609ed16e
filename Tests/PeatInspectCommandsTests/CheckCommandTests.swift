import PeatTestSupport
import Testing

@testable import PeatInspectCommands

@Suite struct CheckCommandTests {
  private func capture(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  @Test func `the table of commands and options is sound`() {
    #expect(ToolDefinition.tool.validate() == [])
  }

  @Test func `a sound capture ends with status 0`() throws {
    let run = try CommandRun(["check", capture("a-two-nodes.h4.btsnoop")])
    #expect(run.status == 0)
    #expect(run.standardError == "")
    #expect(!run.lines.contains { $0.hasPrefix("error") })
  }

  @Test func `an error ends with status 1, and tells frames, rule and advice`() throws {
    let run = try CommandRun(["check", "-f", "ndjson", capture("i-malformed.h4.btsnoop")])
    #expect(run.status == 1)
    let records = try run.records()
    let finding = try #require(
      records.first { $0["code"].string == "heart-rate-out-of-range" })
    #expect(finding["schema"].int == 1)
    #expect(finding["severity"].string == "error")
    #expect(finding["frames"].array?.count == 1)
    #expect(finding["rule"].string == "protocol.md 2.4")
    #expect(finding["advice"].string?.hasSuffix(".") == true)
    #expect(finding["message"].string?.contains("heart rate 5") == true)
    #expect(finding["count"].int == 1)
    // The gravest first.
    let severities = records.compactMap { $0["severity"].string }
    let order = ["error", "warning", "note"]
    #expect(
      severities == severities.sorted { order.firstIndex(of: $0)! < order.firstIndex(of: $1)! })
  }

  @Test func `fail-on moves the severity that fails`() throws {
    let file = capture("c-mtu23.h4.btsnoop")
    #expect(try CommandRun(["check", file]).status == 0)
    #expect(try CommandRun(["check", "--fail-on", "warning", file]).status == 1)
    #expect(try CommandRun(["check", "--fail-on", "nothing", file]).status == 2)
  }

  @Test func `CSV has one row a finding under its header`() throws {
    let run = try CommandRun(["check", "-f", "csv", capture("i-malformed.h4.btsnoop")])
    let header = "severity,code,file,node,link,count,frames,first,last,elapsed,message,advice,rule"
    #expect(run.lines.first == header)
    let records = try CommandRun(["check", "-f", "ndjson", capture("i-malformed.h4.btsnoop")])
    #expect(run.lines.count == records.lines.count + 1)
  }

  @Test func `the list has every code of the manual's`() throws {
    let list = try CommandRun(["check", "--list", "-f", "ndjson"])
    #expect(list.status == 0)
    // The manual's markup keeps hyphens from becoming dashes.
    let manual = try CommandRun(["man", "findings"]).text.replacing("\\-", with: "-")
    for record in try list.records() {
      let code = try #require(record["code"].string)
      let isInManual = manual.contains(".It Sy \(code)\n")
      #expect(isInManual, "\(code)")
      #expect(record["advice"].string != nil && record["rule"].string != nil, "\(code)")
    }
  }

  @Test func `several captures are checked each for itself`() throws {
    let files = ["m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng"].map(capture)
    let together = try CommandRun(["check", "-f", "ndjson", "--no-align"] + files).records()
    let alone = try files.flatMap { try CommandRun(["check", "-f", "ndjson", $0]).records() }
    func key(_ record: JSON) -> String {
      "\(record["file"].string ?? "") \(record["code"].string ?? "") "
        + "\(record["node"].string ?? "") \(record["count"].int ?? 0)"
    }
    // What several captures see together of emergencies, receivers and who is known only by hearsay
    // is more than each of them sees.
    func isOwn(_ record: JSON) -> Bool {
      let code = record["code"].string ?? ""
      return ![
        "emergency-", "hearsay-", "receiver-", "node-", "one-way", "battery", "recorder-",
        "clock-skew", "link-",
      ].contains { code.hasPrefix($0) }
    }
    let parts = (together.filter(isOwn).map(key).sorted(), alone.filter(isOwn).map(key).sorted())
    #expect(parts.0 == parts.1)
  }

  @Test func `several captures are checked on one clock`() throws {
    let files = ["m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng"].map(capture)
    let kept = try CommandRun(["check", "-f", "ndjson", "--no-align"] + files)
    let moved = try CommandRun(
      ["check", "-f", "ndjson", "--no-align", "--offset", "\(files[1])=3600"] + files)
    #expect(moved.standardError.contains("+3600.000000 s"))
    // What is found in the second capture is an hour earlier by the first one's clock.
    #expect(kept.text != moved.text)
  }

  @Test func `check without a file is a wrong command line`() throws {
    let run = try CommandRun(["check"])
    #expect(run.status == 2)
    #expect(run.standardError.split(separator: "\n").count == 1)
  }

  @Test func `selection options select findings`() throws {
    let file = capture("i-malformed.h4.btsnoop")
    let all = try CommandRun(["check", "-f", "ndjson", file]).records()
    let some = try CommandRun(
      ["check", "-f", "ndjson", "--filter", "finding == battery-out-of-range", file]
    ).records()
    #expect(all.contains { $0["code"].string == "heart-rate-out-of-range" })
    #expect(!some.contains { $0["code"].string == "heart-rate-out-of-range" })
    #expect(some.contains { $0["code"].string == "battery-out-of-range" })
  }

  @Test func `filters select rows of the timeline`() throws {
    let file = capture("a-two-nodes.h4.btsnoop")
    let all = try CommandRun(["-f", "ndjson", file]).records()
    let expression = "document.total > 2 && direction == received && time < 12:00"
    let some = try CommandRun(["-f", "ndjson", "--utc", "--filter", expression, file]).records()
    let expected = all.filter {
      ($0["document"]["total"].int ?? 0) > 2 && $0["direction"].string == "received"
    }
    #expect(some == expected)
    #expect(!some.isEmpty)
  }

  @Test func `filters of one option are alternatives`() throws {
    let file = capture("a-two-nodes.h4.btsnoop")
    let sent = try CommandRun(["-f", "ndjson", "--filter", "direction == sent", file])
    let received = try CommandRun(["-f", "ndjson", "--filter", "direction != sent", file])
    let both = try CommandRun(
      ["-f", "ndjson", "--filter", "direction == sent", "--filter=direction != sent", file])
    #expect(both.lines.count == sent.lines.count + received.lines.count)
    #expect(!sent.lines.isEmpty && !received.lines.isEmpty)
  }

  @Test func `a wrong filter points at the column and reads nothing`() throws {
    let run = try CommandRun(["--filter", "bytes > 3 && nod == 1", "missing.btsnoop"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("column 14"))
    #expect(run.standardError.contains("'node'"))
    #expect(run.standardError.split(separator: "\n").count == 1)
  }

  @Test func `help on filters needs no file`() throws {
    for words in [["--filter", "help"], ["check", "--filter=help"]] {
      let run = try CommandRun(words)
      #expect(run.status == 0)
      #expect(run.text.contains("document.emergency.source"))
      #expect(run.lines.allSatisfy { $0.count <= 100 })
    }
  }

  @Test func `findings of a row are in its record`() throws {
    let records = try CommandRun(["-f", "ndjson", capture("i-malformed.h4.btsnoop")]).records()
    let findings = records.flatMap { $0["findings"].array ?? [] }
    #expect(findings.contains { $0["code"].string == "battery-out-of-range" })
    for finding in findings {
      #expect(finding["severity"].string != nil && finding["message"].string != nil)
    }
  }
}
