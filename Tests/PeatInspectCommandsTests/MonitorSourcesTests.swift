import Foundation
import PeatTestSupport
import Testing

@testable import PeatInspectCommands

/// `monitor` with several sources at once.
@Suite struct MonitorSourcesTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
  private let mesh = TestData.captures.appendingPathComponent("b-base.monitor.btsnoop").path

  private func rows(_ files: [String]) throws -> [String] {
    try files.flatMap { try CommandRun(["-q", "-f", "csv", $0]).lines.dropFirst() }.map {
      // All but the file, the place in the run, and the state that all sources share.
      $0.split(separator: ",", omittingEmptySubsequences: false)[1...2].joined(separator: ",")
    }
  }

  @Test(arguments: [["-i"], []]) func `pipes are one timeline, each message once`(option: [String])
    throws
  {
    let folder = try ScratchFolder()
    let names = ["one.fifo", "two.fifo"].map { folder.path($0) }
    for name in names { #expect(mkfifo(name, 0o600) == 0) }
    // The second pipe is written to before the first one is.
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "cat \(mesh) >\(names[1]); cat \(sample) >\(names[0])"]
    try writer.run()
    let run = try CommandRun(
      ["monitor", "-q", "-f", "csv"] + names.flatMap { option + [$0] })
    writer.waitUntilExit()
    #expect(run.status == 0)
    let lines = run.lines.dropFirst()
    for (name, capture) in zip(names, [sample, mesh]) {
      let found = lines.filter { $0.hasPrefix(name + ",") }.map {
        $0.split(separator: ",", omittingEmptySubsequences: false)[1...2].joined(separator: ",")
      }
      #expect(found.sorted() == (try rows([capture])).sorted(), "\(name)")
    }
  }

  @Test func `one that is no capture leaves the others, and is told`() throws {
    let folder = try ScratchFolder()
    let bad = folder.path("bad.fifo")
    let good = folder.path("good.fifo")
    for name in [bad, good] { #expect(mkfifo(name, 0o600) == 0) }
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "echo nonsense that is no capture >\(bad); cat \(sample) >\(good)"]
    try writer.run()
    let run = try CommandRun(["monitor", "-f", "ndjson", "-i", bad, good])
    writer.waitUntilExit()
    #expect(run.lines.count == 14)
    #expect(run.status == 3)
    #expect(run.standardError.contains(bad))
  }

  @Test func `adapters keep their numbers where no other input has them`() {
    var numbers = AdapterNumbers()
    #expect(numbers.number(of: 0, input: 0) == 0)
    #expect(numbers.number(of: 1, input: 0) == 1)
    #expect(numbers.number(of: 0, input: 1) == 2)
    #expect(numbers.number(of: 7, input: 1) == 7)
    #expect(numbers.number(of: -5, input: 1) == 3)
    #expect(numbers.number(of: 0, input: 0) == 0)
    #expect([0, 1, 2, 7, 3, 9].map { numbers.input(of: $0) } == [0, 0, 1, 1, 1, nil])
    for adapter in 100..<5000 { _ = numbers.number(of: adapter, input: 0) }
    #expect(numbers.number(of: 10_000, input: 1) == 1025)
    #expect(numbers.input(of: 1025) == 1)
  }
}
