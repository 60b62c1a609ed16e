import WireBytes

/// The ways in which other tools write bytes: `02:00`, `02 00`, `02-00`, `0x0200`, `0x02, 0x00`,
/// an initialiser of C in braces, and Wireshark's escaped string `"\x02\x00"`.
///
/// Bare digits are read apart, faster; only what is none of them comes here.
enum HexSpelling {
  /// The bytes of a text that is written in one of these ways; nil for any other.
  ///
  /// Marks stand between bytes only: `0 2` is no byte, and what is no mark, prefix or digit makes
  /// the whole text another.
  static func bytes(_ text: RawSpan) -> [UInt8]? {
    var characters = [UInt8]()
    characters.reserveCapacity(text.byteCount)
    for offset in 0..<text.byteCount {
      // In bounds: the loop ends at the count.
      characters.append(unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
    }
    return bytes(initialiser(in: characters[...]))
  }

  /// What stands between braces, where there are any: `uint8_t frame[2] = { 0x02, 0x00 };`.
  private static func initialiser(in characters: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let open = characters.firstIndex(of: UInt8(ascii: "{")),
      let close = characters.lastIndex(of: UInt8(ascii: "}")), open < close
    else { return characters }
    return characters[(open + 1)..<close]
  }

  private static func bytes(_ characters: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = characters
    while let first = rest.first {
      let prefix = prefix(of: rest)
      // A backslash alone ends the line of an escaped string that goes on.
      if isMark(first) || prefix == nil && first == UInt8(ascii: "\\") {
        rest.removeFirst()
        continue
      }
      if prefix != nil { rest.removeFirst(2) }
      let digits = rest.prefix { Hexadecimal.value(ofDigit: $0) != nil }
      rest.removeFirst(digits.count)
      switch prefix {
      case .escape where digits.count != 2: return nil
      // A byte of a list may lack its leading zero.
      case .number where digits.count == 1:
        bytes += digits.compactMap { Hexadecimal.value(ofDigit: $0) }
      default:
        guard !digits.isEmpty, let read = Hexadecimal.bytes(ascii: digits) else { return nil }
        bytes += read
      }
    }
    return bytes.isEmpty ? nil : bytes
  }

  private enum Prefix { case number, escape }

  private static func prefix(of text: ArraySlice<UInt8>) -> Prefix? {
    guard let first = text.first, let second = text.dropFirst().first,
      second | 0x20 == UInt8(ascii: "x")
    else { return nil }
    if first == UInt8(ascii: "0") { return .number }
    return first == UInt8(ascii: "\\") ? .escape : nil
  }

  private static func isMark(_ character: UInt8) -> Bool {
    switch character {
    case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: ","),
      UInt8(ascii: ";"), UInt8(ascii: "\""):
      true
    default: false
    }
  }
}
