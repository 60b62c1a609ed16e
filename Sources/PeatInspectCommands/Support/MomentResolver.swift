import CommandLineOptions
import SystemIO
import WireBytes

/// Turns times as typed into instants, once the captures' first and last packets are known.
struct MomentResolver {
  var first: Timestamp
  /// Looked up only where a time counts from the end; nil where there is none yet.
  var last: () -> Timestamp?
  var isUTC: Bool

  /// The instant; nil where it counts from an end that is not known.
  func resolve(_ moment: RawOptions.Moment) -> Int64? {
    switch moment.anchor {
    case .start(let nanoseconds): return add(first.nanoseconds, nanoseconds)
    case .end(let nanoseconds): return last().map { add($0.nanoseconds, -nanoseconds) }
    case .instant(let nanoseconds): return nanoseconds
    case .civil(let civil): return instant(civil)
    }
  }

  /// A time as typed, nil where it is none or cannot be told.
  func instant(of text: String) -> Int64? {
    guard let moment = try? MomentParser.parse(text) else { return nil }
    return resolve(moment)
  }

  private func instant(_ civil: CivilMoment) -> Int64 {
    let zone = LocalTimeZone()
    var moment = civil
    if moment.year == nil {
      let offset = isUTC ? 0 : zone.offset(at: first.nanoseconds / 1_000_000_000)
      let day = CivilTime(first, offsetSeconds: offset)
      moment.year = day.year
      moment.month = day.month
      moment.day = day.day
    }
    if isUTC { return moment.nanoseconds(offsetSeconds: 0) }
    let local = LocalTimeZone.CivilTime(
      year: moment.year ?? 1970, month: moment.month, day: moment.day, hour: moment.hour,
      minute: moment.minute, second: moment.second)
    guard let seconds = zone.instant(of: local) else {
      // A time that the clock jumped over: count on in the zone's offset of that day.
      return moment.nanoseconds(
        offsetSeconds: zone.offset(at: first.nanoseconds / 1_000_000_000))
    }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ Int64(moment.nanosecond)
  }

  private func add(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}
