import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatTimeline

/// What one message says, as a list shows it.
package struct LiveLine: Sendable {
  /// Callsign or node id of the author, else the peer's address.
  package var who: String
  /// The phrases of the timeline, joined; without colour.
  package var text: String
  /// Whether somebody is in distress.
  package var isAlarm: Bool
  /// Whether this end sent it.
  package var isSent: Bool
  /// Whether it says nothing new.
  package var isUnchanged: Bool
}

/// The messages of a live view in words: each says what changed since the ones before.
package struct LiveLines: Sendable {
  private var memory = NodeMemory()

  package init() {}

  /// A node as people call it: callsign, else id.
  package func name(_ node: NodeID) -> String { memory.name(node) }

  /// What a message says; messages come in order, each once.
  package mutating func line(for row: TimelineRow) -> LiveLine {
    let isUnchanged = memory.isRepetition(row)
    let phrases = memory.phrases(for: row)
    let remark = memory.sentence(for: row, all: false).map { "; \($0)" } ?? ""
    let who =
      row.message.node.map { memory.name($0) } ?? row.value.link.peer?.description ?? "?"
    let text = phrases.isEmpty ? "unchanged" : phrases.map(\.text).joined(separator: ", ")
    return LiveLine(
      who: who, text: text + remark, isAlarm: phrases.contains { $0.paint == .alarm },
      isSent: row.value.direction.isFromLocal, isUnchanged: isUnchanged)
  }
}

extension String {
  /// Columns that the text takes in a terminal.
  package var cellCount: Int { columns }

  /// The text cut or filled to exactly so many columns.
  package func cells(_ width: Int) -> String {
    width <= 0 ? "" : cut(to: width).padded(to: width)
  }

  /// The text cut to so many columns at most.
  package func cutToCells(_ width: Int) -> String { width <= 0 ? "" : cut(to: width) }
}
