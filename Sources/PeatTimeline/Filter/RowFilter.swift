package import PeatReplay

/// Decides by the state of the mesh whether a run has come where it should.
typealias StateTest = @Sendable (MeshState) -> Bool

/// Decides whether a row is wanted.
typealias RowTest = @Sendable (FilterSubject) -> Bool

/// Reads a time in the notations of `--from` as nanoseconds since 1970; nil for other text.
package typealias FilterTimes = (_ text: String) -> Int64?

/// A `--filter` expression, checked and ready to be asked of every row (cli.md, `--filter`).
///
/// Literals are turned into the values of their field once; a row costs comparisons of those.
package struct RowFilter: Sendable {
  /// A checked expression.
  indirect enum Node: Sendable {
    case test(RowTest)
    /// Only where the words on the mesh's state are known; without a state it does not hold.
    case state(StateTest)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)

    func holds(for row: FilterSubject, _ state: MeshState?) -> Bool {
      switch self {
      case .test(let test): test(row)
      case .state(let test): state.map(test) ?? false
      case .not(let node): !node.holds(for: row, state)
      case .and(let left, let right): left.holds(for: row, state) && right.holds(for: row, state)
      case .or(let left, let right): left.holds(for: row, state) || right.holds(for: row, state)
      }
    }
  }

  private let root: Node

  /// Reads an expression; `times` knows the notations of times, which count from the first packet.
  ///
  /// - Parameter knowsState: whether the words on the mesh's state are understood too: `emergency`,
  ///   `emergency.all_acked` and `nodes` (cli.md, `--until`).
  package init(
    _ text: String, times: @escaping FilterTimes, knowsState: Bool = false
  ) throws(FilterError) {
    var parser = FilterParser(
      try FilterLexer.tokens(text), times: times, knowsState: knowsState)
    root = try parser.expression()
  }

  /// Whether the expression is true of a row.
  package func matches(_ row: TimelineRow) -> Bool {
    root.holds(for: FilterSubject(.peat(row)), nil)
  }

  /// The same of a message of any protocol.
  package func matches(_ item: TimelineItem) -> Bool { root.holds(for: FilterSubject(item), nil) }

  /// Whether it is true after a row that left the mesh in this state.
  package func matches(_ row: TimelineRow, state: MeshState) -> Bool {
    root.holds(for: FilterSubject(.peat(row)), state)
  }
}
