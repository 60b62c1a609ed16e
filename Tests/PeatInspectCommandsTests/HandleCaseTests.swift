import Foundation
import PeatTestSupport
import Testing

/// Captures of conversations that name handles late, twice, elsewhere, or no longer: what each holds
/// is arithmetic of its making (Tests/DATA.md, "Cases").
@Suite struct HandleCaseTests {
  private static func path(_ name: String) -> String {
    TestData.testsFolder.appendingPathComponent("Cases/\(name)").path
  }

  private func rows(_ names: [String], _ words: [String] = []) throws -> [JSON] {
    try CommandRun(["inspect", "-f", "ndjson"] + words + names.map(Self.path)).records()
  }

  @Test(
    "what stands behind a write whose answer was lost is shown",
    arguments: [
      ("error-wrong-opcode.btsnoop", 3), ("lost-response-and-request.btsnoop", 3),
      ("stuck-two-links.btsnoop", 118),
    ])
  func lostAnswers(_ name: String, _ count: Int) throws {
    #expect(try rows([name]).count == count)
  }

  @Test(
    "a second reading shows what the first would have shown without the flood",
    arguments: ["flood-0-100.btsnoop.gz", "flood-0-001.btsnoop.gz"])
  func secondReading(_ name: String) throws {
    // The same conversation without 6500 values of another device has four rows.
    #expect(try rows([name]).count == 4)
    let run = try CommandRun(["inspect", "-f", "ndjson", Self.path(name)])
    #expect(run.standardError.contains("6500 values were not shown"))
  }

  @Test(
    "two interfaces of one pcapng are two adapters, also where a monitor counts its own",
    arguments: ["if-254-254.pcapng", "if-201-254.pcapng"])
  func interfaces(_ name: String) throws {
    let rows = try rows([name])
    #expect(rows.count == 6)
    #expect(Set(rows.compactMap { $0["link"]["id"].int }).count == 2)
    #expect(rows.allSatisfy { $0["kind"].string == "document" })
  }

  @Test(
    "an indication before discovery named its handle takes back what stood before it",
    arguments: ["sc-before-discovery.btsnoop", "sc-before-discovery-link.btsnoop"])
  func earlyIndication(_ name: String) throws {
    let rows = try rows([name])
    #expect(rows.count == 1)
    #expect(rows.allSatisfy { $0["kind"].string == "document" })
  }

  @Test("a database hash that is read by its handle counts as well")
  func hashByHandle() throws {
    #expect(try rows(["hash-by-read.btsnoop"]).allSatisfy { $0["kind"].string == "document" })
  }

  @Test(
    "a bond cache forgets what its device took back or no longer has, or what another hash denies",
    arguments: [["bc1", "bc2", "bc3"], ["bc1", "gone2", "g3"], ["h1", "h2"]])
  func bondCache(_ days: [String]) throws {
    let folder = try ScratchFolder()
    let cache = folder.path("cache")
    var last: [JSON] = []
    for day in days { last = try rows([day + ".btsnoop"], ["--bond-cache", cache]) }
    #expect(!last.contains { $0["kind"].string == "malformed" })
  }

  @Test("a change of the table in one capture holds in those behind it, in whatever order named")
  func changeElsewhere() throws {
    for days in [["bc1", "day2", "day3"], ["day3", "bc1", "day2"]] {
      let rows = try rows(days.map { $0 + ".btsnoop" })
      #expect(!rows.contains { $0["kind"].string == "malformed" })
    }
  }

  @Test(
    "a hash, and a key, of one capture name handles in another",
    arguments: [["h1.btsnoop", "h4.btsnoop"], ["r1.btsnoop", "r2.btsnoop"]])
  func taughtElsewhere(_ names: [String]) throws {
    #expect(try rows(names).count == 2)
    #expect(try rows(names.reversed()).count == 2)
  }

  @Test("a document that was discovered and never sent is not said to be missing")
  func noValues() throws {
    let run = try CommandRun(["check", Self.path("no-values.btsnoop")])
    #expect(run.standardError.contains("no value of it is in the capture"))
  }

  @Test("a short log of version 1 is cut, and says so")
  func shortLog() throws {
    let run = try CommandRun(["inspect", "-f", "ndjson", Self.path("repcut1.txt")])
    #expect(run.status == 4)
    #expect(!run.standardError.contains("acl-abandoned-start"))
  }
}
