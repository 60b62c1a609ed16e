/// A btsnoop capture (datalink 1002, or 2001 for a monitor) put together packet by packet.
package struct Recording: Sendable {
  /// The file so far.
  package private(set) var bytes: [UInt8]
  /// Microseconds from the first packet to the next one.
  package var microseconds: Int64 = 0
  /// Packets that the recorder says it has lost so far.
  package var drops: UInt32 = 0
  private let isMonitor: Bool

  package init(isMonitor: Bool = false) {
    self.isMonitor = isMonitor
    bytes = Array("btsnoop\u{0}".utf8) + Self.big32(1) + Self.big32(isMonitor ? 2001 : 1002)
  }

  private static func big32(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// Bytes of an integer, least significant first.
  package static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// Appends a record of any bytes; `original` is its length before a cut.
  package mutating func record(_ data: [UInt8], flags: UInt32, original: Int? = nil) {
    bytes += Self.big32(UInt32(original ?? data.count)) + Self.big32(UInt32(data.count))
    bytes += Self.big32(flags) + Self.big32(drops)
    // 2026-03-01, on btsnoop's clock (formats.md 2).
    let time = UInt64(0x00DC_DDB3_0F2F_8000 + 1_772_323_200_000_000 + microseconds)
    bytes += Self.big32(UInt32(time >> 32)) + Self.big32(UInt32(truncatingIfNeeded: time))
    bytes += data
    microseconds += 10_000
  }

  /// Appends bytes that are no record.
  package mutating func noise(_ data: [UInt8]) { bytes += data }

  /// Appends an H4 packet, on an adapter where this is a monitor file.
  package mutating func packet(
    _ type: UInt8, _ data: [UInt8], isReceived: Bool, adapter: UInt32 = 0, original: Int? = nil
  ) {
    if isMonitor {
      let opcodes: [UInt8: UInt32] = [1: 2, 2: isReceived ? 5 : 4, 4: 3]
      record(data, flags: adapter << 16 | (opcodes[type] ?? 0), original: original)
    } else {
      let flags: UInt32 = (isReceived ? 1 : 0) | (type == 2 ? 0 : 2)
      record([type] + data, flags: flags, original: original.map { $0 + 1 })
    }
  }

  /// An LE Connection Complete event; addresses are numbers as they are printed.
  package mutating func connect(
    _ handle: UInt16, peer: UInt64, isRandom: Bool = true, isCentral: Bool = true,
    adapter: UInt32 = 0
  ) {
    var event: [UInt8] = [0x3E, 19, 0x01, 0]
    event += Self.little(UInt64(handle), 2) + [isCentral ? 0 : 1, isRandom ? 1 : 0]
    event += Self.little(peer, 6) + [24, 0, 0, 0, 100, 0, 0]
    packet(4, event, isReceived: true, adapter: adapter)
  }

  package mutating func disconnect(_ handle: UInt16, adapter: UInt32 = 0) {
    packet(
      4, [0x05, 4, 0] + Self.little(UInt64(handle), 2) + [0x13], isReceived: true,
      adapter: adapter)
  }

  /// An L2CAP packet in one ACL packet.
  package mutating func l2cap(
    _ handle: UInt16, channel: UInt16 = 4, _ pdu: [UInt8], isReceived: Bool, adapter: UInt32 = 0,
    kept: Int? = nil
  ) {
    let frame =
      Self.little(UInt64(pdu.count), 2) + Self.little(UInt64(channel), 2) + pdu
    let boundary: UInt64 = isReceived ? 0x2000 : 0
    let acl =
      Self.little(UInt64(handle) | boundary, 2) + Self.little(UInt64(frame.count), 2) + frame
    let part = kept.map { Array(acl.prefix($0)) } ?? acl
    packet(2, part, isReceived: isReceived, adapter: adapter, original: acl.count)
  }

  /// The peer's table is asked for: a Peat service with one characteristic of `type`.
  package mutating func discover(
    _ connection: UInt16, handle: UInt16, type: UInt16 = 0xF47B, service: UInt16 = 0xF47A
  ) {
    let start = Self.little(UInt64(handle) - 2, 2)
    let declaration = Self.little(UInt64(handle) - 1, 2)
    let value = Self.little(UInt64(handle), 2)
    l2cap(connection, [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], isReceived: false)
    l2cap(
      connection, [0x11, 6] + start + value + Self.little(UInt64(service), 2), isReceived: true)
    l2cap(connection, [0x08] + start + value + [0x03, 0x28], isReceived: false)
    l2cap(
      connection, [0x09, 7] + declaration + [0x1A] + value + Self.little(UInt64(type), 2),
      isReceived: true)
  }

  /// The peer's GATT database hash is read.
  package mutating func readHash(_ connection: UInt16, _ hash: [UInt8]) {
    l2cap(connection, [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B], isReceived: false)
    l2cap(connection, [0x09, 18, 5, 0] + hash, isReceived: true)
  }

  package mutating func notify(
    _ connection: UInt16, _ handle: UInt16, _ value: [UInt8], adapter: UInt32 = 0,
    isReceived: Bool = true
  ) {
    l2cap(
      connection, [0x1B] + Self.little(UInt64(handle), 2) + value, isReceived: isReceived,
      adapter: adapter)
  }

  package mutating func write(
    _ connection: UInt16, _ handle: UInt16, _ value: [UInt8], adapter: UInt32 = 0,
    isReceived: Bool = false
  ) {
    l2cap(
      connection, [0x52] + Self.little(UInt64(handle), 2) + value, isReceived: isReceived,
      adapter: adapter)
  }

  /// A plain document with a counter (protocol.md 2.1).
  package static func document(
    version: UInt32, node: UInt32, counter: [(UInt32, UInt64)]
  ) -> [UInt8] {
    var bytes = little(UInt64(version), 4) + little(UInt64(node), 4)
    bytes += little(UInt64(counter.count), 4)
    for (node, count) in counter { bytes += little(UInt64(node), 4) + little(count, 8) }
    return bytes
  }
}
