/// Notices that the run itself did not look for a while: the machine slept, the program was stopped,
/// or nobody read its output. What was not heard then is no silence.
struct TurnWatch {
  /// Turns of the loop come much faster than this, unless something held them up.
  private static let tolerance: UInt64 = 5_000_000_000

  private var last: (now: UInt64, slept: UInt64)?

  /// A turn begins; tells how long nobody looked, where that was long.
  ///
  /// - Parameter slept: how long the machine has slept so far, which `now` does not count.
  mutating func begin(at now: UInt64, slept: UInt64) -> UInt64? {
    defer { last = (now, slept) }
    guard let last else { return nil }
    let gap = (now > last.now ? now - last.now : 0) &+ (slept > last.slept ? slept - last.slept : 0)
    return gap >= TurnWatch.tolerance ? gap : nil
  }
}
