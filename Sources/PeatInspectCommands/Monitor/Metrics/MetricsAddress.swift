import CommandLineOptions

/// Where `--metrics` serves: a numeric address and a port.
struct MetricsAddress: Sendable, Equatable {
  var address: String
  /// 0 lets the kernel choose.
  var port: UInt16

  /// Reads `127.0.0.1:9100`, `[::1]:9100` or `localhost:9100`.
  ///
  /// What is heard of a mesh is nobody else's business: an address that others reach is taken only
  /// where it is spelled out, and a port alone is no address.
  static func parse(_ text: String) throws(InvalidValue) -> MetricsAddress {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { throw expected }
    var host = String(text[..<colon])
    if host == "localhost" { host = "127.0.0.1" }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || ":.".contains($0) }) else {
        throw expected
      }
      return MetricsAddress(address: host, port: port)
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) else { throw expected }
    return MetricsAddress(address: host, port: port)
  }

  private static var expected: InvalidValue {
    InvalidValue("expected a numeric address and a port such as 127.0.0.1:9100 or [::1]:9100")
  }
}
