import Testing

/// A container with times of its own, for captures whose stamps lie anywhere in what it can hold.
package enum StampedContainer: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case btsnoop, btsnoopMonitor, pcap, pcapNanoseconds, pcapBigEndian
  case pcapng, pcapngSeconds, pcapngPicoseconds, pcapngBinary, pcapngLowOffset, pcapngHighOffset
  case packetLogger, hcidump, btsnooz

  package var testDescription: String { rawValue }

  /// Raw stamps at the ends of the range and at its seams, ascending (formats.md 2 to 7).
  package var seams: [UInt64] {
    switch self {
    case .btsnoop, .btsnoopMonitor:
      // A signed number of microseconds from the year 0: ascending as a number, not as bits.
      [
        UInt64(bitPattern: .min), UInt64(bitPattern: .min + 1), UInt64(bitPattern: -1), 0, 1,
        0x00DC_DDB3_0F2F_8000, 0x00E0_3AB4_4A67_6000, UInt64(Int64.max) - 1, UInt64(Int64.max),
      ]
    case .pcap, .pcapNanoseconds, .pcapBigEndian, .packetLogger, .hcidump:
      // Seconds above the fraction, 32 bits each.
      [
        0, 1, 999_999, 1 << 32, 0x65E0_0000 << 32, 0x7FFF_FFFF << 32, 0x8000_0000 << 32,
        UInt64(UInt32.max) << 32, UInt64(UInt32.max) << 32 | 999_999, .max,
      ]
    case .pcapng, .pcapngSeconds, .pcapngPicoseconds, .pcapngBinary, .pcapngLowOffset,
      .pcapngHighOffset:
      [0, 1, 1_770_000_000, 1_770_000_000_000_000, UInt64(Int64.max), 1 << 63, .max - 1, .max]
    case .btsnooz:
      // The deltas of 32 bits; the last stamp's upper half becomes the header's time.
      [0, 1, 1_000_000, 0x7FFF_FFFF, 0x8000_0000, UInt64(UInt32.max), .max]
    }
  }

  /// One list of stamps for `count` packets for each way in which times can lie.
  package func patterns(count: Int) -> [[UInt64]] {
    let seams = seams
    guard let low = seams.first, let high = seams.last, count > 1 else { return [] }
    let half = count / 2
    var lists = [
      (0..<count).map { $0 < half ? low : high }, (0..<count).map { $0 < half ? high : low },
      (0..<count).map { $0 & 1 == 0 ? low : high },
      // In threes, as a far jump is taken only where the record behind it agrees.
      (0..<count).map { seams[$0 / 3 % seams.count] },
    ]
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    // Any at all; some readers take a far jump only where the record behind it agrees.
    for run in [1, 3] {
      lists.append(
        (0..<count).map { index in
          if index % run == 0 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
          }
          return state
        })
    }
    return lists
  }

  /// The stamps that say when the packets were recorded.
  package func stamps(of packets: [CaptureBuilder.Packet]) -> [UInt64] {
    var before = packets.first?.microseconds ?? 0
    return packets.map { packet in
      let time = packet.microseconds
      let seconds = UInt64(time / 1_000_000)
      let fraction = UInt64(time % 1_000_000)
      switch self {
      case .btsnoop, .btsnoopMonitor: return UInt64(time + 0x00DC_DDB3_0F2F_8000)
      case .pcap, .pcapBigEndian, .packetLogger, .hcidump: return seconds << 32 | fraction
      case .pcapNanoseconds: return seconds << 32 | fraction * 1000
      case .pcapng, .pcapngLowOffset, .pcapngHighOffset: return UInt64(time)
      case .pcapngSeconds: return seconds
      case .pcapngPicoseconds: return (seconds & 0xFFFF) * 1_000_000_000_000 + fraction * 1_000_000
      // 64 bits hold 213 days of picoseconds, and two seconds of 2^-63 s.
      case .pcapngBinary: return fraction * 9_223_372_036_854
      case .btsnooz:
        defer { before = time }
        return UInt64(time - before)
      }
    }
  }

  /// A file of this container with these packets and stamps.
  package func file(_ packets: [CaptureBuilder.Packet], stamps: [UInt64]) -> [UInt8] {
    var writer = StampWriter(container: self)
    for (packet, stamp) in zip(packets, stamps) { writer.append(packet, stamp) }
    return writer.finished(last: stamps.last ?? 0)
  }
}

/// Writes one capture; the layouts are those of formats.md 2 to 7.
private struct StampWriter {
  let container: StampedContainer
  private var bytes: [UInt8] = []

  init(container: StampedContainer) {
    self.container = container
    switch container {
    case .btsnoop: bytes = Array("btsnoop\u{0}".utf8) + big(1, 4) + big(1002, 4)
    case .btsnoopMonitor: bytes = Array("btsnoop\u{0}".utf8) + big(1, 4) + big(2001, 4)
    case .pcap: bytes = pcapHeader(0xA1B2_C3D4) { little($0, $1) }
    case .pcapNanoseconds: bytes = pcapHeader(0xA1B2_3C4D) { little($0, $1) }
    case .pcapBigEndian: bytes = pcapHeader(0xA1B2_C3D4) { big($0, $1) }
    case .pcapng: bytes = section(resolution: 6, offset: 0)
    case .pcapngSeconds: bytes = section(resolution: 0, offset: 0)
    case .pcapngPicoseconds: bytes = section(resolution: 12, offset: 0)
    case .pcapngBinary: bytes = section(resolution: 0x80 | 63, offset: 0)
    case .pcapngLowOffset: bytes = section(resolution: 6, offset: .min)
    case .pcapngHighOffset: bytes = section(resolution: 6, offset: .max)
    case .packetLogger, .hcidump, .btsnooz: bytes = []
    }
  }

