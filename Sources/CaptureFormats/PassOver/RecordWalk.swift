/// One kind of container while records of it are passed over: where a record's packet lies.
protocol RecordWalk {
  /// Reads a record's header; gives the record's whole length, or 0 where it is not beyond doubt.
  func record(_ bytes: PacketBytes, _ packet: inout PassedPacket) -> Int
}

/// How packets lie in a container's records, of the ways that are passed over.
enum PacketWrapping: Sendable {
  case h4
  case h4WithDirection
  case monitor

  init?(_ link: LinkType) {
    switch link {
    case .hciH4: self = .h4
    case .hciH4WithDirection: self = .h4WithDirection
    case .linuxMonitor: self = .monitor
    case .hciUnencapsulated, .linkLayer, .linkLayerWithRadioHeader, .nordic, .nordicUser, .ppi,
      .usbmon, .usbmonPadded, .usbpcap, .packetLogger, .btsnooz, .other:
      return nil
    }
  }

  /// Finds type and place of a packet of `count` bytes behind `start`; false where it has none.
  @inline(__always)
  func unwrap(
    _ bytes: PacketBytes, start: Int, count: Int, way: Int, _ packet: inout PassedPacket
  ) -> Bool {
    switch self {
    case .h4:
      guard count >= 1 else { return false }
      packet.type = bytes.u8(start)
      packet.way = way
      packet.start = start &+ 1
      packet.count = count &- 1
    case .h4WithDirection:
      guard count >= 5 else { return false }
      packet.type = bytes.u8(start &+ 4)
      packet.way = bytes.u8(start &+ 3) & 1
      packet.start = start &+ 5
      packet.count = count &- 5
    case .monitor:
      guard count >= 4 else { return false }
      packet.adapter = bytes.u8(start) << 8 | bytes.u8(start &+ 1)
      packet.start = start &+ 4
      packet.count = count &- 4
      return PacketWrapping.setMonitor(bytes.u8(start &+ 2) << 8 | bytes.u8(start &+ 3), &packet)
    }
    return true
  }

  /// The packet that an opcode of the Linux monitor names (formats.md 3).
  @inline(__always)
  static func setMonitor(_ opcode: Int, _ packet: inout PassedPacket) -> Bool {
    packet.way = opcode & 1
    switch opcode {
    case 2: packet.type = 1
    case 3: packet.type = 4
    case 4, 5: packet.type = 2
    case 6, 7: packet.type = 3
    case 18, 19: packet.type = 5
    default: return false
    }
    return true
  }
}

/// btsnoop records (formats.md 2).
struct BTSnoopWalk: RecordWalk {
  var link: LinkType
  var origin: Int64
  var drops: UInt32

  @inline(__always)
  func record(_ bytes: PacketBytes, _ packet: inout PassedPacket) -> Int {
    guard bytes.count > 24 else { return 0 }
    let lengths = bytes.u64(0)
    let original = UInt32(truncatingIfNeeded: lengths)
    let included = Int(original.byteSwapped)
    guard original == UInt32(truncatingIfNeeded: lengths >> 32), included > 0,
      included <= bytes.count &- 24, bytes.u32(12).byteSwapped == drops
    else { return 0 }
    packet.time = Int64(bitPattern: bytes.u64(16).byteSwapped) &- origin
    let flags = bytes.u32(8).byteSwapped
    if link == .hciH4 {
      packet.type = bytes.u8(24)
      packet.way = Int(flags & 1)
      packet.start = 25
      packet.count = included &- 1
    } else {
      packet.start = 24
      packet.count = included
      if link == .linuxMonitor {
        packet.adapter = Int(flags >> 16)
        guard PacketWrapping.setMonitor(Int(flags & 0xFFFF), &packet) else { return 0 }
      } else {
        packet.way = Int(flags & 1)
        packet.type = flags & 2 == 0 ? 2 : flags & 1 == 0 ? 1 : 4
      }
    }
    return 24 &+ included
  }
}

/// pcap records (formats.md 7).
struct PcapWalk: RecordWalk {
  var wrapping: PacketWrapping
  var isBig: Bool
  var isNano: Bool

