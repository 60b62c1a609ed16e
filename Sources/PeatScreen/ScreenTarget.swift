import PeatProtocol

/// A place of the screen that can be pressed.
struct ScreenTarget: Sendable {
  enum Kind: Sendable {
    case message(Int)
    case node(NodeID)
    case sort(NodeSort)
  }

  let kind: Kind
  let row: Int
  /// Columns that it takes; all where there is none.
  var columns: Range<Int> = 0..<Int.max

  func holds(row: Int, column: Int) -> Bool { row == self.row && columns.contains(column) }
}
