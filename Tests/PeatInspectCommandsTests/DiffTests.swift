import Foundation
import PeatTestSupport
import Testing

@Suite struct DiffTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  private static let mesh = path("l-mesh.h4.btsnoop")

  private func fields(_ arguments: [String]) throws -> [JSON] {
    try CommandRun(["diff", "-f", "ndjson"] + arguments).records()
      .filter { $0["scope"].string != "summary" && $0["scope"].string != "lacks" }
  }

  @Test func `from nothing to the end is the truth's merged view`() throws {
    let capture = try #require(try TruthCapture.all().first { $0.file == "l-mesh.h4.btsnoop" })
    let view = capture.whole["merged_view"]
    var counter: [String: Int] = [:]
    var total: String?
    for field in try fields([Self.mesh]) where field["scope"].string == "mesh" {
      let name = field["field"].string ?? ""
      if name.hasPrefix("counter:") {
        counter[String(name.dropFirst(8))] = field["right"].int
        #expect(field["lacking"].string == "left")
      }
      if name == "total" { total = field["right"].string }
      if name == "emergency" {
        let source = view["emergency"]["source"].string ?? ""
        let time = view["emergency"]["timestamp_ms"].int ?? 0
        #expect(field["right"].string == "\(source)@\(time)")
      }
    }
    #expect(counter == (view["counter"].object ?? [:]).compactMapValues(\.int))
    #expect(total == view["total"].int.map { "\($0)" })
  }

  @Test func `a change between two moments is one that a message in between made`() throws {
    let rows = try CommandRun(["-f", "ndjson", "--from", "100", "--to", "103", Self.mesh]).records()
    let news = Set(
      rows.flatMap { $0["effect"]["first_seen"].array ?? [] }.compactMap(\.string)
        .filter { $0.hasPrefix("counter:") })
    let found = Set(
      try fields(["--from", "100", "--to", "103", Self.mesh])
        .filter { $0["field"].string?.hasPrefix("counter:") == true }
        .map { "\($0["field"].string ?? "")=\($0["right"].string ?? "")" })
    #expect(found == news)
    #expect(!found.isEmpty)
  }

  @Test func `between two nodes each lacks what the other has alone`() throws {
    let one = try fields(["--between", "0906910A", "09069129", "--to", "100", Self.mesh])
    let other = try fields(["--between", "09069129,0906910A", "--to", "100", Self.mesh])
    #expect(!one.isEmpty)
    #expect(one.map { $0["field"] } == other.map { $0["field"] })
    #expect(one.map { $0["left"] } == other.map { $0["right"] })
    for (field, mirrored) in zip(one, other) where field["lacking"].string != nil {
      #expect(field["lacking"].string != mirrored["lacking"].string)
    }
  }

  @Test func `a short second node id is no file, and who never appears is told`() throws {
    let run = try CommandRun(["diff", "--between", "0906910A", "1", Self.mesh])
    #expect(run.status == 0)
    #expect(run.standardError.contains("node 00000001 does not appear in the captures"))
    #expect(!run.standardError.contains("0906910A"))
  }

  @Test func `--relative names moments by seconds`() throws {
    let run = try CommandRun(["diff", "--relative", "--from", "100", "--to", "103", Self.mesh])
    #expect(run.lines.first == "--- +100.000000 s")
    #expect(run.lines.dropFirst().first == "+++ +103.000000 s")
  }

  @Test func `two captures of one session have no differences`() throws {
    let run = try CommandRun([
      "diff", "--exit-code", "--against", Self.path("a-two-nodes.h4.btsnoop"),
      Self.path("a-two-nodes.h4.pcap"),
    ])
    #expect(run.status == 0)
    #expect(run.text.hasPrefix("no differences"))
  }

  @Test func `differences are status 1 only when asked`() throws {
    let files = ["--against", Self.path("a-two-nodes.h4.btsnoop"), Self.mesh]
    #expect(try CommandRun(["diff"] + files).status == 0)
    #expect(try CommandRun(["diff", "--exit-code"] + files).status == 1)
    let csv = try CommandRun(["diff", "-f", "csv"] + files).lines
    #expect(csv.first == "scope,node,field,left,right,lacking")
    #expect(csv.count > 10)
  }

  @Test func `what does not go together is a wrong command line`() throws {
    #expect(
      try CommandRun(["diff", "--between", "0906910A", Self.mesh]).status == 2)
    #expect(
      try CommandRun([
        "diff", "--between", "1,2", "--against", Self.mesh, Self.mesh,
      ]).status == 2)
    #expect(try CommandRun(["diff", "--between", "1", "0906910A"]).status == 2)
  }
}
