import CommandLineOptions
import PeatTimeline
import WireBytes

/// A date and time of day without a zone; without a date, on the capture's first day.
struct CivilMoment: Sendable, Equatable {
  var year: Int?
  var month = 1
  var day = 1
  var hour: Int
  var minute: Int
  var second: Int
  var nanosecond: Int
}

/// Reads the notations of cli.md, "A time T".
enum MomentParser {
  static let expectation =
    "expected seconds from the first packet (12.5, -3 from the end), a clock time (12:00:07.25) "
    + "or a date and time (2026-03-01T12:00:00Z)"

  static func parse(_ text: String) throws(InvalidValue) -> RawOptions.Moment {
    guard let anchor = anchor(text) else { throw InvalidValue(expectation) }
    return RawOptions.Moment(anchor: anchor, text: text)
  }

  private static func anchor(_ text: String) -> RawOptions.Moment.Anchor? {
    if text.contains("T") || text.contains("t") { return instant(text) }
    // A date and time as the text output shows them, or a date alone.
    if text.utf8.count >= 10, text.utf8.dropFirst(4).first == 0x2D {
      let parts = text.split(separator: " ")
      return instant(parts.count == 2 ? "\(parts[0])T\(parts[1])" : "\(text)T00:00")
    }
    if text.contains(":") { return clock(text[...]).map { .civil($0) } }
    let isNegative = text.hasPrefix("-")
    let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let nanoseconds = seconds(digits) else { return nil }
    return isNegative ? .end(nanoseconds) : .start(nanoseconds)
  }

  /// Digits with an optional point, as nanoseconds.
  private static func seconds(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = number(parts[0], maximum: 9_000_000_000) else {
      return nil
    }
    guard parts.count == 2 else { return Int64(whole) * 1_000_000_000 }
    guard let fraction = fraction(parts[1]) else { return nil }
    return Int64(whole) * 1_000_000_000 + Int64(fraction)
  }

  private static func number(_ text: Substring, maximum: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(text), value <= maximum
    else { return nil }
    return value
  }

  /// Up to nine digits behind a point, as nanoseconds.
  private static func fraction(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), let value = number(text, maximum: .max) else {
      return nil
    }
    return (text.utf8.count..<9).reduce(value) { value, _ in value * 10 }
  }

  private static func clock(_ text: Substring) -> CivilMoment? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let hour = number(parts[0], maximum: 23),
      let minute = number(parts[1], maximum: 59)
    else { return nil }
    var moment = CivilMoment(hour: hour, minute: minute, second: 0, nanosecond: 0)
    if parts.count == 3 {
      guard let nanoseconds = seconds(parts[2]), nanoseconds < 60_000_000_000 else { return nil }
      moment.second = Int(nanoseconds / 1_000_000_000)
      moment.nanosecond = Int(nanoseconds % 1_000_000_000)
    }
    return moment
  }

  /// `2026-03-01T12:00:00.5Z`, with `+01:00` in place of `Z`, or without a zone.
  private static func instant(_ text: String) -> RawOptions.Moment.Anchor? {
    let halves = text.uppercased().split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, date[0].utf8.count == 4, let year = number(date[0], maximum: 9999),
      let month = number(date[1], maximum: 12), month > 0,
      let day = number(date[2], maximum: 31), day > 0,
      CivilTime.days(year: year, month: month, day: day)
        < CivilTime.days(year: year, month: month + 1, day: 1)
    else { return nil }
    var rest = halves[1]
    var zone: Int?
    if rest.hasSuffix("Z") {
      rest = rest.dropLast()
      zone = 0
    } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let offset = clock(rest[rest.index(after: sign)...]) else { return nil }
      let magnitude = offset.hour * 3600 + offset.minute * 60
      zone = rest[sign] == "-" ? -magnitude : magnitude
      rest = rest[..<sign]
    }
    guard var moment = clock(rest) else { return nil }
    moment.year = year
    moment.month = month
    moment.day = day
    guard let zone else { return .civil(moment) }
    return .instant(moment.nanoseconds(offsetSeconds: zone))
  }
}

extension CivilMoment {
  /// Nanoseconds since 1970 in a zone `offsetSeconds` east of Greenwich; the date must be set.
  func nanoseconds(offsetSeconds: Int) -> Int64 {
    let days = CivilTime.days(year: year ?? 1970, month: month, day: day)
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offsetSeconds
    let (product, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ Int64(nanosecond)
  }
}

extension RawOptions {
  /// The first option that names a time before the last packet, as typed; nil where none does.
  var timeBeforeEnd: String? {
    for (name, moment) in [("--from", from), ("--to", to), ("--at", at)] {
      if let moment, moment.isBeforeEnd { return "\(name) \(moment.text)" }
    }
    return filters.first(where: RawOptions.namesTimeBeforeEnd).map { "--filter '\($0)'" }
  }

  /// Whether a filter expression compares with a time before the last packet.
  static func namesTimeBeforeEnd(_ expression: String) -> Bool {
    let found = FoundTimes()
    _ = try? RowFilter(expression) { text in
      guard let moment = try? MomentParser.parse(text) else { return nil }
      if moment.isBeforeEnd { found.isBeforeEnd = true }
      return 0
    }
    return found.isBeforeEnd
  }

  /// What a parser of filters was asked; it holds on to its question no longer than the call.
  private final class FoundTimes {
    var isBeforeEnd = false
  }
}

extension RawOptions.Moment {
  /// Whether it counts from the last packet.
  var isBeforeEnd: Bool { if case .end = anchor { true } else { false } }
}
