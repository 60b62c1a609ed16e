import WireBytes

/// One interface of a pcapng section, and what its clock counts (formats.md 7).
struct PcapngInterface: Sendable {
  var link: LinkType
  var snapLength: UInt32 = 0
  /// Units of time in a second, where a second is a whole number of them that fits; else 0.
  var unitsPerSecond: UInt64 = 1_000_000
  /// Seconds to add to each time.
  var offsetSeconds: Int64 = 0

  init(link: LinkType) {
    self.link = link
  }

  /// if_tsresol: 10 to the minus n, or with bit 7 set, 2 to the minus n.
  mutating func setResolution(_ value: UInt8) {
    let exponent = Int(value & 0x7F)
    if value & 0x80 != 0 {
      unitsPerSecond = exponent < 64 ? 1 << UInt64(exponent) : 0
    } else {
      unitsPerSecond = exponent < 20 ? (0..<exponent).reduce(1) { units, _ in units * 10 } : 0
    }
  }

  /// The instant of a raw time; held at the limits.
  func time(_ raw: UInt64) -> Timestamp {
    guard unitsPerSecond > 0 else {
      return Timestamp(nanoseconds: 0, isNanosecondPrecise: true)
    }
    let (seconds, rest) = raw.quotientAndRemainder(dividingBy: unitsPerSecond)
    // rest < unitsPerSecond, so the quotient is below a thousand million.
    let product = rest.multipliedFullWidth(by: 1_000_000_000)
    let fraction = unitsPerSecond.dividingFullWidth(product).quotient
    let (whole, overflow) = Int64(clamping: seconds).addingReportingOverflow(offsetSeconds)
    let (scaled, tooMuch) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, tooLate) = scaled.addingReportingOverflow(Int64(fraction))
    let isLimit = overflow || tooMuch || tooLate
    return Timestamp(
      nanoseconds: isLimit ? (offsetSeconds < 0 && whole < 0 ? .min : .max) : sum,
      isNanosecondPrecise: unitsPerSecond > 1_000_000)
  }
}
