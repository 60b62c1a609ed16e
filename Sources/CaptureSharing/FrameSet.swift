/// Packets of one capture, a bit each.
package struct FrameSet: Sendable {
  private var words: [UInt64] = []

  /// Makes an empty set.
  package init() {}

  /// Whether the packet is in it.
  package func contains(_ frame: Int) -> Bool {
    let word = frame >> 6
    return frame >= 0 && word < words.count && words[word] & 1 << UInt64(frame & 63) != 0
  }

  /// Puts a packet in.
  package mutating func insert(_ frame: Int) {
    guard frame >= 0 else { return }
    let word = frame >> 6
    if word >= words.count {
      words += Array(repeating: 0, count: word + 1 - words.count)
    }
    words[word] |= 1 << UInt64(frame & 63)
  }

  /// How many packets are in it.
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
