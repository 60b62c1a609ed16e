import Foundation
import PeatTestSupport
import Testing

/// `--bond-cache`: handles remembered between runs.
struct BondCacheTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  @Test("what one capture discovered names the handles of the next one")
  func remembered() throws {
    let folder = try ScratchFolder()
    let cache = folder.path("bonds")
    let first = try CommandRun(["--bond-cache", cache, Self.path("f-cached.h4.btsnoop")])
    #expect(first.status == 0)
    let next = try CommandRun(
      ["-f", "ndjson", "--bond-cache", cache, Self.path("f-cached.reconnect-only.phdr.pcap")])
    let records = try next.records()
    #expect(!records.isEmpty)
    for record in records { #expect(record["att"]["resolved_by"].string == "cache") }
  }

  @Test func `monitor reads and writes it too`() throws {
    let folder = try ScratchFolder()
    let cache = folder.path("bonds")
    let replay = ["monitor", "--speed", "max", "-f", "ndjson", "--bond-cache", cache, "--replay"]
    #expect(try CommandRun(replay + [Self.path("f-cached.h4.btsnoop")]).status == 0)
    let inspected = folder.path("inspected")
    _ = try CommandRun(["--bond-cache", inspected, Self.path("f-cached.h4.btsnoop")])
    #expect(try folder.contents("bonds") == folder.contents("inspected"))
    let next = try CommandRun(replay + [Self.path("f-cached.reconnect-only.phdr.pcap")])
    let records = try next.records()
    #expect(!records.isEmpty)
    for record in records { #expect(record["att"]["resolved_by"].string == "cache") }
  }

  @Test("a file that is no bond cache is left as it is")
  func refused() throws {
    let folder = try ScratchFolder()
    let notes = try folder.write(Array("my notes\n".utf8), "notes")
    let run = try CommandRun(["--bond-cache", notes, Self.path("f-cached.h4.btsnoop")])
    #expect(run.status == 3)
    #expect(run.standardError.contains("line 1"))
    #expect(try folder.contents("notes") == Array("my notes\n".utf8))
  }
}
