import WireBytes

/// When the packets of a replayed capture are due.
struct ReplayPace {
  /// Seconds of the capture in one second; 0 plays without any pause.
  let speed: Double
  /// The machine's and the capture's moments from which time is counted.
  private var anchor: (now: UInt64, time: Int64)?
  /// Nanoseconds of the capture from its first packet to the last one handed over.
  private(set) var latest: UInt64 = 0

  init(speed: Double) { self.speed = speed }

  /// The first packet with a time begins the replay.
  mutating func begin(_ time: Timestamp?, at now: UInt64) {
    if anchor == nil, let time { anchor = (now, time.nanoseconds) }
  }

  /// A packet is handed over.
  mutating func reach(_ time: Timestamp?) { latest = max(latest, elapsed(time)) }

  /// Nanoseconds of the capture since its first packet.
  func moment(at now: UInt64) -> UInt64 {
    guard let anchor, speed > 0, now >= anchor.now else { return latest }
    return max(latest, UInt64(min(Double(now - anchor.now) * speed, 1e18)))
  }

  /// Whether a packet's time has come.
  func isDue(_ time: Timestamp?, at now: UInt64) -> Bool {
    speed == 0 || elapsed(time) <= moment(at: now)
  }

  /// The machine's moment at which a packet is due.
  func due(_ time: Timestamp?) -> UInt64? {
    guard let anchor, speed > 0 else { return nil }
    return anchor.now &+ UInt64(min((Double(elapsed(time)) / speed).rounded(.up), 1e18))
  }

  /// Nanoseconds from the first packet; a clock that was put back does not count.
  private func elapsed(_ time: Timestamp?) -> UInt64 {
    guard let time, let anchor else { return latest }
    let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(anchor.time)
    return overflow ? latest : UInt64(max(0, difference))
  }
}
