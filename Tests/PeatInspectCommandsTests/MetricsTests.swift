import CommandLineOptions
import Foundation
import PeatTestSupport
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

  @Test func `an address that is no address is a usage error`() throws {
    let run = try CommandRun(["monitor", "-", "--metrics", "9100"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("127.0.0.1:9100"))
  }
}
