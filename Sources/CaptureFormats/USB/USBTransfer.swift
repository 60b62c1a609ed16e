import WireBytes

/// One record of a USB capture: a transfer that begins, or one that is done (formats.md 7).
struct USBTransfer {
  /// The kinds of transfer, numbered alike by Linux and USBPcap.
  enum Kind: UInt8 {
    case isochronous, interrupt, control, bulk
  }

  /// The eight bytes that begin a control transfer (USB 2.0, 9.3).
  struct Setup: Sendable {
    var type: UInt8
    var request: UInt8
    var value: UInt16
  }

  var address: USBAddress
  var kind: Kind
  /// Whether data goes to the host.
  var isIn: Bool
  var endpoint: UInt8
  /// Whether the host asks for the transfer; else it is done. Data to the device goes with the
  /// first, data to the host with the second, so that nothing counts twice.
  var isSubmit: Bool
  /// Number that both records of a transfer share.
  var id: UInt64
  var setup: Setup?
  /// Where its data lies, from the reader's place on.
  var ahead: Int
  var count: Int
  /// Bytes of data that the transfer had before the capture cut it.
  var length: Int

  /// Whether its data counts here.
  var hasData: Bool { count > 0 && isIn != isSubmit }
}

/// Where a device is: unique among all that one computer records.
struct USBAddress: Hashable, Sendable {
  var bus: UInt16
  var device: UInt16
}

extension ByteWindow {
  /// A record of Linux's usbmon, whose fields are in the order of the capturing computer; nil where
  /// it is too short (Documentation/usb/usbmon.rst, "Raw binary format").
  func usbmonTransfer(
    ahead: Int, captured: Int, header: Int, order: ByteOrder
  ) -> USBTransfer? {
    guard captured >= header, let kind = USBTransfer.Kind(rawValue: u8(ahead + 9)) else {
      return nil
    }
    // A file that was converted may have the header in the other order than its own fields.
    let isOther = Int(u32(ahead + 36, order)) > captured && u16(ahead + 12, order) > 0xFF
    let order = isOther ? (order == .big ? ByteOrder.little : .big) : order
    let endpoint = u8(ahead + 10)
    let present = min(captured - header, Int(u32(ahead + 36, order)))
    let isSubmit = u8(ahead + 8) == 0x53
    // 'E' is a transfer that could not even begin.
    guard isSubmit || u8(ahead + 8) == 0x43 else { return nil }
    let setup =
      isSubmit && kind == .control && u8(ahead + 14) == 0
      ? usbSetup(ahead + 40) : nil
    return USBTransfer(
      address: USBAddress(bus: u16(ahead + 12, order), device: UInt16(u8(ahead + 11))),
      kind: kind, isIn: endpoint & 0x80 != 0, endpoint: endpoint, isSubmit: isSubmit,
      id: u64(ahead, order), setup: setup, ahead: ahead + header, count: present,
      length: max(present, Int(u32(ahead + 32, order))))
  }

  /// A record of USBPcap, whose fields are little-endian (USBPcap capture format specification).
  func usbpcapTransfer(ahead: Int, captured: Int) -> USBTransfer? {
    guard captured >= 27, let kind = USBTransfer.Kind(rawValue: u8(ahead + 22)) else { return nil }
    let header = Int(u16(ahead, .little))
    guard header >= 27, header <= captured else { return nil }
    let length = Int(u32(ahead + 23, .little))
    let endpoint = u8(ahead + 21)
    var transfer = USBTransfer(
      address: USBAddress(bus: u16(ahead + 17, .little), device: u16(ahead + 19, .little)),
      kind: kind, isIn: endpoint & 0x80 != 0, endpoint: endpoint,
      isSubmit: u8(ahead + 16) & 1 == 0, id: u64(ahead + 2, .little), setup: nil,
      ahead: ahead + header, count: min(captured - header, length), length: length)
    // The first stage of a control transfer has the setup before its data.
    if kind == .control, transfer.isSubmit, header >= 28, u8(ahead + 27) == 0, transfer.count >= 8 {
      transfer.setup = usbSetup(transfer.ahead)
      transfer.isIn = u8(transfer.ahead) & 0x80 != 0
      transfer.ahead += 8
      transfer.count -= 8
      transfer.length = max(0, length - 8)
    }
    return transfer
  }

  private func usbSetup(_ ahead: Int) -> USBTransfer.Setup {
    USBTransfer.Setup(
      type: u8(ahead), request: u8(ahead + 1), value: u16(ahead + 2, .little))
  }
}
