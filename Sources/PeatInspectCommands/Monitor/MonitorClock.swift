import SystemIO

/// The clock of a live run, and the way it waits; tests put a clock that jumps.
protocol MonitorClock {
  /// Nanoseconds since some fixed moment.
  func now() -> UInt64

  /// Nanoseconds that the machine has slept so far, which `now` leaves out.
  func slept() -> UInt64

  /// Waits until a descriptor can be read, a signal comes, or the moment `until` is there.
  func wait(for descriptors: [Int32], until: UInt64?) throws(Errno) -> [Bool]
}

/// The machine's monotonic clock.
struct SystemClock: MonitorClock {
  func now() -> UInt64 { MonotonicClock.nanoseconds() }
  func slept() -> UInt64 { MonotonicClock.sleptNanoseconds() }

  func wait(for descriptors: [Int32], until: UInt64?) throws(Errno) -> [Bool] {
    // One look at the clock: between two, the moment may pass.
    let now = now()
    return try Readiness.wait(
      for: descriptors, milliseconds: until.map { SystemClock.milliseconds(from: now, until: $0) })
  }

  /// Whole milliseconds up to a moment, none where it has passed.
  static func milliseconds(from now: UInt64, until moment: UInt64) -> Int32 {
    let (left, isOver) = moment.subtractingReportingOverflow(now)
    if isOver { return 0 }
    return Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
  }
}