  mutating func append(_ packet: CaptureBuilder.Packet, _ stamp: UInt64) {
    let data = packet.bytes
    let size = UInt64(data.count)
    let way: UInt64 = packet.isReceived ? 1 : 0
    switch container {
    case .btsnoop:
      bytes += big(size, 4) + big(size, 4) + big(way, 4) + big(0, 4) + big(stamp, 8) + data
    case .btsnoopMonitor:
      let opcodes: [UInt8: UInt64] = [1: 2, 2: 4 + way, 4: 3]
      let opcode = opcodes[data[0]] ?? 12
      bytes += big(size - 1, 4) + big(size - 1, 4) + big(opcode, 4) + big(0, 4) + big(stamp, 8)
      bytes += data.dropFirst()
    case .pcap, .pcapNanoseconds, .pcapBigEndian:
      let isBig = container == .pcapBigEndian
      func number(_ value: UInt64) -> [UInt8] { isBig ? big(value, 4) : little(value, 4) }
      bytes += number(stamp >> 32) + number(stamp & 0xFFFF_FFFF) + number(size + 4)
      bytes += number(size + 4) + big(way, 4) + data
    case .pcapng, .pcapngSeconds, .pcapngPicoseconds, .pcapngBinary, .pcapngLowOffset,
      .pcapngHighOffset:
      let body = big(way, 4) + data
      let padding = [UInt8](repeating: 0, count: (4 - body.count & 3) & 3)
      var block = little(0, 4) + little(stamp >> 32, 4) + little(stamp & 0xFFFF_FFFF, 4)
      block += little(UInt64(body.count), 4) + little(UInt64(body.count), 4) + body + padding
      bytes += self.block(6, block)
    case .packetLogger:
      let types: [UInt8: UInt8] = [1: 0, 2: packet.isReceived ? 3 : 2, 4: 1]
      bytes += big(size + 8, 4) + big(stamp >> 32, 4) + big(stamp & 0xFFFF_FFFF, 4)
      bytes += [types[data[0]] ?? 0xFC] + data.dropFirst()
    case .hcidump:
      bytes += little(size, 2) + [packet.isReceived ? 1 : 0, 0]
      bytes += little(stamp >> 32, 4) + little(stamp & 0xFFFF_FFFF, 4) + data
    case .btsnooz:
      let types: [UInt8: UInt8] = [1: 0x20, 2: packet.isReceived ? 0x11 : 0x21, 4: 0x10]
      bytes += little(size, 2) + little(size, 2) + little(stamp & 0xFFFF_FFFF, 4)
      bytes += [types[data[0]] ?? 0] + data.dropFirst()
    }
  }

  func finished(last: UInt64) -> [UInt8] {
    guard container == .btsnooz else { return bytes }
    return [2] + little(last, 8) + stored(bytes)
  }

  /// A zlib stream of stored blocks (RFC 1950 and 1951).
  private func stored(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var low: UInt64 = 1
    var high: UInt64 = 0
    for byte in data {
      low = (low + UInt64(byte)) % 65_521
      high = (high + low) % 65_521
    }
    var rest = data[...]
    repeat {
      let part = rest.prefix(0xFFFF)
      rest = rest.dropFirst(part.count)
      stream += [rest.isEmpty ? 1 : 0] + little(UInt64(part.count), 2)
      stream += little(UInt64(~part.count & 0xFFFF), 2) + part
    } while !rest.isEmpty
    return stream + big(high << 16 | low, 4)
  }

  private func pcapHeader(_ magic: UInt64, _ number: (UInt64, Int) -> [UInt8]) -> [UInt8] {
    number(magic, 4) + number(2, 2) + number(4, 2) + number(0, 4) + number(0, 4)
      + number(65_535, 4) + number(201, 4)
  }

  private func section(resolution: UInt8, offset: Int64) -> [UInt8] {
    let header = little(0x1A2B_3C4D, 4) + little(1, 2) + little(0, 2) + little(.max, 8)
    var interface = little(201, 2) + little(0, 2) + little(0, 4)
    interface += little(9, 2) + little(1, 2) + [resolution, 0, 0, 0]
    interface += little(14, 2) + little(8, 2) + little(UInt64(bitPattern: offset), 8)
    interface += little(0, 4)
    return block(0x0A0D_0D0A, header) + block(1, interface)
  }

  private func block(_ type: UInt64, _ body: [UInt8]) -> [UInt8] {
    let length = little(UInt64(body.count + 12), 4)
    return little(type, 4) + length + body + length
  }
}

private func big(_ value: UInt64, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(count - 1 - $0))) }
}

private func little(_ value: UInt64, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
}
