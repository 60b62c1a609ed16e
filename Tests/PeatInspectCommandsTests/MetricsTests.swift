import CommandLineOptions
import Foundation
import PeatTestSupport
import SystemIO
import Testing

@testable import PeatInspectCommands

/// What `--metrics` takes, answers and writes.
struct MetricsTests {
  private func answer(_ request: String) -> String {
    String(
      decoding: MetricsRequest.answer(to: Array(request.utf8)) { Array("x 1\n".utf8) },
      as: UTF8.self)
  }

  @Test func `addresses are numeric or localhost, with a port`() throws {
    #expect(
      try MetricsAddress.parse("127.0.0.1:9100")
        == MetricsAddress(address: "127.0.0.1", port: 9100))
    #expect(try MetricsAddress.parse("[::1]:0") == MetricsAddress(address: "::1", port: 0))
    #expect(
      try MetricsAddress.parse("localhost:1") == MetricsAddress(address: "127.0.0.1", port: 1))
    for text in ["9100", ":9100", "*:9100", "example.org:80", "127.0.0.1", "::1:80", "1.2.3:4"] {
      #expect(throws: InvalidValue.self) { try MetricsAddress.parse(text) }
    }
  }

  @Test func `GET gives the metrics, HEAD their length alone`() {
    let get = answer("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(get.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(get.contains("Content-Length: 4\r\n"))
    #expect(get.hasSuffix("\r\n\r\nx 1\n"))
    let head = answer("HEAD /metrics HTTP/1.1\r\n\r\n")
    #expect(head.contains("Content-Length: 4\r\n"))
    #expect(head.hasSuffix("\r\n\r\n"))
  }

  @Test func `other paths, methods and lines are refused`() {
    #expect(answer("GET / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
    let post = answer("POST /metrics HTTP/1.1\r\n\r\n")
    #expect(post.hasPrefix("HTTP/1.1 405 "))
    #expect(post.contains("\r\nAllow: GET, HEAD\r\n"))
    #expect(answer("GET /metrics\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    #expect(answer("\u{0}\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
  }

  @Test func `a head is whole once an empty line came`() {
    #expect(!MetricsRequest.isWhole(Array("GET /metrics HTTP/1.1\r\nHost: x\r\n".utf8)))
    #expect(MetricsRequest.isWhole(Array("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".utf8)))
  }

  @Test func `label values are escaped`() {
    var text = MetricsText()
    text.family("a_total", .counter, "Help")
    text.sample(labels: [("b", "c\\d\"e\nf")], value: "1")
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "# HELP a_total Help\n# TYPE a_total counter\na_total{b=\"c\\\\d\\\"e\\nf\"} 1\n")
  }

  @Test func `alerts of findings name a code or the least severity`() throws {
    // The severities of `check --list`: malformed-message is an error.
    let error = try AlertCondition.parse("finding=error")
    #expect(error.holds(for: .malformedMessage))
    #expect(try AlertCondition.parse("finding").holds(for: .badCRC))
    let code = try AlertCondition.parse("finding=bad-crc")
    #expect(code.holds(for: .badCRC))
    #expect(!code.holds(for: .malformedMessage))
    #expect(throws: InvalidValue.self) { try AlertCondition.parse("finding=nonsense") }
  }

  /// A connection that says only what it is told to.
  private final class Peer {
    private let socket: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ port: UInt16) throws {
      socket = try FileDescriptor.connect(host: "127.0.0.1", port: port, milliseconds: 1000)
      try socket.setNonBlocking()
    }

    func say(_ text: String) throws { try socket.write(Array(text.utf8)) }

    /// What came so far; nil where nothing did.
    func heard() -> String? {
      guard let count = try? socket.read(into: &buffer, range: 0..<buffer.count) else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test func `however many dawdle, who asks is answered in the same turn`() throws {
    let server = try MetricsServer(MetricsAddress(address: "127.0.0.1", port: 0))
    var slow: [Peer] = []
    for _ in 0..<100 {
      let peer = try Peer(server.port)
      try peer.say("GET /metrics HTTP/1.1\r\nX: ")
      slow.append(peer)
      server.serve(at: 0) { [] }
    }
    // The listener and its clients, however many came.
    #expect(server.descriptors.count <= MetricsServer.clientLimit + 1)
    let honest = try Peer(server.port)
    try honest.say("GET /metrics HTTP/1.1\r\n\r\n")
    server.serve(at: 1) { Array("peat 1\n".utf8) }
    #expect(honest.heard()?.hasSuffix("\r\n\r\npeat 1\n") == true)
    // Who takes longer than the patience is let go of.
    server.serve(at: MetricsServer.patience) { [] }
    #expect(server.descriptors.count == 1)
    #expect(slow.count == 100)
  }

  @Test func `one that came before others did is not forgotten while it asks`() throws {
    let server = try MetricsServer(MetricsAddress(address: "127.0.0.1", port: 0))
    let honest = try Peer(server.port)
    server.serve(at: 0) { [] }
    var slow: [Peer] = []
    for _ in 0..<20 { slow.append(try Peer(server.port)) }
    try honest.say("GET /metrics HTTP/1.1\r\n\r\n")
    server.serve(at: 1) { Array("peat 1\n".utf8) }
    #expect(honest.heard()?.hasSuffix("peat 1\n") == true)
    #expect(slow.count == 20)
  }

  @Test func `an address that is no address is a usage error`() throws {
    let run = try CommandRun(["monitor", "-", "--metrics", "9100"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("127.0.0.1:9100"))
  }
}
