import CommandLineOptions

/// How far one capture's clock is ahead of the first one's, as the user says.
struct FileOffset: Sendable, Equatable {
  var file: String
  var nanoseconds: Int64
}

/// Reads `FILE=SECONDS`.
enum FileOffsetText {
  static func parse(_ text: String) throws(InvalidValue) -> FileOffset {
    guard let equals = text.lastIndex(of: "="), equals > text.startIndex,
      let nanoseconds = nanoseconds(text[text.index(after: equals)...])
    else { throw InvalidValue("expected FILE=SECONDS, such as b.btsnoop=-4.9") }
    return FileOffset(file: String(text[..<equals]), nanoseconds: nanoseconds)
  }

  private static func nanoseconds(_ text: Substring) -> Int64? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = number(parts[0], maximum: 9_000_000_000)
    else { return nil }
    var value = Int64(whole) * 1_000_000_000
    if parts.count == 2 {
      let fraction = parts[1]
      guard (1...9).contains(fraction.utf8.count), let digits = number(fraction, maximum: .max)
      else { return nil }
      value += Int64((fraction.utf8.count..<9).reduce(digits) { value, _ in value * 10 })
    }
    return isNegative ? -value : value
  }

  private static func number(_ text: Substring, maximum: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), value <= maximum
    else { return nil }
    return value
  }
}
