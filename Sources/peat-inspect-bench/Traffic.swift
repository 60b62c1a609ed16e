import WireBytes

/// A generator of random numbers with a seed, so that every run writes the same capture.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  // SplitMix64, by Sebastiano Vigna (public domain).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Writes btsnoop records of attribute traffic that has nothing to do with Peat: heart rates,
/// lamps, keyboards. One of the four connections was never discovered.
struct Traffic {
  static let connections = 4
  private var generator: SeededGenerator
  private var microseconds: UInt64 = 0x00DC_DDB3_0F2F_8000 + 1_760_000_000_000_000
  private(set) var writer = ByteWriter(capacity: 1 << 21)

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    writer.append("btsnoop\0".utf8)
    writer.be32(1)
    writer.be32(1002)
    for handle in 0..<Traffic.connections { open(UInt16(handle + 1)) }
  }

  /// Hands over what was written so far.
  mutating func take() -> [UInt8] {
    defer { writer = ByteWriter(capacity: 1 << 21) }
    return writer.bytes
  }

  private mutating func record(isReceived: Bool, isEvent: Bool, _ packet: [UInt8]) {
    microseconds += 1 + generator.next() % 2000
    writer.be32(UInt32(packet.count))
    writer.be32(UInt32(packet.count))
    writer.be32((isReceived ? 1 : 0) | (isEvent ? 2 : 0))
    writer.be32(0)
    writer.be64(microseconds)
    writer.append(packet)
  }

  private mutating func open(_ handle: UInt16) {
    var event = ByteWriter()
    event.append([0x04, 0x3E, 19, 0x01, 0x00])
    event.le16(handle)
    event.append([0, 1])
    event.le48(0xC000_0000_0000 | UInt64(handle))
    event.append([0x18, 0, 0, 0, 0x2A, 0, 0])
    record(isReceived: true, isEvent: true, event.bytes)
    guard handle != Traffic.connections else { return }
    att(handle, isReceived: false, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    var answer: [UInt8] = [0x09, 7]
    for number in 0..<8 {
      let place = UInt8(2 + number * 4)
      answer += [place, 0, 0x12, place + 1, 0, UInt8(0x37 + number), 0x2A]
    }
    att(handle, isReceived: true, answer)
  }

  private mutating func att(_ handle: UInt16, isReceived: Bool, _ pdu: [UInt8]) {
    var packet = ByteWriter(capacity: pdu.count + 9)
    packet.u8(2)
    packet.le16(handle | (isReceived ? 0x2000 : 0))
    packet.le16(UInt16(pdu.count + 4))
    packet.le16(UInt16(pdu.count))
    packet.le16(4)
    packet.append(pdu)
    record(isReceived: isReceived, isEvent: false, packet.bytes)
  }

  /// Writes one packet: mostly notifications, then writes, then credits that go back.
  mutating func step() {
    let dice = generator.next()
    let handle = UInt16(dice % UInt64(Traffic.connections)) + 1
    let attribute = UInt8(3 + dice >> 8 % 8 * 4)
    switch dice >> 16 % 16 {
    case 0:
      record(
        isReceived: true, isEvent: true,
        [0x04, 0x13, 5, 1, UInt8(handle), 0, 1, 0])
    case 1, 2: att(handle, isReceived: false, value(0x52, attribute, dice))
    default: att(handle, isReceived: true, value(0x1B, attribute, dice))
    }
  }

  private mutating func value(_ opcode: UInt8, _ attribute: UInt8, _ dice: UInt64) -> [UInt8] {
    var pdu: [UInt8] = [opcode, attribute, 0]
    let length = 8 + Int(dice >> 32 % 112)
    var word: UInt64 = 0
    for index in 0..<length {
      if index % 8 == 0 { word = generator.next() }
      pdu.append(UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8)))
    }
    return pdu
  }
}
