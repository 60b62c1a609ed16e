/// Median, 95th percentile and worst of some spans, nanoseconds.
package struct Quantiles: Sendable, Equatable {
  package var count: Int
  /// The middle one; of an even number the mean of the two middle ones, rounded down.
  package var median: Int64
  /// The smallest that at least 95 of 100 do not exceed.
  package var p95: Int64
  package var worst: Int64

  /// Sorts out some spans; nil for none.
  package init?(_ spans: [Int64]) {
    guard !spans.isEmpty else { return nil }
    let sorted = spans.sorted()
    count = sorted.count
    let middle = count / 2
    let upper = sorted[middle]
    let lower = count % 2 == 0 ? sorted[middle - 1] : upper
    // The spans may lie further apart than a number of 64 bits reaches; half of that fits.
    median = lower &+ Int64(truncatingIfNeeded: UInt64(bitPattern: upper &- lower) / 2)
    p95 = sorted[(count * 95 + 99) / 100 - 1]
    worst = sorted[count - 1]
  }
}
