import Foundation
import PeatTestSupport
import Testing

/// Limits of what is read, each by a run of the built tool.
struct InputLimitTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  @Test("a keys file over 1 MiB is refused by name")
  func keysFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "peat-\(UUID().uuidString)")
    try Data(repeating: 0x0A, count: (1 << 20) + 1).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let run = try CommandRun(["--keys", path.path, sample])
    #expect(run.status == 3)
    #expect(run.standardError.contains("\(path.path): is longer than 1 MiB"))
  }

  @Test("too many open files are said once, with advice")
  func openFiles() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", "ulimit -n 16; exec \"$0\" \"$@\" 2>&1 >/dev/null", CommandRun.binary]
      + Array(repeating: sample, count: 40)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 3)
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.contains("ulimit -n") } == 1, "\(text)")
    #expect(lines.count { $0.contains("oo many open files") } == 2, "\(text)")
  }

  @Test("cut discovery is told with its frame even when quiet")
  func cutDiscovery() throws {
    let folder = TestData.bugReports.appendingPathComponent("07-bugreport-btsnooz")
    let run = try CommandRun(["-q", folder.appendingPathComponent("bugreport-cut-only.txt").path])
    #expect(run.status == 4)
    let said = run.standardError
    #expect(said.contains(": frame ") || said.contains(": offset "), "\(said)")
  }
}
