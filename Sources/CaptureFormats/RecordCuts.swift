/// Data packets of which a recorder kept only the first bytes, as the container tells it.
public struct RecordCuts: Sendable, Equatable {
  /// Type, ACL, L2CAP and ATT headers with a little behind them; longer records hold part of a value.
  private static let headers = 14

  /// How many were cut.
  public private(set) var count = 0
  /// The fewest and the most bytes that are left of one, what wraps it included.
  public private(set) var kept = 0...0

  mutating func note(_ bytes: Int) {
    kept = count == 0 ? bytes...bytes : min(kept.lowerBound, bytes)...max(kept.upperBound, bytes)
    count += 1
  }

  /// A sentence for the user, where hardly more than headers is left (formats.md 5, snoop modes).
  var note: String? {
    guard count > 0, kept.upperBound <= RecordCuts.headers else { return nil }
    let bytes =
      kept.count == 1 ? "\(kept.lowerBound)" : "\(kept.lowerBound) to \(kept.upperBound)"
    return "the recorder kept only the first \(bytes) bytes of "
      + "\(count) data packet\(count == 1 ? "" : "s")"
  }
}
