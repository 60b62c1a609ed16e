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
    let milliseconds = until.map { moment -> Int32 in
      let left = moment > now() ? moment - now() : 0
      return Int32(clamping: (left + 999_999) / 1_000_000)
    }
    return try Readiness.wait(for: descriptors, milliseconds: milliseconds)
  }
}
