package import WireBytes

/// How one capture's clock is turned into that of the first capture (cli.md, "Several captures").
///
/// The capture shows `reference + offset + drift * (reference - origin)`.
package struct ClockCorrection: Sendable, Equatable {
  /// The moment by the reference's clock at which the offset holds, nanoseconds since 1970.
  package var origin: Int64
  /// How far the capture's clock is ahead then, nanoseconds.
  package var offset: Int64
  /// How much faster it goes: 40e-6 gains 40 microseconds a second.
  package var drift: Double

  /// Makes a correction from its parts.
  package init(origin: Int64, offset: Int64, drift: Double = 0) {
    self.origin = origin
    self.offset = offset
    self.drift = drift
  }

  /// The reference's clock when the capture's own showed `time`; held at the limits.
  package func referenceTime(of time: Int64) -> Int64 {
    let (shifted, overflow) = time.subtractingReportingOverflow(offset)
    if overflow { return offset < 0 ? .max : .min }
    if drift == 0 { return shifted }
    let (elapsed, isFar) = shifted.subtractingReportingOverflow(origin)
    if isFar { return shifted }
    // The part that drifts is small, so that a Double holds it to the nanosecond.
    let gained = (Double(elapsed) * (drift / (1 + drift))).rounded()
    guard let nanoseconds = Int64(exactly: gained) else { return shifted }
    return shifted &- nanoseconds
  }

  /// The instant by the reference's clock.
  package func referenceTime(of time: Timestamp) -> Timestamp {
    var corrected = time
    corrected.nanoseconds = referenceTime(of: time.nanoseconds)
    return corrected
  }

  /// How far the capture's clock is ahead when it shows `time`, nanoseconds.
  package func offset(at time: Int64) -> Int64 {
    let (difference, overflow) = time.subtractingReportingOverflow(referenceTime(of: time))
    return overflow ? offset : difference
  }
}
