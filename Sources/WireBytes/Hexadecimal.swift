/// Hexadecimal text of bytes, and bytes of hexadecimal text.
public enum Hexadecimal {
  /// Lower-case digits of `bytes`, two a byte, nothing between.
  public static func string(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.underestimatedCount * 2)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Upper-case digits of `value`, padded with zeros to `width`.
  public static func upper(_ value: UInt64, width: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// The bytes that `text` spells; nil when a character is no digit or one is left over.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    bytes(ascii: Array(text.utf8))
  }

  /// The bytes that ASCII digits spell; nil when one is no digit or one is left over.
  public static func bytes(ascii digits: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for character in digits {
      guard let value = value(ofDigit: character) else { return nil }
      if let first = high {
        result.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return result
  }

  /// The value of one ASCII digit of either case; nil when it is none.
  @inlinable @inline(__always)
  public static func value(ofDigit character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character &- 0x30
    case 0x41...0x46: character &- 0x37
    case 0x61...0x66: character &- 0x57
    default: nil
    }
  }

  /// The lower-case ASCII digit of a value from 0 to 15.
  @inlinable @inline(__always)
  public static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? nibble &+ 0x30 : nibble &+ 0x57
  }
}
