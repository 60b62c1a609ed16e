public import WireBytes

/// A UUID of the attribute protocol; 16- and 32-bit ones are held expanded over the base UUID.
///
/// Core Specification Vol 3 Part B, 2.5.1.
public struct BluetoothUUID: Sendable, Hashable, BitwiseCopyable {
  /// The first eight bytes as printed.
  public var high: UInt64
  /// The last eight bytes as printed.
  public var low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// Makes a UUID from its two halves in printed order.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Expands a 16-bit UUID over the base UUID.
  public init(_ short: UInt16) {
    self.init(high: UInt64(short) << 32 | BluetoothUUID.baseHigh, low: BluetoothUUID.baseLow)
  }

  /// Parses 4 digits or the 36-character form, in either case.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    if digits.count == 4, let short = UInt16(text, radix: 16), digits.first != 0x2B {
      self.init(short)
      return
    }
    guard digits.count == 36 else { return nil }
    for (index, character) in digits.enumerated() {
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      guard isDash == (character == 0x2D) else { return nil }
    }
    guard let bytes = Hexadecimal.bytes(ascii: digits.filter { $0 != 0x2D }) else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for byte in bytes.prefix(8) { high = high << 8 | UInt64(byte) }
    for byte in bytes.suffix(8) { low = low << 8 | UInt64(byte) }
    self.init(high: high, low: low)
  }

  /// The 16-bit form, when this is one over the base UUID.
  public var short: UInt16? {
    guard low == BluetoothUUID.baseLow, high & 0xFFFF_FFFF == BluetoothUUID.baseHigh,
      high >> 48 == 0
    else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// Reads a UUID of `size` 2 or 16 bytes, least significant byte first.
  ///
  /// - Throws: `DecodeError` of kind `invalidValue` for another size.
  public init(_ reader: inout ByteReader, size: Int) throws(DecodeError) {
    switch size {
    case 2: self.init(try reader.le16())
    case 16:
      guard reader.remaining >= 16 else {
        throw DecodeError(
          kind: .truncated, layer: reader.layer, offset: reader.offset, needed: 16,
          available: reader.remaining)
      }
      let low = try reader.le64()
      self.init(high: try reader.le64(), low: low)
    default:
      throw DecodeError(
        kind: .invalidValue, layer: reader.layer, offset: reader.offset, needed: 2,
        available: size)
    }
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// Lower case: 4 digits where the 16-bit form exists, else 36 characters.
  public var description: String {
    var digits: [UInt8] = []
    if let short {
      for shift in [12, 8, 4, 0] {
        digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: short >> UInt16(shift)) & 15))
      }
    } else {
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 { digits.append(0x2D) }
        let half = index < 16 ? high : low
        let shift = UInt64(60 - (index % 16) * 4)
        digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: half >> shift) & 15))
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
