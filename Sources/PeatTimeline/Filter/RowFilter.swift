/// Decides whether a row is wanted.
typealias RowTest = @Sendable (TimelineRow) -> Bool

/// Reads a time in the notations of `--from` as nanoseconds since 1970; nil for other text.
package typealias FilterTimes = (_ text: String) -> Int64?

/// A `--filter` expression, checked and ready to be asked of every row (cli.md, `--filter`).
///
/// Literals are turned into the values of their field once; a row costs comparisons of those.
package struct RowFilter: Sendable {
  /// A checked expression.
  indirect enum Node: Sendable {
    case test(RowTest)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)

    func holds(for row: TimelineRow) -> Bool {
      switch self {
      case .test(let test): test(row)
      case .not(let node): !node.holds(for: row)
      case .and(let left, let right): left.holds(for: row) && right.holds(for: row)
      case .or(let left, let right): left.holds(for: row) || right.holds(for: row)
      }
    }
  }

  private let root: Node

  /// Reads an expression; `times` knows the notations of times, which count from the first packet.
  package init(_ text: String, times: @escaping FilterTimes) throws(FilterError) {
    var parser = FilterParser(try FilterLexer.tokens(text), times: times)
    root = try parser.expression()
  }

  /// Whether the expression is true of a row.
  package func matches(_ row: TimelineRow) -> Bool { root.holds(for: row) }
}