  @inline(__always)
  func record(_ bytes: PacketBytes, _ packet: inout PassedPacket) -> Int {
    guard bytes.count > 16 else { return 0 }
    let seconds = number(bytes.u32(0))
    let fraction = number(bytes.u32(4))
    let captured = Int(number(bytes.u32(8)))
    guard bytes.u32(8) == bytes.u32(12), captured > 0, captured <= bytes.count &- 16,
      fraction < (isNano ? 1_000_000_000 : 1_000_000)
    else { return 0 }
    let micro = isNano ? fraction / 1000 : fraction
    packet.time = Int64(seconds) &* 1_000_000 &+ Int64(micro)
    packet.rest = isNano ? Int64(fraction &- micro &* 1000) : 0
    guard wrapping.unwrap(bytes, start: 16, count: captured, way: 2, &packet) else { return 0 }
    return 16 &+ captured
  }

  @inline(__always)
  private func number(_ raw: UInt32) -> UInt32 { isBig ? raw.byteSwapped : raw }
}

/// Enhanced packet blocks of pcapng whose only option is their direction (formats.md 7).
struct PcapngWalk: RecordWalk {
  /// What is known of one interface, the first four of a section.
  struct Interface {
    var wrapping = PacketWrapping.h4
    var isUsable = false
    var isNano = false

    init(_ interface: PcapngInterface?) {
      guard let interface, interface.offsetSeconds == 0, let found = PacketWrapping(interface.link),
        interface.unitsPerSecond == 1_000_000 || interface.unitsPerSecond == 1_000_000_000
      else { return }
      wrapping = found
      isUsable = true
      isNano = interface.unitsPerSecond == 1_000_000_000
    }
  }

  var isBig: Bool
  var first: Interface
  var second: Interface
  var third: Interface
  var fourth: Interface

  @inline(__always)
  func record(_ bytes: PacketBytes, _ packet: inout PassedPacket) -> Int {
    let length = Int(number(bytes.u32(4)))
    guard bytes.count >= 32, number(bytes.u32(0)) == 6, length >= 32, length & 3 == 0,
      length <= bytes.count, bytes.u32(length &- 4) == bytes.u32(4)
    else { return 0 }
    let place = Int(number(bytes.u32(8)))
    let captured = Int(number(bytes.u32(20)))
    guard bytes.u32(20) == bytes.u32(24), captured <= length &- 32 else { return 0 }
    let interface = place == 0 ? first : place == 1 ? second : place == 2 ? third : fourth
    guard place < 4, interface.isUsable else { return 0 }
    var way = 2
    let options = 28 &+ (captured &+ 3) & ~3
    if options < length &- 4 {
      guard option(bytes, options) == 2, option(bytes, options &+ 2) == 4,
        options &+ 8 == length &- 4
          || (options &+ 12 == length &- 4 && bytes.u32(options &+ 8) == 0)
      else { return 0 }
      switch number(bytes.u32(options &+ 4)) & 3 {
      case 1: way = 1
      case 2: way = 0
      default: break
      }
    }
    let raw = UInt64(number(bytes.u32(12))) << 32 | UInt64(number(bytes.u32(16)))
    guard raw < 1 << 62 else { return 0 }
    let micro = interface.isNano ? raw / 1000 : raw
    packet.time = Int64(micro)
    packet.rest = interface.isNano ? Int64(raw &- micro &* 1000) : 0
    packet.adapter = place
    guard interface.wrapping.unwrap(bytes, start: 28, count: captured, way: way, &packet) else {
      return 0
    }
    return length
  }

  @inline(__always)
  private func number(_ raw: UInt32) -> UInt32 { isBig ? raw.byteSwapped : raw }

  @inline(__always)
  private func option(_ bytes: PacketBytes, _ place: Int) -> Int {
    let raw = UInt16(truncatingIfNeeded: bytes.u16(place))
    return Int(isBig ? raw.byteSwapped : raw)
  }
}

/// PacketLogger records (formats.md 4).
struct PacketLoggerWalk: RecordWalk {
  var isBig: Bool

  @inline(__always)
  func record(_ bytes: PacketBytes, _ packet: inout PassedPacket) -> Int {
    let claimed = Int(number(bytes.u32(0)))
    let fraction = number(bytes.u32(8))
    guard bytes.count >= 13, claimed >= 9, claimed &+ 4 <= bytes.count, fraction < 1_000_000 else {
      return 0
    }
    packet.time = Int64(number(bytes.u32(4))) &* 1_000_000 &+ Int64(fraction)
    packet.start = 13
    packet.count = claimed &- 9
    switch bytes.u8(12) {
    case 0: packet.type = 1
    case 1: packet.type = 4
    case 2:
      packet.type = 2
      packet.way = 0
    case 3:
      packet.type = 2
      packet.way = 1
    default: return 0
    }
    return claimed &+ 4
  }

  @inline(__always)
  private func number(_ raw: UInt32) -> UInt32 { isBig ? raw.byteSwapped : raw }
}
