import Glibc

/// The time zone of this machine or of `TZ`, as tzset(3) reads it once at the start.
package struct LocalTimeZone: Sendable {
  /// A date and time of day without a zone, in the Gregorian calendar.
  package struct CivilTime: Sendable, Equatable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// Makes a civil time from its parts; `instant(of:)` checks them.
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
      self.year = year
      self.month = month
      self.day = day
      self.hour = hour
      self.minute = minute
      self.second = second
    }
  }

  /// Reads the zone.
  package init() { tzset() }

  /// Seconds east of UTC at an instant, 0 where the C library cannot say. The C function is
  /// localtime_r(3).
  ///
  /// - Parameter seconds: seconds since 1970 UTC.
  package func offset(at seconds: Int64) -> Int {
    var instant = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&instant, &parts) != nil else { return 0 }
    return unsafe Int(parts.tm_gmtoff)
  }

  /// The instant of a civil time in seconds since 1970 UTC, or nil where a part is out of range or
  /// the clock was put forward over it. Of two such instants the C library takes one. The C function
  /// is mktime(3).
  package func instant(of time: CivilTime) -> Int64? {
    guard (1...9999).contains(time.year), (1...12).contains(time.month),
      (1...31).contains(time.day), (0...23).contains(time.hour), (0...59).contains(time.minute),
      (0...59).contains(time.second)
    else { return nil }
    // `tm` holds a pointer to the zone's name, which nothing here follows.
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(time.year - 1900)
    unsafe parts.tm_mon = Int32(time.month - 1)
    unsafe parts.tm_mday = Int32(time.day)
    unsafe parts.tm_hour = Int32(time.hour)
    unsafe parts.tm_min = Int32(time.minute)
    unsafe parts.tm_sec = Int32(time.second)
    // Whether summer time holds is for the zone to say.
    unsafe parts.tm_isdst = -1
    let seconds = unsafe mktime(&parts)
    // mktime carries what overflows (31 April becomes 1 May) and moves what the clock jumped over.
    // -1 is a valid instant too; where it stands for an error, tm_isdst was left negative.
    let sameDay = unsafe parts.tm_mday == Int32(time.day) && parts.tm_mon == Int32(time.month - 1)
    let sameHour = unsafe parts.tm_hour == Int32(time.hour) && parts.tm_min == Int32(time.minute)
    guard sameDay, sameHour, unsafe parts.tm_isdst >= 0 else { return nil }
    return Int64(seconds)
  }
}
