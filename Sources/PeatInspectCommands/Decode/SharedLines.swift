import PeatProtocol
import Synchronization

/// Lines that two threads decode, each taking the next few whenever it has done its last.
final class SharedLines: Sendable {
  /// Lines that a thread takes at a time: their records fill a write, and neither thread waits
  /// long for the other at the end.
  private static let share = 192

  private let lines: HexLines.Block
  private let kind: MessageKind?
  private let taken = Atomic(0)
  private let blocks: Mutex<[DecodedBlock?]>

  /// - Parameter kind: what the lines are read as, whatever their first byte says.
  init(_ lines: HexLines.Block, as kind: MessageKind?) {
    self.lines = lines
    self.kind = kind
    let count = (lines.lines.count + SharedLines.share - 1) / SharedLines.share
    blocks = Mutex(Array(repeating: nil, count: count))
  }

  /// Whether a second thread would find something to do.
  var isWorthSharing: Bool { lines.lines.count > SharedLines.share }

  /// Decodes until all lines are taken.
  func decode() {
    while true {
      let index = taken.add(1, ordering: .relaxed).oldValue
      let start = index * SharedLines.share
      guard start < lines.lines.count else { return }
      let end = min(start + SharedLines.share, lines.lines.count)
      let block = DecodedBlock(lines.buffer, lines: lines.lines[start..<end], as: kind)
      blocks.withLock { $0[index] = block }
    }
  }

  /// What the lines became, in their order, once every thread is done.
  var decoded: [DecodedBlock] { blocks.withLock { $0.compactMap(\.self) } }
}
