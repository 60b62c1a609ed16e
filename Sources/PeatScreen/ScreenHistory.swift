import PeatProtocol
package import PeatReports
package import PeatTimeline

/// A message in the history of a view.
package struct ScreenEntry: Sendable {
  /// Counts messages of the run from 1.
  package var number: Int
  package var row: TimelineRow
  package var line: LiveLine
  package var isMarked = false

  /// What a filter looks at.
  var searched: String {
    let node = row.message.node?.description ?? ""
    return "\(line.who) \(node) \(row.message.kind.rawValue) \(line.text)".lowercased()
  }
}

/// The last messages of a run, a bounded number.
package struct ScreenHistory: Sendable {
  /// Messages that can be gone back to.
  package static let limit = 4096

  package private(set) var entries: [ScreenEntry] = []
  package private(set) var total = 0

  package init() {}

  package mutating func append(_ row: TimelineRow, _ line: LiveLine) {
    total += 1
    entries.append(ScreenEntry(number: total, row: row, line: line))
    // In parts, as moving the array for each message would cost more.
    if entries.count >= ScreenHistory.limit + 512 { entries.removeFirst(512) }
  }

  package func index(of number: Int) -> Int? {
    guard let first = entries.first?.number, number >= first, number - first < entries.count
    else { return nil }
    return number - first
  }

  package mutating func toggleMark(_ number: Int) {
    if let index = index(of: number) { entries[index].isMarked.toggle() }
  }
}
