import Foundation
import PeatTestSupport
import Testing

/// The short log inside an Android bug report, and the whole one beside it (formats.md 5).
struct PhoneLogTests {
  private static func path(_ file: String) -> String {
    TestData.bugReports.appendingPathComponent("07-bugreport-btsnooz/\(file)").path
  }

  private static let cut = ["bugreport-cut-only.txt", "bugreport-cut-only.zip", "btsnooz_hci.log"]

  @Test("a log that the phone cut says so, what discovery lost by it, and what to switch on")
  func cutLog() throws {
    for file in Self.cut {
      let run = try CommandRun(["-f", "ndjson", Self.path(file)])
      #expect(run.output.isEmpty, "\(file)")
      #expect(run.status == 4, "\(file)")
      for word in ["phone cut", "discovery was cut too", "HCI snoop log", "--handle"] {
        #expect(run.standardError.contains(word), "\(file): \(word)")
      }
    }
  }

  @Test("with the handle named, the cut values are shown for what they are")
  func namedHandle() throws {
    for file in Self.cut {
      let run = try CommandRun(["-f", "ndjson", "--handle", "0x0012", Self.path(file)])
      #expect(run.status == 4, "\(file)")
      let records = try run.records()
      #expect(records.map { $0["kind"].string } == ["incomplete", "incomplete"], "\(file)")
      #expect(records.map { $0["bytes"].int } == [24, 36], "\(file)")
      #expect(records.map { $0["captured"].int } == [3, 3], "\(file)")
      #expect(
        records.map { $0["time"].string } == [
          "2025-10-09T08:53:20.071000Z", "2025-10-09T08:53:20.073000Z",
        ], "\(file)")
    }
  }

  @Test("the whole log is picked and named; an earlier session is read when asked for")
  func wholeLog() throws {
    let path = Self.path("bugreport-full.zip")
    let member = "FS/data/misc/bluetooth/logs/btsnoop_hci.log"
    let run = try CommandRun(["-f", "ndjson", path])
    #expect(run.status == 0)
    #expect(
      try run.records().map { $0["file"].string } == ["\(path)!\(member)", "\(path)!\(member)"])
    #expect(run.standardError.contains("reading \(member)"))
    #expect(run.standardError.contains("not \(member).last"))
    let all = try CommandRun(["-v", "-f", "ndjson", "--all-members", path])
    #expect(all.status == 0)
    #expect(all.standardError.contains("\(path)!\(member).last: btsnoop"))
    let last = try CommandRun(["-v", "-f", "ndjson", "\(path)!\(member).last"])
    #expect(last.status == 0)
  }
}
