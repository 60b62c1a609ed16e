import PeatProtocol
import PeatReplay
import PeatTimeline

/// How updates spread, as a page draws it: who learnt of whom how fast, and every update in time.
struct ReportSpread {
  /// Rows, and updates, of the picture of the spread.
  private static let rowLimit = 24
  private static let stripLimit = 1000
  /// From these nanoseconds on a delay has the next colour.
  private static let steps: [Int64] = [1_000_000_000, 3_000_000_000, 6_000_000_000, 12_000_000_000]

  /// What the node of a row learnt of the node of a column.
  struct Cell {
    /// Without updates that the node's own message was the first to show.
    var delay: Quantiles?
    var brought = 0
  }

  private(set) var rows: [NodeID] = []
  private(set) var columns: [NodeID] = []
  private(set) var cells: [[Cell]] = []
  /// For each row one character an update, the worst of those that share a column: `0` to `4` a
  /// colour, `x` never known, `.` nothing to know.
  private(set) var strips: [String] = []
  private(set) var perColumn = 1

  init(_ input: ReportInput, _ nodes: ReportNodes) {
    let report = input.convergence
    let stories = report.nodes.filter { nodes[$0.node] >= 0 }
    rows = Array(stories.prefix(ReportSpread.rowLimit).map(\.node))
    let origins = Set(report.updates.map(\.spread.news.origin))
    columns = Array(nodes.ids.filter { origins.contains($0) }.prefix(ReportSpread.rowLimit))
    guard !rows.isEmpty, !columns.isEmpty else { return }
    fill(report)
  }

  private mutating func fill(_ report: ConvergenceReport) {
    let rowPlaces = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, $0) })
    let columnPlaces = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
    var delays = [[[Int64]]](
      repeating: [[Int64]](repeating: [], count: columns.count), count: rows.count)
    var brought = [[Int]](repeating: [Int](repeating: 0, count: columns.count), count: rows.count)
    perColumn = max(
      1, (report.updates.count + ReportSpread.stripLimit - 1) / ReportSpread.stripLimit)
    let width = (report.updates.count + perColumn - 1) / perColumn
    var colours = [[UInt8]](repeating: [UInt8](repeating: 0, count: width), count: rows.count)
    for (place, update) in report.updates.enumerated() {
      let spread = update.spread
      let column = columnPlaces[spread.news.origin]
      for knower in spread.knowers {
        guard let row = rowPlaces[knower.node] else { continue }
        let delay = report.delay(of: knower.stamp, since: spread.first)
        let isBringer = knower.node == spread.author
        if let column {
          if isBringer {
            brought[row][column] += 1
          } else if let delay {
            delays[row][column].append(delay)
          }
        }
        let colour = delay.map { delay in
          UInt8(1 + (ReportSpread.steps.firstIndex { delay < $0 } ?? ReportSpread.steps.count))
        }
        if let colour {
          colours[row][place / perColumn] = max(colours[row][place / perColumn], colour)
        }
      }
      for node in update.never {
        if let row = rowPlaces[node] { colours[row][place / perColumn] = 6 }
      }
    }
    cells = rows.indices.map { row in
      columns.indices.map { column in
        Cell(delay: Quantiles(delays[row][column]), brought: brought[row][column])
      }
    }
    let letters: [Character] = [".", "0", "1", "2", "3", "4", "x"]
    strips = colours.map { String($0.map { letters[Int($0)] }) }
  }
}
