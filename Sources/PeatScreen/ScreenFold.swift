import PeatReports
import PeatTimeline

/// A run of messages in which nothing changed, shown as one line.
struct ScreenFold: Sendable {
  /// Names that are told; of more, that there are others.
  private static let nameLimit = 4

  private(set) var count = 0
  private var names: [String] = []
  private var hasMore = false

  init(_ entry: ScreenEntry) { add(entry) }

  mutating func add(_ entry: ScreenEntry) {
    count += 1
    if names.contains(entry.line.who) { return }
    if names.count < ScreenFold.nameLimit { names.append(entry.line.who) } else { hasMore = true }
  }

  /// What the line says.
  var text: String {
    "\(count) unchanged: \(names.joined(separator: ", "))\(hasMore ? ", ..." : "")"
  }
}

extension ScreenEntry {
  /// Whether it tells nothing new and nothing odd.
  var isFoldable: Bool { line.isUnchanged && row.findings.isEmpty && !isMarked }
}
