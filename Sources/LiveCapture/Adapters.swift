import CPcap

/// A Bluetooth adapter of this machine.
package struct Adapter: Sendable, Equatable {
  /// The number behind `hci`.
  package var index: UInt16
  /// Its address as text, most significant byte first.
  package var address: String
  /// Whether it is powered.
  package var isUp: Bool

  package init(index: UInt16, address: String, isUp: Bool) {
    self.index = index
    self.address = address
    self.isUp = isUp
  }
}

/// What the kernel says of Bluetooth.
package enum Adapters {
  /// Adapters asked for; the kernel's own limit of a list is 16.
  private static let limit: UInt16 = 16

  /// Whether the kernel has Bluetooth sockets.
  package static var areSupported: Bool { peat_has_bluetooth() != 0 }

  /// Every adapter, ascending by index.
  package static func all() -> [Adapter] {
    let socket = peat_hci_socket()
    guard socket >= 0 else { return [] }
    defer { peat_close(socket) }
    return (0..<limit).compactMap { index in
      var info = peat_hci_info()
      // The kernel fills the structure that it is lent.
      guard unsafe peat_hci_info(socket, index, &info) == 0 else { return nil }
      let bytes = info.address
      let address = [bytes.5, bytes.4, bytes.3, bytes.2, bytes.1, bytes.0].map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
      }
      return Adapter(
        index: index, address: address.joined(separator: ":"), isUp: info.flags & 1 != 0)
    }
  }
}
