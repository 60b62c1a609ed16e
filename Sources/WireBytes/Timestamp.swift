/// An instant as nanoseconds since 1970-01-01T00:00:00Z, with the precision its source had.
public struct Timestamp: Sendable, Hashable, BitwiseCopyable {
  /// Nanoseconds since 1970, negative before.
  public var nanoseconds: Int64
  /// Whether the source counted nanoseconds (printed with nine decimals instead of six).
  public var isNanosecondPrecise: Bool

  /// Makes an instant from nanoseconds since 1970.
  @inlinable
  public init(nanoseconds: Int64, isNanosecondPrecise: Bool = false) {
    self.nanoseconds = nanoseconds
    self.isNanosecondPrecise = isNanosecondPrecise
  }

  /// Makes an instant from microseconds since 1970; values out of range are held at the limits.
  @inlinable
  public init(microseconds: Int64) {
    let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
    self.init(nanoseconds: overflow ? (microseconds < 0 ? .min : .max) : product)
  }

  /// Whether the source's time lies beyond what can be counted (1677 to 2262), so that it is none.
  @inlinable
  public var isHeldAtLimit: Bool { nanoseconds == .min || nanoseconds == .max }

  /// Nanoseconds from `other` to this instant, held at the limits of what has a magnitude: a
  /// caller may take it absolute, or negate it.
  @inlinable
  public func nanoseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    if overflow { return nanoseconds < other.nanoseconds ? -.max : .max }
    return max(difference, -.max)
  }

  /// The same without what a step of the clock has added.
  @inlinable
  public func nanoseconds(since other: Timestamp, without shift: Int64) -> Int64 {
    let span = nanoseconds(since: other)
    let (rest, overflow) = span.subtractingReportingOverflow(shift)
    return overflow ? (shift < 0 ? .max : -.max) : max(rest, -.max)
  }
}

extension Timestamp: Comparable {
  /// Earlier first; precision does not count.
  @inlinable
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// A calendar date and time of day in some zone, on the proleptic Gregorian calendar.
public struct CivilTime: Sendable, Equatable, BitwiseCopyable {
  /// The year, negative before 1 BC.
  public var year: Int
  /// From 1 to 12.
  public var month: Int
  /// From 1 to 31.
  public var day: Int
  /// From 0 to 23.
  public var hour: Int
  /// From 0 to 59.
  public var minute: Int
  /// From 0 to 59.
  public var second: Int
  /// From 0 to 999 999 999.
  public var nanosecond: Int

  /// The civil time of `timestamp` in a zone `offsetSeconds` east of Greenwich.
  public init(_ timestamp: Timestamp, offsetSeconds: Int = 0) {
    let nanosecondsPerDay: Int64 = 86_400_000_000_000
    let shifted = timestamp.nanoseconds.addingReportingOverflow(
      Int64(offsetSeconds) * 1_000_000_000)
    let total = shifted.overflow ? timestamp.nanoseconds : shifted.partialValue
    var days = total / nanosecondsPerDay
    var rest = total % nanosecondsPerDay
    if rest < 0 {
      rest += nanosecondsPerDay
      days -= 1
    }
    // Days to a date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let z = Int(days) + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    nanosecond = Int(rest % 1_000_000_000)
    let seconds = Int(rest / 1_000_000_000)
    hour = seconds / 3600
    minute = seconds / 60 % 60
    second = seconds % 60
  }

  /// Days since 1970-01-01 of a date; months and days out of range carry over.
  public static func days(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
