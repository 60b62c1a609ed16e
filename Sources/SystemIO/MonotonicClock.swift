import Glibc

/// The clocks of the machine. The C function is clock_gettime(2).
package enum MonotonicClock {
  /// Nanoseconds since some fixed moment; never runs backwards.
  package static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since 1970 UTC by the clock on the wall, which can be put.
  package static func wallNanoseconds() -> UInt64 { read(CLOCK_REALTIME) }

  /// Nanoseconds that the machine has slept since it was started, which `nanoseconds` leaves out.
  package static func sleptNanoseconds() -> UInt64 {
    let (awake, all) = (read(CLOCK_MONOTONIC), read(CLOCK_BOOTTIME))
    return all > awake ? all - awake : 0
  }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}
