import Foundation
import PeatTestSupport
import Testing

/// Logs of one phone that hold the same packets: each counts once, in every command.
struct OverlappingLogTests {
  private static func report(_ name: String) -> String {
    TestData.bugReports2.appendingPathComponent("31-overlapping-logs/\(name)").path
  }

  /// Counter of each document, in order of the rows.
  private func versions(_ words: [String]) throws -> [Int] {
    let run = try CommandRun(["-f", "ndjson"] + words)
    return try run.records().compactMap { $0["document"]["version"].int }
  }

  // Expected: Tests/BugReports2/31-overlapping-logs/expect.md, ten documents early, sixteen late.
  @Test("a log pulled twice or three times shows each document once, in either order")
  func pulledTwice() throws {
    let folder = try ScratchFolder()
    let early = OverlappingLogTests.report("pulled-early.btsnoop")
    let late = OverlappingLogTests.report("pulled-late.btsnoop")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: early)))
    let cut = try folder.write(Array(bytes.dropLast(17)), "cut.btsnoop")
    let again = try folder.write(
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: late))), "again.btsnoop")
    #expect(try versions([early]).count == 10)
    let whole = try versions([late])
    #expect(whole.count == 16)
    for files in [
      [early, late], [late, early], [early, late, again], [again, early, late], [late, again],
      [cut, late], [late, cut], [cut, early, late],
    ] {
      #expect(try versions(files) == whole, "\(files)")
    }
    #expect(try CommandRun([cut, late]).status == 4)
    #expect(try versions([early, cut]).count == 10)
  }

  @Test("a log and its .last in one archive show each document once")
  func oneArchive() throws {
    let path = OverlappingLogTests.report("both.zip")
    #expect(try versions([path]).count == 16)
    #expect(try versions(["--all-members", path]).count == 16)
    let member = "\(path)!FS/data/misc/bluetooth/logs/btsnoop_hci.log.last"
    #expect(try versions([path, member]).count == 16)
  }

  @Test("every command answers of overlapping logs as of the one that holds them all")
  func everyCommand() throws {
    let early = OverlappingLogTests.report("pulled-early.btsnoop")
    let late = OverlappingLogTests.report("pulled-late.btsnoop")
    for command in [
      ["-f", "csv"], ["--relative"], ["state", "-f", "ndjson"], ["convergence", "-f", "ndjson"],
      ["check", "-f", "ndjson"], ["diff", "--at", "1", "--at", "5"],
    ] {
      let one = try CommandRun(command + [late])
      for files in [[early, late], [late, early]] {
        let both = try CommandRun(command + files)
        #expect(both.output == one.output, "\(command)")
        #expect(both.status == one.status, "\(command)")
      }
    }
  }

  @Test("where a log goes on from the middle of another, the shared documents show once")
  func inPart() throws {
    let folder = try ScratchFolder()
    var capture = CaptureBuilder()
    capture.open()
    var ends: [Int] = []
    for version in 1...8 as ClosedRange<UInt32> {
      capture.notify(
        Recording.document(
          version: version, node: 0x1122_3344, counter: [(0x1122_3344, UInt64(version))]))
      capture.wait(1)
      ends.append(capture.bytes.count)
    }
    let bytes = capture.bytes
    // The first ends behind the sixth document; the second begins with the fourth.
    let first = try folder.write(Array(bytes[..<ends[5]]), "first.btsnoop")
    let second = try folder.write(Array(bytes[..<16] + bytes[ends[2]...]), "second.btsnoop")
    let handle = ["--handle", "0x12"]
    for files in [[first, second], [second, first]] {
      #expect(try versions(handle + files) == Array(1...8), "\(files)")
      let run = try CommandRun(handle + files)
      #expect(run.standardError.contains("are in") && run.standardError.contains("count once"))
    }
  }

  @Test("equal times alone are no overlap: two adapters at one place stay two captures")
  func twoAdapters() throws {
    let folder = try ScratchFolder()
    func capture(_ peer: UInt64, _ node: UInt32) -> CaptureBuilder {
      var capture = CaptureBuilder()
      capture.open(0x40, peer: peer)
      for version in 1...5 as ClosedRange<UInt32> {
        capture.notify(
          Recording.document(version: version, node: node, counter: [(node, UInt64(version))]))
      }
      return capture
    }
    let one = try folder.write(capture(0xC000_0000_0001, 0x1122_3344).bytes, "one.btsnoop")
    let other = try folder.write(capture(0xC000_0000_0002, 0x5566_7788).bytes, "other.btsnoop")
    #expect(try versions([one, other]).count == 10)
    // The same beginning, then each its own: no log of the other's either.
    let third = try folder.write(capture(0xC000_0000_0001, 0x99AA_BBCC).bytes, "third.btsnoop")
    #expect(try versions([one, third]).count == 10)
  }
}
