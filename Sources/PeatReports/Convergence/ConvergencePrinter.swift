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

  /// Makes a printer of a report.
  package init(_ report: ConvergenceReport, files: [String], start: Timestamp?) {
    self.report = report
    self.files = files
    self.start = start
  }

  func file(_ stamp: Stamp) -> String {
    let place = Int(stamp.capture)
    return files.indices.contains(place) ? files[place] : ""
  }

  func elapsed(_ stamp: Stamp) -> Int64 { start.map { stamp.time.nanoseconds(since: $0) } ?? 0 }

  func decimals(_ time: Timestamp) -> Int { time.isNanosecondPrecise ? 9 : 6 }
}
