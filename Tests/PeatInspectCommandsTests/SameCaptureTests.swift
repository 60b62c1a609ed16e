import Foundation
import PeatTestSupport
import Testing

/// The same capture, however it reaches the tool, gives the same records apart from `file`.
struct SameCaptureTests {
  private static let names = [
    "a-two-nodes.h4.btsnoop", "f-cached.mid.h4.btsnoop", "f-rotated.phdr.pcapng",
    "c-mtu23.big-endian.pklg", "kernel/gatttool.btmon.btsnoop",
  ]

  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  /// Lines without what names the file.
  private static func withoutFile(_ text: String) -> String {
    text.replacing(/"file":"[^"]*"/, with: "")
  }

  private static func pack(_ words: [String]) throws -> Bool {
    guard
      let tool = ["/usr/bin/", "/bin/"].map({ $0 + words[0] }).first(where: {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = Array(words.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("packed with gzip, zstd or zip, or through a pipe")
  func packed() throws {
    let folder = try ScratchFolder()
    for name in Self.names {
      let path = Self.path(name)
      let expected = Self.withoutFile(try CommandRun(["-f", "ndjson", path]).text)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let piped = try CommandRun(["-f", "ndjson", "-"], input: .pipe(bytes))
      #expect(Self.withoutFile(piped.text) == expected, "\(name) through a pipe")
      #expect(piped.status == 0)
      for (tool, extra) in [("gzip", []), ("zstd", ["-q"]), ("zip", ["-q"])] {
        let copy = try folder.write(bytes, "capture")
        var packed = "\(copy).\(tool)"
        try? FileManager.default.removeItem(atPath: packed)
        if tool == "gzip" { packed = copy + ".gz" }
        if tool == "zstd" { packed = copy + ".zst" }
        try? FileManager.default.removeItem(atPath: packed)
        // Where a tool is missing, the formats' own tests still read what it would make.
        let words = tool == "zip" ? [tool] + extra + [packed, copy] : [tool] + extra + [copy]
        guard try Self.pack(words) else { continue }
        let run = try CommandRun(["-f", "ndjson", packed])
        #expect(Self.withoutFile(run.text) == expected, "\(name) in \(tool)")
        #expect(run.status == 0)
      }
    }
  }

  @Test("followed while it grows, until a signal ends it with status 0")
  func followed() throws {
    let folder = try ScratchFolder()
    for name in Self.names {
      let path = Self.path(name)
      let expected = Self.withoutFile(try CommandRun(["-f", "ndjson", path]).text)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let growing = try folder.write(Array(bytes.prefix(bytes.count / 3)), "growing")
      let run = try FollowRun(growing)
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: growing))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(bytes.dropFirst(bytes.count / 3)))
      try handle.close()
      let result = run.end(after: expected.split(separator: "\n").count)
      #expect(Self.withoutFile(result.text) == expected, "\(name)")
      #expect(result.status == 0, "\(name)")
    }
  }

  @Test("followed through a rotation, the new file's rows come behind the old one's")
  func rotated() throws {
    let folder = try ScratchFolder()
    let first = try Data(contentsOf: URL(fileURLWithPath: Self.path("a-two-nodes.h4.btsnoop")))
    let growing = try folder.write([UInt8](first), "log")
    let count = try CommandRun(["-f", "ndjson", growing]).lines.count
    let run = try FollowRun(growing)
    run.wait(for: count)
    try FileManager.default.moveItem(atPath: growing, toPath: folder.path("log.1"))
    _ = try folder.write([UInt8](first), "new")
    try FileManager.default.moveItem(atPath: folder.path("new"), toPath: growing)
    let result = run.end(after: 2 * count)
    #expect(result.text.split(separator: "\n").count == 2 * count)
    #expect(result.status == 0)
  }
}

/// A run of `peat-inspect --follow` whose output is read as it comes.
private final class FollowRun {
  private let process = Process()
  private let pipe = Pipe()
  private var text = ""
  private var lines = 0

  init(_ path: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandRun.binary)
    process.arguments = ["-f", "ndjson", "--follow", path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Reads until so many lines have come.
  func wait(for count: Int) {
    while lines < count {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { return }
      text += String(decoding: data, as: UTF8.self)
      lines += data.count { $0 == 0x0A }
    }
  }

  /// Ends it by SIGINT once so many lines have come.
  func end(after count: Int) -> (text: String, status: Int32) {
    wait(for: count)
    process.interrupt()
    wait(for: .max)
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return (text, isSignal ? 128 + process.terminationStatus : process.terminationStatus)
  }
}
