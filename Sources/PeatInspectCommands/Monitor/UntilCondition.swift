import PeatReplay
import PeatTimeline

/// What `--until` waits for: any filter expression, and in it the words on the mesh's state.
struct UntilCondition: Sendable {
  private let filter: RowFilter

  /// Reads the expression; `finding` and `changed` are fields of their rows.
  init(_ text: String, times: @escaping FilterTimes) throws(FilterError) {
    filter = try RowFilter(text, times: times, knowsState: true)
  }

  /// Whether it holds after a message.
  func holds(after row: TimelineRow, state: MeshState) -> Bool {
    filter.matches(row, state: state)
  }
}
