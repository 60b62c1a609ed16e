package import WireBytes

extension OutputText {
  /// Appends an instant as ISO 8601 in UTC: six decimals, nine where the source has nanoseconds.
  package mutating func append(utc time: Timestamp) {
    let civil = CivilTime(time)
    append(date: civil)
    append("T")
    append(clock: civil, decimals: time.isNanosecondPrecise ? 9 : 6)
    append("Z")
  }

  /// Appends `2026-03-01`.
  package mutating func append(date civil: CivilTime) {
    append(decimal: civil.year, width: 4)
    append("-")
    append(decimal: civil.month, width: 2)
    append("-")
    append(decimal: civil.day, width: 2)
  }

  /// Appends `11:33:57.481`, with as many decimals as told.
  package mutating func append(clock civil: CivilTime, decimals: Int) {
    append(decimal: civil.hour, width: 2)
    append(":")
    append(decimal: civil.minute, width: 2)
    append(":")
    append(decimal: civil.second, width: 2)
    guard decimals > 0 else { return }
    append(".")
    append(fraction: civil.nanosecond, decimals: decimals)
  }

  /// Appends a span of nanoseconds as seconds with a point.
  package mutating func append(seconds nanoseconds: Int64, decimals: Int) {
    if nanoseconds < 0 { append("-") }
    let magnitude = nanoseconds.magnitude
    append(decimal: magnitude / 1_000_000_000)
    append(".")
    append(fraction: Int(magnitude % 1_000_000_000), decimals: decimals)
  }

  private mutating func append(fraction nanoseconds: Int, decimals: Int) {
    var value = nanoseconds
    for _ in decimals..<9 { value /= 10 }
    append(decimal: value, width: decimals)
  }
}
