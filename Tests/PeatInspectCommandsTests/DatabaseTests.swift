import Foundation
import PeatTestSupport
import Testing

/// `-f sqlite`, read by another SQLite than the tool's.
@Suite(.enabled(if: PythonScript.isAvailable, "there is no python3"))
struct DatabaseTests {
  private static let captures = [
    "a-two-nodes.h4.btsnoop", "e-churn-five.monitor.btsnoop", "j-wrapped.h4.btsnoop",
    "k-phone.btsnoop_hci.log", "i-malformed.phdr.pcap", "a-two-nodes.air256.pcap",
    "l-mesh.h4.btsnoop",
  ]

  private func compare(_ arguments: [String]) throws -> JSON {
    let folder = try ScratchFolder()
    let database = folder.path("timeline.db")
    let table = folder.path("timeline.csv")
    let made = try CommandRun(["-q", "-f", "sqlite", "-o", database] + arguments)
    let written = try CommandRun(["-q", "-f", "csv", "-o", table] + arguments)
    #expect(made.status == written.status)
    let findings = folder.path("findings.ndjson")
    _ = try CommandRun(["check", "-q", "-v", "-f", "ndjson", "-o", findings] + arguments)
    let emergencies = folder.path("emergencies.ndjson")
    _ = try CommandRun(["emergencies", "-q", "-f", "ndjson", "-o", emergencies] + arguments)
    return try PythonScript.run("database.py", [database, table, findings, emergencies])
  }

  @Test(arguments: captures)
  func `the timeline of the database is that of the CSV, its findings those of check`(name: String)
    throws
  {
    let found = try compare([TestData.captures.appendingPathComponent(name).path])
    #expect(found["problems"].array?.isEmpty == true, "\(found["problems"])")
    #expect((found["counts"]["message"].int ?? 0) > 0)
    #expect(found["counts"]["capture"].int == 1)
  }

  @Test(arguments: [
    ["m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng"],
    // With the third one, alpha's recorder is blamed and not its nodes.
    [
      "m-mesh-three.bravo.phdr.pcapng", "m-mesh-three.alpha.h4.btsnoop",
      "m-mesh-three.echo.monitor.btsnoop",
    ],
  ])
  func `several captures share links and messages`(names: [String]) throws {
    let found = try compare(names.map { TestData.captures.appendingPathComponent($0).path })
    #expect(found["problems"].array?.isEmpty == true, "\(found["problems"])")
    #expect(found["counts"]["capture"].int == names.count)
  }

  @Test func `a database needs a file, and takes its name only when it is whole`() throws {
    let capture = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
    let without = try CommandRun(["-f", "sqlite", capture])
    #expect(without.status == 2)
    #expect(without.standardError.contains("-o"))
    let folder = try ScratchFolder()
    let onDevice = try CommandRun(["-f", "sqlite", "-o", "/dev/null", capture])
    #expect(onDevice.status == 2)
    let missing = try CommandRun(["-f", "sqlite", "-o", folder.path("x.db"), "/nonexistent"])
    #expect(missing.status == 3)
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.db")))
  }
}
