import SystemIO

/// Where a controller is, as `--hci` names it.
package enum TransportName: Sendable, Equatable {
  /// `hci0`: a controller of this machine, through the kernel's user channel.
  case controller(UInt16)
  /// `tcp:HOST:PORT`: H4 over TCP.
  case tcp(host: String, port: UInt16)
  /// `serial:PATH[,BAUD]`: H4 over a serial line; Zephyr's hci_uart uses 1 000 000 baud with
  /// hardware flow control, and over USB the speed does not matter.
  case serial(path: String, baud: UInt32)

  /// Speed of a serial line where none is given.
  package static let defaultBaud: UInt32 = 1_000_000

  /// Reads a name; nil where it has none of the forms.
  package init?(_ text: String) {
    if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)),
      text.utf8.count <= 8, text.utf8.dropFirst(3).first != 0x2B
    {
      self = .controller(index)
    } else if text.hasPrefix("tcp:") {
      let rest = text.dropFirst(4)
      guard let colon = rest.lastIndex(of: ":"), colon > rest.startIndex,
        let port = UInt16(rest[rest.index(after: colon)...]), port > 0
      else { return nil }
      var host = String(rest[..<colon])
      // An IPv6 address stands in brackets.
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      guard !host.isEmpty else { return nil }
      self = .tcp(host: host, port: port)
    } else if text.hasPrefix("serial:") {
      let parts = text.dropFirst(7).split(
        separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      guard let path = parts.first, !path.isEmpty else { return nil }
      guard parts.count == 2 else {
        self = .serial(path: String(path), baud: TransportName.defaultBaud)
        return
      }
      guard let baud = UInt32(parts[1]), FileDescriptor.isSerialSpeed(baud: baud) else {
        return nil
      }
      self = .serial(path: String(path), baud: baud)
    } else {
      return nil
    }
  }
}
