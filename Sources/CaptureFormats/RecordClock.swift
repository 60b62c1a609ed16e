import WireBytes

/// Turns a container's own time into an instant, and judges whether a time fits the ones before.
struct RecordClock: Sendable {
  /// A year and a day: a jump further than this from the record before is worth a second look.
  static let jump: Int64 = 366 * 86_400_000_000
  /// A second: the clock may have been put where a record lies further than this from the one
  /// before, so that it is looked at.
  static let step: Int64 = 1_000_000

  /// The container's time of 1970 in its own units.
  var origin: Int64 = 0
  /// Microseconds of one unit.
  var scale: Int64 = 1
  /// The latest time, in microseconds since 1970, and whether there is one.
  var latest: Int64 = 0
  var hasLatest = false

  /// Microseconds since 1970 of a raw time; held at the limits.
  @inline(__always)
  func microseconds(_ raw: Int64) -> Int64 {
    let (shifted, low) = raw.subtractingReportingOverflow(origin)
    if low { return raw < 0 ? .min : .max }
    if scale == 1 { return shifted }
    let (scaled, high) = shifted.multipliedReportingOverflow(by: scale)
    return high ? (shifted < 0 ? .min : .max) : scaled
  }

  /// Whether a time lies within a year of the latest one.
  @inline(__always)
  func isNear(_ microseconds: Int64) -> Bool {
    if !hasLatest { return true }
    let (difference, overflow) = microseconds.subtractingReportingOverflow(latest)
    return !overflow && difference < Self.jump && difference > -Self.jump
  }

  @inline(__always)
  mutating func note(_ microseconds: Int64) {
    latest = microseconds
    hasLatest = true
  }

  mutating func forget() { hasLatest = false }
}

/// Whether an instant is one that a Bluetooth capture can have: 1990 to 2100.
func isCredible(microseconds: Int64) -> Bool {
  microseconds >= 631_152_000_000_000 && microseconds < 4_102_444_800_000_000
}
