import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatReports
package import PeatTimeline
import WireBytes

/// A message in the history of a view.
package struct ScreenEntry: Sendable {
  /// Counts messages of the run from 1.
  package var number: Int
  package var row: TimelineRow
  package var line: LiveLine
  package var moment: ScreenMoment
  /// Whether it is wanted at all; what is not counts only for the state.
  package var isShown = true
  package var isMarked = false

  /// Whether somebody's distress was heard for the first time.
  package var beginsEmergency: Bool {
    row.effect.firstSeen.contains {
      if case .emergency = $0 { true } else { false }
    }
  }

  /// What a plain text is looked for in.
  var searched: String {
    let node = row.message.node?.description ?? ""
    return "\(line.who) \(node) \(row.message.kind.rawValue) \(line.text)".lowercased()
  }
}

/// What its owner knew when a message came, besides the state of the mesh.
package struct ScreenMoment: Sendable, Equatable {
  package var packets = 0
  package var drops = 0
  /// The signal of the author's last advertisement, in dBm.
  package var rssi: Int?

  package init() {}
}

/// The last messages of a run, a bounded number, and the state of the mesh at each of them.
///
/// The state is kept after every 512th message; of those between, it is joined again.
package struct ScreenHistory: Sendable {
  /// Messages that can be gone back to, at the least.
  package static let limit = 4096
  private static let interval = 512

  package private(set) var entries: [ScreenEntry] = []
  package private(set) var total = 0
  private var checkpoints = [Checkpoint()]

  /// What was known after a message.
  struct Checkpoint: Sendable {
    var number = 0
    var state = MeshState()
    var rssi: [NodeID: Int] = [:]
  }

  package init() {}

  /// Appends a message; `state` is that of the mesh after it.
  mutating func append(
    _ row: TimelineRow, _ line: LiveLine, _ moment: ScreenMoment, state: MeshState,
    isShown: Bool
  ) {
    total += 1
    entries.append(
      ScreenEntry(number: total, row: row, line: line, moment: moment, isShown: isShown))
    guard total % ScreenHistory.interval == 0 else { return }
    var checkpoint = Checkpoint(number: total, state: state)
    if let last = checkpoints.last {
      checkpoint.rssi = last.rssi
      for entry in entries.suffix(total - last.number) { entry.tellSignal(&checkpoint.rssi) }
    }
    checkpoints.append(checkpoint)
    // In parts, as moving the array for each message would cost more.
    guard entries.count >= ScreenHistory.limit + ScreenHistory.interval else { return }
    entries.removeFirst(ScreenHistory.interval)
    checkpoints.removeAll { $0.number < entries[0].number - 1 }
  }

  package func index(of number: Int) -> Int? {
    guard let first = entries.first?.number, number >= first, number - first < entries.count
    else { return nil }
    return number - first
  }

  package func entry(_ number: Int) -> ScreenEntry? { index(of: number).map { entries[$0] } }

  package mutating func toggleMark(_ number: Int) {
    if let index = index(of: number) { entries[index].isMarked.toggle() }
  }

  /// What was known right after a message of the history.
  func known(after number: Int) -> Checkpoint {
    var known = checkpoints.last { $0.number <= number } ?? Checkpoint()
    guard known.number < number, let first = index(of: known.number + 1),
      let last = index(of: number)
    else { return known }
    for entry in entries[first...last] {
      entry.tellSignal(&known.rssi)
      // What was refused, cancelled or cut is never joined (cli.md).
      guard entry.row.value.outcome == nil, !entry.row.value.isCutByCapture else { continue }
      _ = known.state.join(entry.row.message, at: entry.row.value.time ?? .init(nanoseconds: 0))
    }
    known.number = number
    return known
  }

  /// Messages and bytes a second in the ten seconds up to a message.
  func rates(upTo number: Int) -> (messages: Double, bytes: Double) {
    let span: Int64 = 10_000_000_000
    guard let last = index(of: number), let end = entries[last].row.value.time?.nanoseconds
    else { return (0, 0) }
    var messages = 0
    var bytes = 0
    for entry in entries[...last].reversed() {
      guard let time = entry.row.value.time?.nanoseconds, end &- time < span else { break }
      messages += 1
      bytes += entry.row.value.length
    }
    return (Double(messages) / 10, Double(bytes) / 10)
  }
}

extension ScreenEntry {
  fileprivate func tellSignal(_ signals: inout [NodeID: Int]) {
    guard let node = row.message.node, let rssi = moment.rssi else { return }
    if signals[node] != nil || signals.count < MeshState.maximumNodes { signals[node] = rssi }
  }
}
