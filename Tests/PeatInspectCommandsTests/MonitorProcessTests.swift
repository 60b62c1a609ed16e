import Foundation
import PeatTestSupport
import Testing

/// A running monitor, watched from outside: descriptors, children, and what it serves.
@Suite(.serialized)
struct MonitorProcessTests {
  private struct Expired: Error { var what: String }

  /// Looks until something holds, for at most 30 seconds.
  private static func until(_ what: String, _ holds: () throws -> Bool) throws {
    let end = Date().addingTimeInterval(30)
    while try !holds() {
      guard Date() < end else { throw Expired(what: what) }
      usleep(5000)
    }
  }

  /// A monitor that reads a capture from a pipe and serves metrics.
  private final class Monitor {
    private let process = Process()
    private let feed = Pipe()
    private let log: URL
    private(set) var port: UInt16 = 0

    init(_ options: [String], format: String = "csv", folder: URL) throws {
      log = folder.appendingPathComponent("log")
      try Data().write(to: log)
      process.executableURL = URL(fileURLWithPath: CommandRun.binary)
      process.arguments =
        ["monitor", "-", "-f", format, "--handle", "16", "--metrics", "127.0.0.1:0"] + options
      process.standardInput = feed
      let rows = folder.appendingPathComponent("rows")
      try Data().write(to: rows)
      process.standardOutput = try FileHandle(forWritingTo: rows)
      process.standardError = try FileHandle(forWritingTo: log)
      try process.run()
      try until("the port is told") {
        guard let match = try said().firstMatch(of: /metrics: port ([0-9]+)\n/) else {
          return false
        }
        port = UInt16(match.1) ?? 0
        return true
      }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func said() throws -> String { try String(contentsOf: log, encoding: .utf8) }

    func write(_ bytes: ArraySlice<UInt8>) throws {
      try feed.fileHandleForWriting.write(contentsOf: Data(bytes))
    }

    func end() throws -> Int32 {
      try feed.fileHandleForWriting.close()
      process.waitUntilExit()
      return process.terminationStatus
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The status that it ends with by itself.
    func status() -> Int32 {
      process.waitUntilExit()
      return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    var descriptors: Int {
      get throws {
        try FileManager.default.contentsOfDirectory(
          atPath: "/proc/\(process.processIdentifier)/fd"
        ).count
      }
    }

    /// Programs that it started, those that ended and were not waited for too.
    var children: [Substring] {
      get throws {
        let pid = process.processIdentifier
        return try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
          .split(separator: " ")
      }
    }

    /// One scrape by a connection of its own: the whole answer.
    func scrape(_ path: String = "/metrics") throws -> String {
      let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard connected == 0 else { throw Expired(what: "connect") }
      let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
        throw Expired(what: "send")
      }
      var answer: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count <= 0 { break }
        answer += buffer[..<count]
      }
      return String(decoding: answer, as: UTF8.self)
    }

    func metrics() throws -> Exposition {
      let answer = try scrape()
      let parts = try #require(answer.firstRange(of: "\r\n\r\n"))
      return try Exposition(String(answer[parts.upperBound...]))
    }
  }

