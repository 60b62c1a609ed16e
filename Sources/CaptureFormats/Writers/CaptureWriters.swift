public import WireBytes

/// Builds a btsnoop file in memory (formats.md 2).
public struct BTSnoopWriter: Sendable {
  /// The file so far.
  public private(set) var output: ByteWriter

  /// Begins a file of datalink 1001, 1002 or 2001.
  public init(datalink: UInt32 = 1002) {
    output = ByteWriter(capacity: 4096)
    output.append(Array("btsnoop\u{0}".utf8))
    output.be32(1)
    output.be32(datalink)
  }

  /// Appends a record whose packet was `originalLength` bytes long before it was cut.
  ///
  /// `flags` as formats.md 2 and 3 lay them out; bit 0 is the direction, set for received.
  public mutating func append(
    _ packet: [UInt8], flags: UInt32, time: Timestamp, originalLength: Int? = nil,
    drops: UInt32 = 0
  ) {
    output.be32(UInt32(clamping: originalLength ?? packet.count))
    output.be32(UInt32(clamping: packet.count))
    output.be32(flags)
    output.be32(drops)
    let microseconds = floored(time.nanoseconds, 1000)
    output.be64(UInt64(bitPattern: microseconds &+ btsnoopEpoch))
    output.append(packet)
  }

  /// Takes what was written and leaves the writer empty, for writing in parts.
  public mutating func drain() -> [UInt8] { output.drain() }
}

/// Builds a pcap file in memory (formats.md 7).
public struct PcapWriter: Sendable {
  /// The file so far.
  public private(set) var output: ByteWriter
  private let isBigEndian: Bool
  private let isNanosecond: Bool

  /// Begins a file of a link type, in either byte order and time unit.
  public init(
    linkType: UInt32, isNanosecond: Bool = false, isBigEndian: Bool = false,
    snapLength: UInt32 = 262_144
  ) {
    output = ByteWriter(capacity: 4096)
    self.isBigEndian = isBigEndian
    self.isNanosecond = isNanosecond
    put(isNanosecond ? 0xA1B2_3C4D : 0xA1B2_C3D4)
    // Version 2.4: two fields of 16 bits.
    if isBigEndian {
      output.be16(2)
      output.be16(4)
    } else {
      output.le16(2)
      output.le16(4)
    }
    put(0)
    put(0)
    put(snapLength)
    put(linkType)
  }

  /// Appends a record whose packet was `originalLength` bytes long before it was cut.
  public mutating func append(_ packet: [UInt8], time: Timestamp, originalLength: Int? = nil) {
    let seconds = floored(time.nanoseconds, 1_000_000_000)
    let rest = time.nanoseconds &- seconds &* 1_000_000_000
    put(UInt32(clamping: seconds))
    put(UInt32(clamping: isNanosecond ? rest : rest / 1000))
    put(UInt32(clamping: packet.count))
    put(UInt32(clamping: originalLength ?? packet.count))
    output.append(packet)
  }

  /// Takes what was written and leaves the writer empty, for writing in parts.
  public mutating func drain() -> [UInt8] { output.drain() }

  private mutating func put(_ value: UInt32) {
    if isBigEndian { output.be32(value) } else { output.le32(value) }
  }
}

/// Divides rounding down, so that times before 1970 keep their fraction positive.
func floored(_ value: Int64, _ unit: Int64) -> Int64 {
  let quotient = value / unit
  return value % unit < 0 ? quotient - 1 : quotient
}

extension ByteWriter {
  mutating func drain() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }
}
