import Foundation
import PeatTestSupport
import Testing

@Suite struct StateCommandTests {
  private func state(_ path: String, _ more: [String] = []) throws -> [JSON] {
    let run = try CommandRun(["state", "-q", "-f", "ndjson"] + more + [path])
    #expect(run.status == 0)
    return try run.records()
  }

  private func capture(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  private func report(_ name: String) -> String {
    TestData.bugReports.appendingPathComponent(name).appendingPathComponent("capture.btsnoop").path
  }

  private func advertisers(_ records: [JSON]) -> [JSON] {
    records.filter { $0["scope"].string == "advertiser" }
  }

  @Test func `bug report 04: both advertisers behind the damaged reports are listed`() throws {
    let records = try state(report("04-ext-adv-truncated"))
    #expect(
      advertisers(records).filter { $0["peat"].bool == true }.map { $0["address"].string }
        == ["C2:5A:11:00:00:0A", "D6:77:22:00:00:0B"])
    #expect(records.first?["counter"].object?.mapValues(\.int) == ["11223344": 2])
    #expect(records.first?["total"].int == 2)
  }

  @Test func `bug report 05: every report of an event counts`() throws {
    let records = advertisers(try state(report("05-several-adv-reports"), ["-v"]))
    #expect(
      records.map { $0["address"].string }
        == ["C2:5A:11:00:00:0A", "D6:77:22:00:00:0B", "E0:00:00:00:00:0C"])
    #expect(records.map { $0["peat"].bool } == [true, true, false])
    #expect(records[0]["name"].string == "PEAT")
    #expect(records[0]["rssi"]["max"].int == -50)
    #expect(records[1]["rssi"]["last"].int == -66)
    #expect(records[2]["rssi"]["last"].int == -70)
    // Without -v, only those of Peat.
    #expect(advertisers(try state(report("05-several-adv-reports"))).count == 2)
  }

  @Test func `the mesh and its nodes at the end are the truth's`() throws {
    let records = try state(capture("a-two-nodes.h4.btsnoop"))
    #expect(records.map { $0["scope"].string } == ["mesh", "node", "node", "advertiser"])
    #expect(records[0]["nodes"].int == 2)
    #expect(records[1]["node"].string == "207F0E0F")
    #expect(records[1]["peripheral"]["callsign"].string == "ALPHA-1")
    #expect(records[1]["links"].array?.map(\.int) == [1])
    #expect(records[2]["address"].string == "CA:FE:38:11:F0:DB")
    #expect(records[2]["name"].string == "PEAT_ALFA-207F0E2E")
    #expect(records[3]["node"].string == "207F0E2E")
    #expect(records[3]["mesh"].string == "ALFA")
  }

  @Test func `--at shows an earlier moment, from a file as from a pipe`() throws {
    let path = capture("a-two-nodes.h4.btsnoop")
    let records = try state(path, ["--at", "3"])
    #expect(records[0]["elapsed"].double == 3)
    #expect(records[0]["messages"].int == 2)
    #expect(records[0]["total"].int == 2)
    #expect(records[0]["emergency"].isNull)
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    let piped = try CommandRun(
      ["state", "-f", "ndjson", "--at", "3", "-"], input: .pipe(bytes)
    ).records()
    #expect(Array(piped.prefix(3)) == Array(records.prefix(3)))
    // Before the first document nothing is known; the end is the same as no moment at all.
    #expect(try state(path, ["--at", "0"])[0]["messages"].int == 0)
    #expect(try state(path, ["--at", "-0"])[0] == state(path)[0])
  }

  @Test func `a relayed old document does not lower a node's version`() throws {
    let nodes = try state(capture("c-mtu23.h4.btsnoop")).filter { $0["scope"].string == "node" }
    #expect(nodes.first { $0["node"].string == "310EACED" }?["version"].int == 9)
  }

  @Test func `csv has a row for each record, with as many fields as the header`() throws {
    let path = capture("a-two-nodes.h4.btsnoop")
    let lines = try CommandRun(["state", "-f", "csv", path]).lines.filter { !$0.isEmpty }
    let rows = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(Set(rows.map(\.count)) == [20])
    #expect(rows.map { $0[0] } == ["scope", "mesh", "node", "node", "advertiser"])
    #expect(rows[2][1] == "0x207F0E0F" && rows[2][9] == "ALPHA-1")
    #expect(rows[3][15] == "CA:FE:38:11:F0:DB")
    #expect(rows[4][18] == "ALFA")
  }

  @Test func `--relative shows no clock`() throws {
    let run = try CommandRun([
      "state", "--relative", "--at", "3", capture("a-two-nodes.h4.btsnoop"),
    ])
    #expect(run.lines.first?.hasPrefix("+3.000 s, ") == true)
  }

  @Test func `a message that several captures recorded counts once`() throws {
    let files = [
      "m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng",
      "m-mesh-three.echo.monitor.btsnoop",
    ].map(capture)
    let rows = try CommandRun(["-q", "-f", "ndjson"] + files).records()
    let mesh = try #require(
      try CommandRun(["state", "-q", "-f", "ndjson"] + files).records().first)
    #expect(mesh["messages"].int == rows.count { $0["document"].object != nil })
    #expect(mesh["total"].int == rows.last?["effect"]["mesh_total"].int)
  }

  @Test func `text is a table with the same nodes and advertisers`() throws {
    let run = try CommandRun(["state", "--utc", capture("a-two-nodes.h4.btsnoop")])
    #expect(run.lines.contains { $0.hasPrefix("207F0E0F  ALPHA-1") })
    #expect(run.lines.contains { $0.hasPrefix("CA:FE:38:11:F0:DB") && $0.contains("ALFA") })
    #expect(run.status == 0)
  }

  @Test func `deltas are joined only on request`() throws {
    let path = capture("j-wrapped.h4.btsnoop")
    let without = try state(path)[0]["messages"].int ?? 0
    let with = try state(path, ["--apply-deltas"])[0]["messages"].int ?? 0
    #expect(with > without)
  }

  @Test func `a file that is missing is status 3`() throws {
    let run = try CommandRun(["state", "/nonexistent/capture"])
    #expect(run.status == 3)
    #expect(run.output.isEmpty)
  }
}
