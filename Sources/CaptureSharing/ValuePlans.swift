package import SystemIO

/// The values of one capture that are messages, and what stands for each, kept on disk.
///
/// A value is found again by a packet that carried a part of it and by its bytes.
package final class ValuePlans {
  private struct Plan {
    var start: UInt64
    var count: Int
    var handle: UInt16
    /// Where the next part of a value that is read in parts begins.
    var cursor = 0
  }

  private let file: TemporaryFile
  private var plans: [Plan] = []
  private var places: [(frame: Int, plan: Int)] = []
  private var isSorted = true
  private var held: (plan: Int, original: [UInt8], substitute: [UInt8])?

  /// Makes plans for no value.
  package init() throws(Errno) { file = try TemporaryFile() }

  /// Adds a value of a handle, what stands for it, and the packets that carried it.
  package func add(
    _ original: [UInt8], as substitute: [UInt8], handle: UInt16, frames: [Int]
  ) throws(Errno) {
    let start = try file.append(original)
    try file.append(substitute)
    for frame in Set(frames) {
      if let last = places.last, last.frame > frame { isSorted = false }
      places.append((frame, plans.count))
    }
    plans.append(Plan(start: start, count: original.count, handle: handle))
  }

  /// What stands for a part of a value that a packet completed; nil where it is of no message.
  ///
  /// - Parameters:
  ///   - handle: the attribute, where the packet names it.
  ///   - offset: where in the value the part lies, where the packet says it.
  func substitute(
    for part: [UInt8], in frame: Int, handle: UInt16?, offset: Int?
  ) -> [UInt8]? {
    if !isSorted {
      places.sort { ($0.frame, $0.plan) < ($1.frame, $1.plan) }
      isSorted = true
    }
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    while low < places.count, places[low].frame == frame {
      let number = places[low].plan
      low += 1
      if let handle, plans[number].handle != handle { continue }
      guard let (original, substitute) = contents(number) else { continue }
      for start in offset.map({ [$0] }) ?? [plans[number].cursor, 0] {
        let end = start + part.count
        guard end <= original.count, Array(original[start..<end]) == part else { continue }
        plans[number].cursor = end
        return Array(substitute[start..<end])
      }
    }
    return nil
  }

  private func contents(_ number: Int) -> (original: [UInt8], substitute: [UInt8])? {
    if let held, held.plan == number { return (held.original, held.substitute) }
    let plan = plans[number]
    guard let both = try? file.read(at: plan.start, count: 2 * plan.count),
      both.count == 2 * plan.count
    else { return nil }
    let result = (Array(both[..<plan.count]), Array(both[plan.count...]))
    held = (number, result.0, result.1)
    return result
  }
}
