import PeatReplay
import PeatTimeline
package import WireBytes

/// Convergence as CSV: a row for each update and each node that knew it or should have.
extension ConvergencePrinter {
  /// Appends the header and every row.
  package func appendCSV(to text: inout OutputText) {
    text.append(
      """
      update,origin,first_time,first_elapsed,first_file,first_frame,author,\
      node,known,known_time,known_elapsed,delay,known_file,known_frame

      """)
    for update in report.updates {
      var isAlone = true
      for knower in update.spread.knowers {
        appendStart(update, to: &text)
        text.append(csvID: knower.node)
        text.append(",true")
        append(knower.stamp, since: update.spread.first, to: &text)
        text.append("\n")
        isAlone = false
      }
      for node in update.never {
        appendStart(update, to: &text)
        text.append(csvID: node)
        text.append(",false,,,,,\n")
        isAlone = false
      }
      if isAlone {
        appendStart(update, to: &text)
        text.append(",,,,,,\n")
      }
    }
  }

  private func appendStart(
    _ update: ConvergenceReport.UpdateStory, to text: inout OutputText
  ) {
    let spread = update.spread
    text.append(raw: "\(spread.news),")
    text.append(csvID: spread.news.origin)
    append(spread.first, since: nil, to: &text)
    text.append(",")
    text.append(csvID: spread.author)
    text.append(",")
  }

  private func append(_ stamp: Stamp, since first: Stamp?, to text: inout OutputText) {
    let decimals = decimals(stamp.time)
    text.append(",")
    if stamp.isTimed { text.append(utc: stamp.time) }
    text.append(",")
    if let elapsed = elapsed(stamp) { text.append(seconds: elapsed, decimals: decimals) }
    text.append(",")
    if let first {
      if let delay = report.delay(of: stamp, since: first) {
        text.append(seconds: delay, decimals: decimals)
      }
      text.append(",")
    }
    text.append(csvField: file(stamp))
    text.append(",")
    text.append(decimal: Int(stamp.frame))
  }
}
