/// A pcap file put together record by record (formats.md 7).
package struct PcapFile: Sendable {
  /// The file so far.
  package private(set) var bytes: [UInt8]
  /// Whether the file's fields are big-endian.
  package let isBig: Bool
  private var microseconds: UInt64 = 0

  package init(link: UInt32, isBig: Bool = false) {
    self.isBig = isBig
    bytes = []
    bytes = number(0xA1B2_C3D4, 4) + number(2, 2) + number(4, 2) + number(0, 4) + number(0, 4)
    bytes += number(65_535, 4) + number(UInt64(link), 4)
  }

  /// A number in the file's byte order.
  package func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    let bytes = Recording.little(value, count)
    return isBig ? bytes.reversed() : bytes
  }

  /// Appends a record, a millisecond after the one before.
  package mutating func append(_ data: [UInt8]) {
    microseconds += 1000
    bytes += number(1_770_000_000 + microseconds / 1_000_000, 4)
    bytes += number(microseconds % 1_000_000, 4)
    bytes += number(UInt64(data.count), 4) + number(UInt64(data.count), 4) + data
  }
}

/// A Linux usbmon record (Documentation/usb/usbmon.rst, "Raw binary format").
package struct UsbmonRecord: Sendable {
  package var id: UInt64
  /// `S` for a transfer that begins, `C` for one that is done.
  package var event: Character
  /// 0 isochronous, 1 interrupt, 2 control, 3 bulk.
  package var kind: UInt8
  package var endpoint: UInt8
  package var device: UInt8 = 5
  package var bus: UInt16 = 1
  package var setup: [UInt8]?
  package var data: [UInt8] = []

  package init(
    _ id: UInt64, _ event: Character, kind: UInt8, endpoint: UInt8, device: UInt8 = 5,
    bus: UInt16 = 1, setup: [UInt8]? = nil, data: [UInt8] = []
  ) {
    self.id = id
    self.event = event
    self.kind = kind
    self.endpoint = endpoint
    self.device = device
    self.bus = bus
    self.setup = setup
    self.data = data
  }

  /// The record with a header of 48 or 64 bytes, in the byte order of `file`.
  package func bytes(in file: PcapFile, isPadded: Bool) -> [UInt8] {
    var bytes = file.number(id, 8) + [event.asciiValue ?? 0, kind, endpoint, device]
    bytes += file.number(UInt64(bus), 2) + [setup == nil ? 0x2D : 0, data.isEmpty ? 0x3C : 0]
    bytes += file.number(1_770_000_000, 8) + file.number(0, 4) + file.number(0, 4)
    bytes += file.number(UInt64(data.count), 4) + file.number(UInt64(data.count), 4)
    bytes += setup ?? [UInt8](repeating: 0, count: 8)
    if isPadded { bytes += [UInt8](repeating: 0, count: 16) }
    return bytes + data
  }
}
