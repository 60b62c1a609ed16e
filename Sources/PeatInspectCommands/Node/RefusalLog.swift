/// Which refusals are told: of each kind the first, then at most one in a while with the number of
/// those in between, so that nobody can fill a log by asking for refusals.
struct RefusalLog {
  /// Time between two lines of one kind, in milliseconds.
  static let pause: UInt64 = 10_000
  /// Kinds that are told apart; what comes on top counts as one.
  static let kindLimit = 32

  private struct Kind {
    var lastLine: UInt64
    var untold = 0
    var reason: String
  }

  private var kinds: [String: Kind] = [:]

  /// The line for a refusal at `now`, in milliseconds; nil where it is only counted.
  ///
  /// - Parameter kind: what counts as the same; by default the reason without what differs.
  mutating func line(for reason: String, kind: String? = nil, now: UInt64) -> String? {
    var name = kind ?? RefusalLog.kind(of: reason)
    if kinds[name] == nil, kinds.count >= RefusalLog.kindLimit { name = "" }
    guard let known = kinds[name] else {
      kinds[name] = Kind(lastLine: now, reason: reason)
      return reason
    }
    guard now >= known.lastLine &+ RefusalLog.pause else {
      kinds[name] = Kind(lastLine: known.lastLine, untold: known.untold + 1, reason: reason)
      return nil
    }
    kinds[name] = Kind(lastLine: now, reason: reason)
    return known.untold == 0 ? reason : "\(reason) (and \(known.untold) more like it)"
  }

  /// Lines for what was counted and not told, when no more comes.
  func rest() -> [String] {
    kinds.sorted { $0.key < $1.key }.filter { $0.value.untold > 0 }.map { _, kind in
      "\(kind.reason) (the last of \(kind.untold) more like it)"
    }
  }

  /// A reason without what differs from one peer and one value to the next: words with digits.
  private static func kind(of reason: String) -> String {
    reason.split(separator: " ").filter { !$0.utf8.contains { (0x30...0x39).contains($0) } }
      .joined(separator: " ")
  }
}