  private static func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("monitor-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// A document of a node that counts up; 64 entries of 12 bytes.
  private static func document(_ number: Int) -> [UInt8] {
    PeatTestSupport.Recording.document(
      version: UInt32(number), node: 7,
      counter: (1...64).map { (UInt32($0), UInt64(number)) })
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal that ends it lets it say what was read`(number: Int32) throws {
    try Self.inFolder { folder in
      let monitor = try Monitor([], format: "text", folder: folder)
      let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop")
      try monitor.write([UInt8](try Data(contentsOf: sample))[...])
      let rows = folder.appendingPathComponent("rows")
      // The counter of the last message, which is the fourteenth.
      try Self.until("all is read") {
        try String(contentsOf: rows, encoding: .utf8).contains("counter 6→7")
      }
      monitor.signal(number)
      #expect(monitor.status() == 0)
      #expect(try String(contentsOf: rows, encoding: .utf8).contains("\n14 messages, 6 sent"))
    }
  }

  @Test func `SIGUSR1 begins a new file, and each stands for itself`() throws {
    try Self.inFolder { folder in
      let file = folder.appendingPathComponent("x.btsnoop")
      let monitor = try Monitor(["-w", file.path], folder: folder)
      func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
          .filter { $0.hasSuffix(".btsnoop") }.sorted()
      }
      let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop")
      let bytes = [UInt8](try Data(contentsOf: sample))
      try monitor.write(bytes[..<(bytes.count / 2)])
      try Self.until("the first half is read") {
        try monitor.metrics().value("peat_inspect_packets_total") ?? 0 > 30
      }
      monitor.signal(SIGUSR1)
      try Self.until("a second file") { try files().count == 2 }
      // One that was moved away is begun again under its name.
      try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("moved.btsnoop"))
      monitor.signal(SIGUSR1)
      try Self.until("the name is back") { FileManager.default.fileExists(atPath: file.path) }
      try monitor.write(bytes[(bytes.count / 2)...])
      #expect(try monitor.end() == 0)
      let names = try files()
      #expect(names.count == 3)
      #expect(names.contains { $0.hasPrefix("x-2") && $0.hasSuffix("Z-00002.btsnoop") })
      var packets = 0
      for name in names {
        let path = folder.appendingPathComponent(name).path
        // What btsnoop says of itself, then its records: 24 bytes and their data.
        let recorded = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // One that no packet came to has no head either.
        guard !recorded.isEmpty else { continue }
        #expect(recorded.prefix(8).elementsEqual(Array("btsnoop\0".utf8)))
        var place = 16
        while place + 24 <= recorded.count {
          let length = recorded[(place + 4)..<(place + 8)].reduce(0) { $0 << 8 | Int($1) }
          place += 24 + length
          packets += 1
        }
        #expect(place == recorded.count)
      }
      // The capture has 101 packets.
      #expect(packets == 101)
    }
  }

  @Test func `a scrape over a socket is well formed and counts what came`() throws {
    try Self.inFolder { folder in
      let monitor = try Monitor([], folder: folder)
      var recording = PeatTestSupport.Recording()
      recording.connect(1, peer: 0xC000_0000_0002)
      for number in 1...10 { recording.write(1, 16, Self.document(number)) }
      recording.write(1, 16, [0x01])
      try monitor.write(recording.bytes[...])
      try Self.until("every packet is counted") {
        try monitor.metrics().value("peat_inspect_packets_total") == 12
      }
      let answer = try monitor.scrape()
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      let metrics = try monitor.metrics()
      let messages = try #require(metrics.families["peat_messages_total"]?.samples)
      #expect(messages.first { $0.labels["kind"] == "document" }?.value == 10)
      #expect(metrics.value("peat_changes_total") == 10)
      #expect(metrics.value("peat_nodes_known") == 1)
      #expect(metrics.value("peat_inspect_kernel_drops_total") == 0)
      let bounds = metrics.families["peat_convergence_seconds"]?.samples
        .compactMap { $0.labels["le"].flatMap(Double.init) }
      #expect(bounds?.contains { $0 < 1 } == true)
      #expect(try monitor.scrape("/").hasPrefix("HTTP/1.1 404 "))
      #expect(try monitor.end() == 0)
    }
  }

  @Test func `rotations, alerts and scrapes leave no descriptor and no child behind`() throws {
    try Self.inFolder { folder in
      let file = folder.appendingPathComponent("r.btsnoop").path
      let monitor = try Monitor(
        [
          "-w", file, "--rotate", "1K", "--files", "3", "--on", "finding=malformed-message",
          "--exec", "true", ";",
        ], folder: folder)
      var recording = PeatTestSupport.Recording()
      recording.connect(1, peer: 0xC000_0000_0002)
      var sent = 0
      func flush() throws {
        try monitor.write(recording.bytes[sent...])
        sent = recording.bytes.count
      }
      recording.write(1, 16, Self.document(1))
      try flush()
      _ = try monitor.metrics()
      try Self.until("the first packets are read") {
        try monitor.metrics().value("peat_inspect_packets_total") == 2
      }
      let before = try monitor.descriptors
      // A document takes more than half a file: after every second one begins another.
      for number in 2...2010 { recording.write(1, 16, Self.document(number)) }
      try flush()
      for _ in 0..<20 {
        for _ in 0..<10 { recording.write(1, 16, [0x01]) }
        try flush()
        for _ in 0..<10 { _ = try monitor.scrape() }
        try Self.until("the programs have ended") { try monitor.children.isEmpty }
      }
      try Self.until("every packet is counted") {
        try monitor.metrics().value("peat_inspect_packets_total") == 2211
      }
      try Self.until("the programs have ended") { try monitor.children.isEmpty }
      #expect(try monitor.metrics().value("peat_inspect_alerts_total") == 200)
      #expect(try !monitor.said().contains("was not started"))
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".btsnoop") }.sorted()
      #expect(files.count == 3)
      let last = try #require(files.last?.firstMatch(of: /-([0-9]{5})\.btsnoop/))
      #expect(try #require(Int(last.1)) > 1000)
      // The client's end of the last scrape may still be open at the other side.
      try Self.until("descriptors: \(try monitor.descriptors), were \(before)") {
        try monitor.descriptors == before
      }
      #expect(try monitor.end() == 0)
    }
  }
}
