package import PeatDissection
import PeatReplay
package import PeatTimeline
package import WireBytes

/// A convergence report with what is needed to print it.
package struct ConvergencePrinter {
  package let report: ConvergenceReport
  /// The captures as named, by `Stamp.capture`.
  package let files: [String]
  /// The first packet of the earliest capture.
  package let start: Timestamp?
  private let clocks: [ClockSteps]

  /// Makes a printer of a report.
  package init(
    _ report: ConvergenceReport, files: [String], start: Timestamp?, clocks: [ClockSteps] = []
  ) {
    self.clocks = clocks
    self.report = report
    self.files = files
    self.start = start
  }

  func file(_ stamp: Stamp) -> String {
    let place = Int(stamp.capture)
    return files.indices.contains(place) ? files[place] : ""
  }

  /// Nanoseconds from the first packet, without what steps of the capture's clock add.
  func elapsed(_ stamp: Stamp) -> Int64? {
    guard stamp.isTimed else { return nil }
    guard let start else { return 0 }
    let place = Int(stamp.capture)
    let shift = clocks.indices.contains(place) ? clocks[place].shift(at: Int(stamp.frame)) : 0
    return max(0, stamp.time.nanoseconds(since: start, without: shift))
  }

  func decimals(_ time: Timestamp) -> Int { time.isNanosecondPrecise ? 9 : 6 }
}
