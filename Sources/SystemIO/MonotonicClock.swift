import Glibc

/// The clocks of the machine. The C function is clock_gettime(2).
package enum MonotonicClock {
  /// Nanoseconds since some fixed moment; never runs backwards.
  package static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds since 1970 UTC by the clock on the wall, which can be put.
  package static func wallNanoseconds() -> UInt64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}
