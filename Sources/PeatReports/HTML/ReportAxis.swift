package import PeatDissection
import PeatReplay
package import WireBytes

/// The time axis of a page: microseconds from the first packet, without what steps of clocks add.
package struct ReportAxis: Sendable {
  package let start: Timestamp?
  private let files: [String: Int]
  private let clocks: [ClockSteps]

  /// `clocks` are those of the captures in the order of `files`.
  package init(start: Timestamp?, files: [String], clocks: [ClockSteps]) {
    self.start = start
    self.clocks = clocks
    self.files = Dictionary(
      files.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The place of a capture among all; the first for an unknown name.
  func place(of file: String) -> Int { files[file] ?? 0 }

  /// Where a moment lies, of a packet of a capture.
  func microseconds(_ time: Timestamp?, file: String, frame: Int) -> Int? {
    guard let time, let start else { return nil }
    let place = place(of: file)
    let shift = clocks.indices.contains(place) ? clocks[place].shift(at: frame) : 0
    return Int(max(0, time.nanoseconds(since: start, without: shift)) / 1000)
  }

  /// Where the steps of the only capture's clock lie, each with the microseconds that the clock
  /// shows too much from there on: several captures stand on one clock.
  var steps: [(at: Int, shift: Int)] {
    guard clocks.count == 1, let clock = clocks.first, let start else { return [] }
    return clock.all.prefix(256).map { step in
      let shift = clock.shift(at: step.frame)
      return (Int(step.after.nanoseconds(since: start, without: shift) / 1000), Int(shift / 1000))
    }
  }

  /// The steps of every capture's clock, with what they say.
  var hazards: [(file: Int, step: ClockStep)] {
    clocks.enumerated().flatMap { place, clock in clock.all.prefix(64).map { (place, $0) } }
  }
}
