internal import WireBytes

/// A 128-bit identifier in the order in which it is printed; the air carries it backwards.
@frozen
public struct PeatUUID: Hashable, Sendable, BitwiseCopyable {
  /// The first 16 printed digits.
  public var high: UInt64
  /// The last 16 printed digits.
  public var low: UInt64

  /// Makes an identifier from its two halves.
  @inlinable @inline(__always)
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Widens a 16-bit identifier with the Bluetooth base UUID
  /// (Core Specification Vol 3 Part B 2.5.1).
  @inlinable @inline(__always)
  public init(short: UInt16) {
    high = UInt64(short) << 32 | 0x1000
    low = 0x8000_0080_5F9B_34FB
  }

  /// The 16-bit form, for an identifier on the Bluetooth base; nil for any other.
  public var short: UInt16? {
    guard low == 0x8000_0080_5F9B_34FB, high & 0xFFFF_0000_FFFF_FFFF == 0x1000 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// This identifier with `value` in its printed bytes 2 and 3, as the library derives the
  /// characteristics of a service (protocol.md 1.1).
  public func replacingBytes2And3(with value: UInt16) -> PeatUUID {
    PeatUUID(high: high & 0xFFFF_0000_FFFF_FFFF | UInt64(value) << 32, low: low)
  }
}

extension PeatUUID: CustomStringConvertible {
  /// The usual 36 characters in lower case.
  public var description: String {
    var bytes: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: high >> UInt64(shift)))
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(shift)))
    }
    let parts = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
    return parts.map { Hexadecimal.string($0) }.joined(separator: "-")
  }
}
