import CaptureFormats
import Foundation
import PeatTestSupport
import Testing
import WireBytes

/// What a reader gives for one file, copied out of it.
struct Walk {
  var headers: [RecordHeader] = []
  var payloads: [[UInt8]] = []
  var damages: [CaptureError] = []
  var frameCount = 0
  var format = CaptureFormat.btsnoop

  init(_ path: String) throws {
    var reader = try CaptureReader(path: path)
    try self.init(&reader)
  }

  init(_ reader: inout CaptureReader) throws {
    while let record = try reader.next() {
      headers.append(record.header)
      payloads.append([UInt8](record.payload))
    }
    damages = reader.damages
    frameCount = reader.frameCount
    format = reader.format
  }
}

@Suite struct SampleCaptureTests {
  static func files(in folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter {
      ["btsnoop", "pcap", "pcapng", "pklg", "log", "txt"].contains($0.pathExtension)
    }.sorted { $0.path < $1.path }
  }

  @Test func `every sample capture gives the frames that its manifest counts`() throws {
    let manifest = try JSON(
      parsing: Data(contentsOf: TestData.captures.appendingPathComponent("manifest.json")))
    for entry in manifest.array ?? [] {
      let file = try #require(entry["file"].string)
      let walk = try Walk(TestData.captures.appendingPathComponent(file).path)
      let counted = try #require(entry["frames"].int)
      if entry["tshark_exit"].int == 0 {
        #expect(walk.frameCount == counted, "\(file)")
        #expect(walk.damages.isEmpty, "\(file): \(walk.damages)")
      } else {
        #expect(walk.frameCount >= counted, "\(file)")
        #expect(walk.damages.count == 1, "\(file): \(walk.damages)")
        print(file, walk.frameCount, counted, walk.damages)
      }
    }
  }

  @Test func `every bug report's capture opens and gives the records it was made of`() throws {
    for url in Self.files(in: TestData.bugReports) {
      guard url.lastPathComponent != "short-idb.pcapng" else { continue }
      let text = try String(
        contentsOf: url.deletingLastPathComponent().appendingPathComponent("expect.md"),
        encoding: .utf8)
      let walk = try Walk(url.path)
      #expect(walk.damages.isEmpty, "\(url.path): \(walk.damages)")
      if let found = text.firstMatch(of: #/"records": (\d+)/#) {
        #expect(walk.frameCount == Int(found.1), "\(url.path)")
      }
    }
  }

  @Test func `a too short interface block is named with its offset`() throws {
    let walk = try Walk(
      TestData.bugReports.appendingPathComponent("08-pcapng-two-interfaces/short-idb.pcapng").path)
    let damage = try #require(walk.damages.first)
    #expect(damage.offset == 28)
    #expect(damage.reason.contains("interface description block"))
    #expect(walk.headers.isEmpty)
  }

  @Test func `frame times agree with tshark where it is installed`() throws {
    let tshark = "/usr/bin/tshark"
    guard FileManager.default.isExecutableFile(atPath: tshark) else { return }
    let names = [
      "a-two-nodes.phdr.nano.pcap", "a-two-nodes.phdr.big-endian.pcap", "c-mtu23.h4.pcapng",
      "a-two-nodes.little-endian.pklg", "a-two-nodes.monitor.btsnoop", "i-malformed.h4.btsnoop",
      "kernel/eatt.bluetooth-monitor.pcap", "h-damaged.garbage.phdr.pcap",
    ]
    for name in names {
      let path = TestData.captures.appendingPathComponent(name).path
      let process = Process()
      process.executableURL = URL(fileURLWithPath: tshark)
      process.arguments = [
        "-r", path, "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch",
      ]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      let walk = try Walk(path)
      #expect(walk.frameCount == lines.count, "\(name)")
      for header in walk.headers {
        guard header.frame <= lines.count else { continue }
        let fields = lines[header.frame - 1].split(separator: "\t")
        let parts = fields[1].split(separator: ".")
        let seconds = try #require(Int64(parts[0]))
        let fraction = try #require(Int64(parts[1]))
        #expect(header.frame == Int(fields[0]))
        #expect(
          header.time?.nanoseconds == seconds * 1_000_000_000 + fraction,
          "\(name) frame \(header.frame)")
      }
    }
  }
}
