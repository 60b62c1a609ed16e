/// Which of several logs of one phone is the newer one, by their names and first records.
enum LogAge {
  /// Whether `left` is older. Dates in the names count first, then the times of the first records,
  /// then the order of the names, in which numbers count as numbers.
  static func isOlder(_ left: ListedMember, than right: ListedMember) -> Bool {
    if let one = date(left.base), let other = date(right.base), one != other {
      return one.lexicographicallyPrecedes(other)
    }
    if let one = firstTime(left.head), let other = firstTime(right.head), one != other {
      return one < other
    }
    return keys(left.base).lexicographicallyPrecedes(keys(right.base))
  }

  /// The digits of a name from a year on: `a_20250102_0304.cfa` and `a_2025-01-02-03-04.cfa` give
  /// 202501020304. Nil where no year is followed by a month and a day.
  private static func date(_ name: String) -> [UInt8]? {
    let runs = name.utf8.split { !(0x30...0x39).contains($0) }.map(Array.init)
    for (index, run) in runs.enumerated() where run.count == 4 || run.count >= 8 {
      guard run.starts(with: Array("20".utf8)) else { continue }
      let digits = Array(runs[index...].joined().prefix(14))
      if digits.count >= 8 { return digits }
    }
    return nil
  }

  /// Microseconds of a btsnoop log's first record, by the file's own clock.
  private static func firstTime(_ head: [UInt8]) -> UInt64? {
    guard head.count >= 40, head.starts(with: Array("btsnoop\u{0}".utf8)) else { return nil }
    return head[32..<40].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A name in parts of which numbers compare by length first.
  private static func keys(_ name: String) -> [Int] {
    var keys: [Int] = []
    var number: Int?
    for byte in name.utf8.prefix(1024) {
      if (0x30...0x39).contains(byte) {
        number = min((number ?? 0) * 10 + Int(byte - 0x30), 1 << 50)
      } else {
        if let number { keys.append(number) }
        number = nil
        // Letters stay behind all numbers.
        keys.append(1 << 51 | Int(byte))
      }
    }
    if let number { keys.append(number) }
    return keys
  }
}

/// How to get a bug report that holds a log (formats.md 5).
enum BugReportAdvice {
  static let text =
    "set \"Enable Bluetooth HCI snoop log\" to \"Enabled\" in the phone's developer options, switch "
    + "Bluetooth off and on, repeat what is to be seen, and take the report then"
}
