/// What was lost since a capture began, of a counter that runs for as long as its device is there:
/// libpcap gives an adapter's own count of errors (HCIGETDEVINFO) as the packets it dropped.
package struct LossCounter: Sendable {
  private var last: UInt32
  /// Packets lost since then.
  package private(set) var lost: UInt32 = 0

  /// Begins with what the counter says now.
  package init(from count: UInt32) { last = count }

  /// Takes what the counter says; one that is lower was set back, and counts from 0 again.
  package mutating func read(_ count: UInt32) {
    lost = lost &+ (count >= last ? count - last : count)
    last = count
  }
}
