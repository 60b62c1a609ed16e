/// One message that both ends recorded: when it was sent, and when it arrived.
package struct ClockPair: Sendable, Equatable {
  /// The end whose clock is the reference: nanoseconds since 1970.
  package var reference: Int64
  /// The end whose clock is to be aligned: nanoseconds since 1970.
  package var other: Int64
  /// Whether the reference's end sent it.
  package var isSentByReference: Bool

  /// Makes a pair from its parts.
  package init(reference: Int64, other: Int64, isSentByReference: Bool) {
    self.reference = reference
    self.other = other
    self.isSentByReference = isSentByReference
  }
}

/// The offset and drift of a clock that messages in both directions allow.
///
/// No message arrives before it was sent. So the difference of the two clocks lies below what
/// every message of the reference shows and above what every message of the other end shows; the
/// line in the middle of the widest strip between the two is taken. Queues make single messages
/// late, which moves them away from the strip and not into it.
package struct ClockFit: Sendable, Equatable {
  /// Offset and drift.
  package var correction: ClockCorrection
  /// The offset cannot be further off than this, nanoseconds; nil where messages went one way
  /// only, so that nothing bounds it from the other side.
  package var uncertainty: Int64?
  /// What the drift may be off by; nil where none was fitted.
  package var driftUncertainty: Double?
  /// Messages of the reference, and of the other end, that were used.
  package var pairs: (forward: Int, backward: Int)
  /// Whether a message seems to arrive before it was sent whatever the offset: a clock was set.
  package var isConsistent: Bool

  package static func == (left: ClockFit, right: ClockFit) -> Bool {
    left.correction == right.correction && left.uncertainty == right.uncertainty
      && left.driftUncertainty == right.driftUncertainty && left.pairs == right.pairs
      && left.isConsistent == right.isConsistent
  }

  /// Messages in each direction, in each half of the span, that a drift needs.
  private static let minimumForDrift = 6
  /// The shortest span over which a drift is told from latency, seconds.
  private static let minimumSpan = 120.0
  /// Clocks of phones and boards do not drift apart more than this.
  private static let maximumDrift = 1e-3

  /// Fits a clock; nil where there is no message.
  package init?(_ pairs: [ClockPair]) {
    let kept = ClockFit.plausible(pairs)
    guard let origin = kept.map(\.reference).min() else { return nil }
    let base = kept[0].other &- kept[0].reference
    let points = kept.map { pair in
      Point(
        time: Double(pair.reference &- origin) / 1e9,
        difference: Double((pair.other &- pair.reference) &- base) / 1e9,
        isUpper: pair.isSentByReference)
    }
    let strip = Strip(points)
    self.pairs = (points.count { $0.isUpper }, points.count { !$0.isUpper })
    var slope = 0.0
    driftUncertainty = nil
    if ClockFit.allowsDrift(points) {
      let best = strip.bestSlope(within: ClockFit.maximumDrift)
      let deviation = ClockFit.deviation(points, of: best)
      // A drift that is no larger than its own error says nothing.
      if abs(best) > 2 * deviation || strip.gap(0).width < 0 {
        slope = best
        driftUncertainty = deviation
      }
    }
    let gap = strip.gap(slope)
    isConsistent = gap.width >= 0
    uncertainty = gap.isTwoSided ? Int64((abs(gap.width) / 2 * 1e9).rounded()) : nil
    correction = ClockCorrection(
      origin: origin, offset: base &+ Int64((gap.middle * 1e9).rounded()), drift: slope)
  }

  /// Drops what lies seconds off the rest: equal bytes that were not one message.
  private static func plausible(_ pairs: [ClockPair]) -> [ClockPair] {
    // Sums of wire values may wrap; what wrapped is not plausible.
    let sound = pairs.filter {
      !$0.other.subtractingReportingOverflow($0.reference).overflow
        && abs($0.reference / 4) < Int64.max / 8
    }
    guard sound.count > 2 else { return sound }
    let differences = sound.map { $0.other &- $0.reference }.sorted()
    let median = differences[differences.count / 2]
    let times = sound.map(\.reference)
    let span = (times.max() ?? 0).subtractingReportingOverflow(times.min() ?? 0).partialValue
    let tolerance = 2_000_000_000 + max(0, span) / 5_000
    return sound.filter {
      (($0.other &- $0.reference).subtractingReportingOverflow(median)).partialValue.magnitude
        <= tolerance.magnitude
    }
  }

  private static func allowsDrift(_ points: [Point]) -> Bool {
    guard let last = points.map(\.time).max(), last >= minimumSpan else { return false }
    for isUpper in [true, false] {
      let early = points.count { $0.isUpper == isUpper && $0.time < last / 2 }
      let late = points.count { $0.isUpper == isUpper && $0.time >= last / 2 }
      if min(early, late) < minimumForDrift { return false }
    }
    return true
  }

  /// How far the drift goes astray when every other message is missing: its root mean square over
  /// several ways to take one half. That of all messages is better by about as much as this is
  /// too large.
  private static func deviation(_ points: [Point], of slope: Double) -> Double {
    let ordered = points.sorted { $0.time < $1.time }
    var squares = 0.0
    for half in halves {
      let rest = ordered.indices.filter { half[$0 % half.count] }.map { ordered[$0] }
      let distance = Strip(rest).bestSlope(within: maximumDrift) - slope
      squares += distance * distance
    }
    return (squares / Double(halves.count)).squareRoot()
  }

  /// Which of eight successive messages are taken.
  private static let halves = [0b0101_0101, 0b0011_0011, 0b0110_0110, 0b0000_1111, 0b0011_1100]
    .flatMap { bits in [bits, ~bits] }
    .map { bits in (0..<8).map { bits >> $0 & 1 == 1 } }
}
