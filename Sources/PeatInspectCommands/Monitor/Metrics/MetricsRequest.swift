/// The little of HTTP/1.1 that a scrape needs (RFC 9112, 2.1 and 3).
enum MetricsRequest {
  /// Most bytes of a request's head.
  static let limit = 8192

  /// Whether the head has come as a whole: an empty line ends it, whatever follows.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    var isEmptyLine = false
    for byte in bytes where byte != 0x0D {
      if byte == 0x0A && isEmptyLine { return true }
      isEmptyLine = byte == 0x0A
    }
    return false
  }

  /// The answer to a whole head, after which the connection is closed.
  static func answer(to bytes: [UInt8], metrics: () -> [UInt8]) -> [UInt8] {
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      return refusal("400 Bad Request")
    }
    guard words[0] == "GET" || words[0] == "HEAD" else {
      return refusal("405 Method Not Allowed", extra: "Allow: GET, HEAD\r\n")
    }
    let path = words[1].prefix { $0 != "?" }
    guard path == "/metrics" else {
      return refusal("404 Not Found", isHead: words[0] == "HEAD")
    }
    return response(
      "200 OK", type: "text/plain; version=0.0.4; charset=utf-8", body: metrics(),
      isHead: words[0] == "HEAD")
  }

  /// An answer without metrics.
  static func refusal(_ status: String, extra: String = "", isHead: Bool = false) -> [UInt8] {
    response(
      status, type: "text/plain; charset=utf-8", body: Array("\(status); see /metrics\n".utf8),
      extra: extra, isHead: isHead)
  }

  private static func response(
    _ status: String, type: String, body: [UInt8], extra: String = "", isHead: Bool
  ) -> [UInt8] {
    let head =
      "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
      + "\(extra)Connection: close\r\n\r\n"
    return Array(head.utf8) + (isHead ? [] : body)
  }
}
