/// A packet that a reader may pass over, as its container tells it.
struct PassedPacket {
  /// Its H4 type (Core Specification Vol 4 Part A 2).
  var type = 0
  /// 0 where this host sent it, 1 where it received it, 2 where the container does not say.
  var way = 0
  var adapter = 0
  /// Its place in the record, and its length.
  var start = 0
  var count = 0
  /// When it was recorded: microseconds since 1970, and nanoseconds beyond.
  var time: Int64 = 0
  var rest: Int64 = 0
}

extension TrafficGate {
  /// Whether a whole packet says nothing that is wanted; if so, what it changes is noted here.
  @inline(__always)
  mutating func passes(_ packet: PassedPacket, _ bytes: PacketBytes, frame: Int) -> Bool {
    switch packet.type {
    case 2: return passesData(packet, bytes, frame: frame)
    case 4:
      guard TrafficGate.isQuietEvent(bytes) else { return false }
      counts.control &+= 1
    case 1:
      guard TrafficGate.isQuietCommand(bytes) else { return false }
      counts.control &+= 1
    case 3: counts.synchronous &+= 1
    case 5: counts.isochronous &+= 1
    default: return false
    }
    return true
  }

  /// Events that tell nothing of connections, addresses or who advertises.
  @inline(__always)
  private static func isQuietEvent(_ bytes: PacketBytes) -> Bool {
    let code = bytes.u8(0)
    if code == 0x13 { return true }
    guard bytes.count >= 3, bytes.u8(1) &+ 2 <= bytes.count else { return false }
    switch code {
    // Read BD_ADDR and Read RSSI were answered.
    case 0x0E:
      let opcode = bytes.u16(3)
      return bytes.u8(1) >= 3 && opcode != 0x1009 && opcode != 0x1405
    case 0x3E:
      switch bytes.u8(2) {
      case 0x01, 0x02, 0x03, 0x0A, 0x0C, 0x0D, 0x29: return false
      default: return bytes.u8(1) >= 1
      }
    case 0x03, 0x05, 0x08, 0x59: return false
    // A vendor's event may be this program's own note, which begins with its name.
    case 0xFF: return bytes.u8(2) != 0x70
    default: return true
    }
  }

  /// Commands that tell nothing of this host's addresses or of connections.
  @inline(__always)
  private static func isQuietCommand(_ bytes: PacketBytes) -> Bool {
    guard bytes.count >= 3 else { return false }
    switch bytes.u16(0) {
    case 0x0C03, 0x2005, 0x2035, 0x2006, 0x2036, 0x200D, 0x2043, 0x0406: return false
    // What a host advertises may be a mesh's.
    case 0x2008, 0x2037: return false
    default: return true
    }
  }

  @inline(__always)
  private mutating func passesData(
    _ packet: PassedPacket, _ bytes: PacketBytes, frame: Int
  ) -> Bool {
    let word = bytes.u16(0)
    let length = bytes.u16(2)
    guard bytes.count > 4, length &+ 4 == bytes.count,
      TrafficGate.covers(adapter: packet.adapter)
    else { return false }
    let row = Int(places[packet.adapter << 12 | word & 0x0FFF])
    let traffic = rows[row].traffic
    guard traffic != .unknown else { return false }
    let boundary = word >> 12 & 3
    let side: Int
    if packet.way < 2 {
      side = packet.way
    } else {
      // Without a direction, a start's flag tells it once a controller's was seen.
      guard boundary == 0 || boundary == 2, rows[row].flags & Flag.flushable != 0 else {
        return false
      }
      side = boundary >> 1
    }
    if boundary == 1 {
      let left = Int(rows[row].skipped[side].left)
      guard left > 0, length <= left else { return false }
      rows[row].skipped[side].left = UInt32(truncatingIfNeeded: left &- length)
      rows[row].isChanged = true
      counts.data &+= 1
      return true
    }
    guard length >= 4, rows[row].flags & Flag.pending(side) == 0, rows[row].skipped[side].left == 0
    else { return false }
    let announced = bytes.u16(4)
    let channel = bytes.u16(6)
    let whole = announced &+ 4
    guard whole >= length else { return false }
    let isPart = whole > length
    if traffic == .classic {
      guard channel != 1 else { return false }
      counts.data &+= 1
      return true
    }
    if channel == 4 {
      guard isPart ? length >= 11 : announced > 0 else { return false }
      let pdu = bytes.part(8, bytes.count &- 8)
      guard passesATT(row, side, pdu, announced, isPart: isPart, frame: frame) else {
        return false
      }
    } else if channel == 1 || channel == 5 || channel == 6 {
      return false
    }
    if isPart {
      rows[row].skipped[side] = Skipped(
        whole: UInt32(truncatingIfNeeded: whole),
        left: UInt32(truncatingIfNeeded: whole &- length))
      rows[row].isChanged = true
    }
    counts.data &+= 1
    return true
  }
}
