internal import WireBytes

/// The texts that the reference takes for node ids, with its own leniencies.
extension NodeID {
  /// Reads base-16 text as Rust's parser of numbers does: one optional `+`, then digits of a
  /// number below 2^32, however many zeros lead it.
  public init?(baseSixteen text: some StringProtocol) {
    var digits = Substring(text).utf8
    if digits.first == 0x2B { digits = digits.dropFirst() }
    guard !digits.isEmpty else { return nil }
    var value: UInt32 = 0
    for character in digits {
      guard let digit = Hexadecimal.value(ofDigit: character), value <= UInt32.max >> 4 else {
        return nil
      }
      value = value << 4 | UInt32(digit)
    }
    self.init(rawValue: value)
  }

  /// Reads what the reference's `NodeId::parse` accepts: any number of `0x`, then any number of
  /// `0X`, then a number as in ``init(baseSixteen:)``.
  public init?(referenceText text: String) {
    var rest = Substring(text)
    while rest.hasPrefix("0x") { rest = rest.dropFirst(2) }
    while rest.hasPrefix("0X") { rest = rest.dropFirst(2) }
    self.init(baseSixteen: rest)
  }

  /// The id that a node derives from its device address: the last 4 of the 6 printed bytes
  /// (protocol.md 1.6).
  public init(deviceAddress: UInt64) {
    self.init(rawValue: UInt32(truncatingIfNeeded: deviceAddress))
  }

  /// Reads the text of a device address, six numbers of base 16 up to FF between colons, and
  /// derives the id from it; nil for any other text.
  public init?(deviceAddressText text: String) {
    let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var address: UInt64 = 0
    for part in parts {
      guard let byte = NodeID(baseSixteen: Substring(part)), byte.rawValue <= 0xFF else {
        return nil
      }
      address = address << 8 | UInt64(byte.rawValue)
    }
    self.init(deviceAddress: address)
  }
}
