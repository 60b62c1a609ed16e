internal import WireBytes

/// The number of a node: 32 bits, shown as 8 upper-case hexadecimal digits (protocol.md 0.1).
@frozen
public struct NodeID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number itself.
  public var rawValue: UInt32

  /// Makes an id from its number.
  @inlinable @inline(__always)
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Reads 1 to 8 hexadecimal digits of either case, with or without `0x`; nil for other text.
  public init?(_ text: some StringProtocol) {
    var digits = Substring(text)
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
    let ascii = digits.utf8
    guard (1...8).contains(ascii.count) else { return nil }
    var value: UInt32 = 0
    for character in ascii {
      guard let digit = Hexadecimal.value(ofDigit: character) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    self.init(rawValue: value)
  }
}

extension NodeID: Comparable {
  /// The smaller number first, unsigned.
  @inlinable @inline(__always)
  public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }
}

extension NodeID: CustomStringConvertible {
  /// 8 upper-case hexadecimal digits.
  public var description: String { Hexadecimal.upper(UInt64(rawValue), width: 8) }
}
