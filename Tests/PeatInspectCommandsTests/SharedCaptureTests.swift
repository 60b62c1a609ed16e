import Foundation
import PeatTestSupport
import Testing

/// `-f pcapng`, `-f pcap` and `-f btsnoop`: the capture again, with what matters.
@Suite(.enabled(if: PythonScript.isAvailable, "there is no python3"))
struct SharedCaptureTests {
  private static let captures: [String] = {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: TestData.captures.path)) ?? []
    return names.filter { name in
      ["btsnoop", "pcap", "pcapng", "pklg", "log"].contains { name.hasSuffix("." + $0) }
    }.sorted()
  }()

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  /// The timelines of a capture and of what was written of it, compared by a script of its own.
  private func compare(_ name: String, _ words: [String], to file: String) throws -> JSON {
    let written = folder.path(file)
    let made = try CommandRun(["-q"] + words + ["-o", written, path(name)])
    #expect(made.status == 0 || made.status == 4, "\(made.standardError)")
    let before = folder.path("before.ndjson")
    let after = folder.path("after.ndjson")
    _ = try CommandRun(["-q", "-f", "ndjson", "-o", before, path(name)])
    _ = try CommandRun(["-q", "-f", "ndjson", "-o", after, written])
    return try PythonScript.run("same_messages.py", [before, after])
  }

  @Test func `there are captures`() { #expect(Self.captures.count > 50) }

  @Test("a small pcapng gives the same messages", arguments: captures)
  func pcapng(name: String) throws {
    let found = try compare(name, ["-f", "pcapng"], to: "small.pcapng")
    #expect(found["problems"].array?.isEmpty == true, "\(found["problems"])")
    try expectSilentTshark(folder.path("small.pcapng"))
  }

  @Test(arguments: [
    ("k-phone.btsnoop_hci.log", "pcap"), ("k-phone.btsnoop_hci.log", "btsnoop"),
    ("d-fragments.monitor.btsnoop", "pcap"), ("d-fragments.monitor.btsnoop", "btsnoop"),
    ("a-two-nodes.air256.pcap", "pcap"), ("a-two-nodes.big-endian.pklg", "btsnoop"),
  ])
  func `the other containers give the same messages`(name: String, format: String) throws {
    let found = try compare(name, ["-f", format], to: "small.\(format)")
    #expect(found["problems"].array?.isEmpty == true, "\(found["problems"])")
    #expect((found["messages"].int ?? 0) > 0)
    try expectSilentTshark(folder.path("small.\(format)"))
  }

  @Test func `all packets may be kept, and most are left out otherwise`() throws {
    let capture = path("k-phone.btsnoop_hci.log")
    for words in [[], ["--all-packets"]] {
      let file = folder.path(words.isEmpty ? "small" : "whole")
      _ = try CommandRun(["-q", "-f", "pcapng", "-o", file, capture] + words)
    }
    let small = try Data(contentsOf: URL(fileURLWithPath: folder.path("small"))).count
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole"))).count
    #expect(small * 2 < whole)
  }

  @Test func `a selection leaves out the other nodes' messages`() throws {
    let written = folder.path("one.pcapng")
    let capture = path("a-two-nodes.h4.btsnoop")
    _ = try CommandRun(["-q", "-f", "pcapng", "--node", "207F0E0F", "-o", written, capture])
    let before = try CommandRun(["-q", "-f", "ndjson", "--node", "207F0E0F", capture]).text
    let after = try CommandRun(["-q", "-f", "ndjson", written]).text
    #expect(before.split(separator: "\n").count == after.split(separator: "\n").count)
    #expect(!after.isEmpty && !after.contains(#""node":"207F0E2E","document""#))
  }

  @Test func `standard input is read twice from disk`() throws {
    let capture = path("d-fragments.h4.btsnoop")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: capture)))
    let piped = try CommandRun(["-q", "-f", "pcapng", "-"], input: .pipe(bytes))
    let named = try CommandRun(["-q", "-f", "pcapng", capture])
    #expect(piped.status == 0)
    // Names of the capture stand in the headers, once with its folder taken off.
    #expect(piped.output.count > 1000 && piped.output.count <= named.output.count)
  }

  @Test(arguments: [
    ("a-two-nodes.air256.pcap", "btsnoop", "air"), ("a-two-nodes.h4.pcap", "btsnoop", "direction"),
  ])
  func `what a container cannot hold is refused with a sentence`(
    name: String, format: String, word: String
  ) throws {
    let run = try CommandRun(["-q", "-f", format, "-o", folder.path("x"), path(name)])
    #expect(run.status == 2)
    #expect(run.standardError.contains(word))
    #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
  }

  @Test func `what keys open stands in comments only when it is asked for`() throws {
    let words = [
      "-q", "-f", "pcapng", "--mesh", "ALFA", "--secret",
      "3b3801d84e1453a02e39606cbb1a8ee044e9fd60c45167fa17d4f6b2568d22dc",
      path("j-wrapped.h4.btsnoop"),
    ]
    let closed = try CommandRun(words).output.count
    let opened = try CommandRun(words + ["--include-opened"]).output.count
    #expect(opened > closed + 1000)
  }

  /// Wireshark's reader says nothing about the file.
  private func expectSilentTshark(_ file: String) throws {
    let tshark = "/usr/bin/tshark"
    guard FileManager.default.isExecutableFile(atPath: tshark) else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tshark)
    process.arguments = ["-r", file]
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let said = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = said.split(separator: "\n").filter { !$0.contains("Running as user") }
    #expect(process.terminationStatus == 0 && lines.isEmpty, "\(said)")
  }
}
