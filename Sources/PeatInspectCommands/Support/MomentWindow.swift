import WireBytes

/// The span between `--from` and `--to`, both included.
struct MomentWindow {
  var from: Int64?
  var to: Int64?

  func contains(_ time: Timestamp) -> Bool {
    (from.map { time.nanoseconds >= $0 } ?? true) && (to.map { time.nanoseconds <= $0 } ?? true)
  }
}
