import CBluetooth
package import SystemIO

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

/// What the kernel says of Bluetooth, through libbluetooth.
package enum Adapters {
  /// What to say where it has none.
  package static let missing = "this kernel or container has no Bluetooth"
  /// The command that helps then.
  package static let remedy = "sudo modprobe bluetooth"

  /// Whether the kernel has Bluetooth sockets.
  package static var areSupported: Bool { peat_has_bluetooth() != 0 }

  /// Every adapter, ascending by index.
  ///
  /// The library lists those that are up; those that are down are asked for by number.
  package static func all() -> [Adapter] {
    let up = peat_hci_up()
    let known = unsafe withUnsafeBytes(of: up.ids) { bytes in
      unsafe bytes.bindMemory(to: Int32.self).prefix(Int(up.count)).map { $0 }
    }
    return Set(known).union(0..<Int32(HCI_MAX_DEV)).sorted().compactMap(adapter)
  }

  private static func adapter(_ index: Int32) -> Adapter? {
    var info = hci_dev_info()
    // The library fills the structures that it is lent; an address has 17 characters and a zero.
    guard let number = UInt16(exactly: index), unsafe hci_devinfo(index, &info) == 0 else {
      return nil
    }
    var text = [CChar](repeating: 0, count: 18)
    _ = unsafe ba2str(&info.bdaddr, &text)
    let address = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return Adapter(
      index: number, address: String(decoding: address, as: UTF8.self),
      isUp: unsafe peat_hci_is_up(&info) != 0)
  }

  /// Whether data packets, and not only some events, come through a raw HCI socket.
  package static func passesData(_ socket: Int32) -> Bool { peat_hci_passes_data(socket) != 0 }
}

extension FileDescriptor {
  /// Takes over a Bluetooth controller of this machine through the kernel's user channel; it must
  /// be down. Each read gives one HCI packet in H4 framing (formats.md 13).
  package static func open(controller index: UInt16) throws(Errno) -> FileDescriptor {
    var isBind: Int32 = 0
    let descriptor = unsafe peat_hci_user_channel(index, &isBind)
    let name = "hci\(index)"
    guard descriptor >= 0 else {
      throw Errno(code: -descriptor, call: isBind != 0 ? "bind" : "socket", path: name)
    }
    return FileDescriptor(descriptor, path: name)
  }
}
