import WireBytes

/// Builds a small btsnoop capture (H4) of a host with its LE connections, packet by packet.
///
/// Each packet comes one millisecond after the one before; `wait` lets more time pass. The server's
/// table is always the same: service F47A from 0x10 to 0x2F, its document F47B at 0x12, and the
/// client's configuration of it at 0x13.
package struct CaptureBuilder {
  /// Who does something: this host, or the peer of the connection.
  package enum Party: Sendable {
    case host, peer
  }

  /// One packet, for other containers than the builder's own.
  package struct Packet: Sendable {
    /// The packet behind its H4 type byte.
    package var bytes: [UInt8]
    /// Whether the peer or the controller sent it.
    package var isReceived: Bool
    /// Microseconds since 1970.
    package var microseconds: Int64
  }

  /// 2026-02-02T02:40:00Z, in milliseconds.
  package static let start: UInt64 = 1_770_000_000_000

  private var file = ByteWriter(capacity: 4096)
  private var microseconds: Int64 = 0
  /// Packets so far.
  package private(set) var frame = 0
  /// The packets so far, as they were before any cut.
  package private(set) var packets: [Packet] = []

  /// Begins an empty capture.
  package init() {
    file.append(Array("btsnoop\u{0}".utf8))
    file.be32(1)
    file.be32(1002)
  }

  /// The file.
  package var bytes: [UInt8] { file.bytes }

  /// Milliseconds since 1970 of the next packet.
  package var now: UInt64 { CaptureBuilder.start + UInt64(microseconds / 1000) }

  /// Lets time pass.
  package mutating func wait(_ seconds: Double) { microseconds += Int64(seconds * 1e6) }

  /// Appends one packet; `drops` is the recorder's count of packets lost so far.
  package mutating func packet(
    _ bytes: [UInt8], from party: Party, isControl: Bool = false, drops: UInt32 = 0,
    recorded: Int? = nil
  ) {
    frame += 1
    microseconds += 1000
    let kept = Array(bytes.prefix(recorded ?? bytes.count))
    packets.append(
      Packet(
        bytes: bytes, isReceived: party == .peer,
        microseconds: Int64(CaptureBuilder.start) * 1000 + microseconds))
    file.be32(UInt32(bytes.count))
    file.be32(UInt32(kept.count))
    file.be32((party == .peer ? 1 : 0) | (isControl ? 2 : 0))
    file.be32(drops)
    // Microseconds since the year 0, as btsnoop counts (formats.md 2).
    file.be64(
      UInt64(Int64(CaptureBuilder.start) * 1000 + microseconds + 0x00DC_DDB3_0F2F_8000))
    file.append(kept)
  }

  /// Opens a connection.
  package mutating func connect(
    _ connection: UInt16 = 0x40, peer: UInt64 = 0xC000_0000_0001, isCentral: Bool = true
  ) {
    var event: [UInt8] = [0x04, 0x3E, 19, 0x01, 0x00]
    event += CaptureBuilder.le(UInt64(connection), 2) + [isCentral ? 0 : 1, 1]
    event += CaptureBuilder.le(peer, 6) + [0x18, 0, 0, 0, 0x48, 0, 0]
    packet(event, from: .peer, isControl: true)
  }

  /// Closes a connection.
  package mutating func disconnect(_ connection: UInt16 = 0x40) {
    packet(
      [0x04, 0x05, 4, 0] + CaptureBuilder.le(UInt64(connection), 2) + [0x13], from: .peer,
      isControl: true)
  }

  /// A report of a device that advertises.
  package mutating func advertise(_ address: UInt64, _ data: [UInt8]) {
    var event: [UInt8] = [0x02, 1, 0, 1]
    event += CaptureBuilder.le(address, 6) + [UInt8(data.count)] + data + [0xCE]
    packet([0x04, 0x3E, UInt8(event.count)] + event, from: .peer, isControl: true)
  }

  /// One ATT PDU.
  package mutating func att(
    _ pdu: [UInt8], from party: Party, on connection: UInt16 = 0x40, recorded: Int? = nil
  ) {
    let length = CaptureBuilder.le(UInt64(pdu.count), 2)
    acl(length + [4, 0] + pdu, from: party, on: connection, recorded: recorded)
  }

  /// ACL data that starts an L2CAP packet, or continues one.
  package mutating func acl(
    _ data: [UInt8], from party: Party, on connection: UInt16 = 0x40, continues: Bool = false,
    drops: UInt32 = 0, recorded: Int? = nil
  ) {
    let boundary: UInt16 = continues ? 0x1000 : party == .host ? 0x0000 : 0x2000
    packet(
      [0x02] + CaptureBuilder.le(UInt64(connection | boundary), 2)
        + CaptureBuilder.le(UInt64(data.count), 2) + data,
      from: party, drops: drops, recorded: recorded.map { $0 + 9 })
  }

  /// Finds the document of one end's server.
  package mutating func discover(server: Party = .peer, on connection: UInt16 = 0x40) {
    let client: Party = server == .peer ? .host : .peer
    att([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], from: client, on: connection)
    att([0x11, 6, 0x10, 0, 0x2F, 0, 0x7A, 0xF4], from: server, on: connection)
    att([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], from: client, on: connection)
    att([0x09, 7, 0x11, 0, 0x1A, 0x12, 0, 0x7B, 0xF4], from: server, on: connection)
  }

  /// Asks for notifications of it.
  package mutating func subscribe(server: Party = .peer, on connection: UInt16 = 0x40) {
    let client: Party = server == .peer ? .host : .peer
    att([0x12, 0x13, 0, 1, 0], from: client, on: connection)
    att([0x13], from: server, on: connection)
  }

  /// Agrees on an MTU.
  package mutating func exchangeMTU(_ mtu: UInt16, on connection: UInt16 = 0x40) {
    att([0x02] + CaptureBuilder.le(UInt64(mtu), 2), from: .host, on: connection)
    att([0x03] + CaptureBuilder.le(UInt64(mtu), 2), from: .peer, on: connection)
  }

  /// A connection that is ready for documents: opened, found, subscribed, with an MTU of 517.
  package mutating func open(_ connection: UInt16 = 0x40, peer: UInt64 = 0xC000_0000_0001) {
    connect(connection, peer: peer)
    exchangeMTU(517, on: connection)
    discover(on: connection)
    subscribe(on: connection)
  }

  /// A document that the host writes to the peer, without an answer.
  package mutating func write(_ value: [UInt8], on connection: UInt16 = 0x40) {
    att([0x52, 0x12, 0] + value, from: .host, on: connection)
  }

  /// A document that the peer notifies to the host.
  package mutating func notify(
    _ value: [UInt8], on connection: UInt16 = 0x40, recorded: Int? = nil
  ) {
    att([0x1B, 0x12, 0] + value, from: .peer, on: connection, recorded: recorded.map { $0 + 3 })
  }

  private static func le(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}
