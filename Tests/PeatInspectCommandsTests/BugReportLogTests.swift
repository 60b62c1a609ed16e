import Foundation
import PeatTestSupport
import Testing

/// Which log of a bug report is read, and what is said where there is none or an empty one.
struct BugReportLogTests {
  private static let folder = "FS/data/misc/bluetooth/logs/"

  private static func log(_ node: UInt32, after seconds: Double = 0) -> [UInt8] {
    var capture = CaptureBuilder()
    capture.wait(seconds)
    capture.open()
    capture.notify(Recording.document(version: 1, node: node, counter: [(node, 1)]))
    return capture.bytes
  }

  private func nodes(_ path: String) throws -> (nodes: [String], run: CommandRun) {
    let run = try CommandRun(["-f", "ndjson", path])
    return (try run.records().compactMap { $0["node"].string }, run)
  }

  // Expected: Tests/BugReports2/07-samsung-bugreport/expect.md.
  @Test(
    "an empty log is named, in every command",
    arguments: ["", "state", "check", "convergence", "diff"])
  func empty(_ command: String) throws {
    let reports = TestData.bugReports2.appendingPathComponent("07-samsung-bugreport")
    let words = command.isEmpty ? [] : [command]
    let empty = try CommandRun(words + [reports.appendingPathComponent("empty-log.zip").path])
    #expect(empty.status == 3)
    #expect(empty.standardError.contains(BugReportLogTests.folder + "btsnoop_hci.log is empty"))
    let header = try CommandRun(
      words + [reports.appendingPathComponent("header-only-log-plus-last.zip").path])
    #expect(header.standardError.contains("btsnoop_hci.log is empty"))
    #expect(header.standardError.contains("btsnoop_hci.log.last is not"))
  }

  /// A bug report's members and what is read of it.
  struct Layout: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var members: [(name: String, bytes: [UInt8])]
    var read: [String]
    var named: [String] = []
    var status: Int32 = 0
  }

  static let layouts: [Layout] = [
    Layout(
      testDescription: "the maker's own folder",
      members: [
        ("dumpState.txt", Array("== dumpstate".utf8)),
        ("FS/data/log/bt/btsnoop_hci.log.last", log(2)), ("FS/data/log/bt/btsnoop_hci.log", log(1)),
      ], read: ["00000001"], named: ["FS/data/log/bt/btsnoop_hci.log.last"]),
    Layout(
      testDescription: "dated logs, the newer one last",
      members: [
        ("FS/data/log/bt/btsnoop_hci_20251008_101500.cfa", log(2)),
        ("FS/data/log/bt/btsnoop_hci_20251009_081500.cfa", log(1)),
      ], read: ["00000001"], named: ["btsnoop_hci_20251008_101500.cfa"]),
    Layout(
      testDescription: "dated logs, the newer one first",
      members: [
        ("a/btsnoop_hci_2025-10-09-08-15.cfa", log(1)),
        ("a/btsnoop_hci_2025-10-08-10-15.cfa", log(2)),
      ], read: ["00000001"], named: ["btsnoop_hci_2025-10-08-10-15.cfa"]),
    Layout(
      testDescription: "numbered logs: the times inside count",
      members: [("a/one_0001.cfa", log(2)), ("a/one_0000.cfa", log(1, after: 3600))],
      read: ["00000001"], named: ["a/one_0001.cfa"]),
    Layout(
      testDescription: "filtered logs",
      members: [
        (folder + "btsnoop_hci.log.filtered.last", log(2)),
        (folder + "btsnoop_hci.log.filtered", log(1)),
      ], read: ["00000001"], named: ["btsnoop_hci.log.filtered.last"]),
    Layout(
      testDescription: "an archive in an archive",
      members: [
        (
          "inner.zip",
          StoredZip.file([
            (folder + "btsnoop_hci.log", log(1)), (folder + "btsnoop_hci.log.last", log(2)),
          ])
        )
      ], read: ["00000001"], named: ["inner.zip!\(folder)btsnoop_hci.log.last"]),
    Layout(
      testDescription: "only the log of the session before",
      members: [
        ("main_entry.txt", Array("b.txt".utf8)), ("b.txt", Array("text".utf8)),
        (folder + "btsnoop_hci.log.last", log(1)),
      ], read: ["00000001"], named: ["no log of the last session"]),
    Layout(
      testDescription: "no log at all",
      members: [
        ("main_entry.txt", Array("b.txt".utf8)), ("b.txt", Array("a long text".utf8)),
      ], read: [], named: ["holds no Bluetooth log", "Enable Bluetooth HCI snoop log"], status: 3),
    Layout(
      testDescription: "an empty log beside the one before",
      members: [
        ("bugreport-x.txt", Array("text".utf8)), (folder + "btsnoop_hci.log", []),
        (folder + "btsnoop_hci.log.last", log(2)),
      ], read: [], named: ["btsnoop_hci.log is empty", "btsnoop_hci.log.last is not"], status: 3),
  ]

  @Test("the newest log of a bug report is read, and the others are named", arguments: layouts)
  func newest(_ layout: Layout) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(StoredZip.file(layout.members), "report.zip")
    let (nodes, run) = try nodes(path)
    #expect(nodes == layout.read)
    #expect(run.status == layout.status)
    for text in layout.named { #expect(run.standardError.contains(text), "\(run.standardError)") }
  }

  @Test("a member of an archive in an archive is read by its name, and with --all-members")
  func nested() throws {
    let folder = try ScratchFolder()
    let layout = try #require(
      BugReportLogTests.layouts.first { $0.testDescription.hasPrefix("an archive") })
    let path = try folder.write(StoredZip.file(layout.members), "outer.zip")
    let last = BugReportLogTests.folder + "btsnoop_hci.log.last"
    #expect(try nodes("\(path)!inner.zip!\(last)").nodes == ["00000002"])
    let all = try CommandRun(["-f", "ndjson", "--all-members", path])
    #expect(Set(try all.records().compactMap { $0["node"].string }) == ["00000001", "00000002"])
  }
}
