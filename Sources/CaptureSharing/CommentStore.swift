package import SystemIO

/// Comments for packets, kept on disk until the packets are written.
package final class CommentStore {
  private struct Entry {
    var frame: Int
    var start: UInt64
    var count: Int
  }

  private let file: TemporaryFile
  private var entries: [[Entry]] = []
  private var isSorted = true

  /// Makes an empty one.
  package init() throws(Errno) { file = try TemporaryFile() }

  /// Adds a comment to a packet of a capture.
  package func add(_ text: String, to frame: Int, of capture: Int) throws(Errno) {
    let bytes = Array(text.utf8)
    let start = try file.append(bytes)
    while entries.count <= capture { entries.append([]) }
    if let last = entries[capture].last, last.frame > frame { isSorted = false }
    entries[capture].append(Entry(frame: frame, start: start, count: bytes.count))
  }

  /// The comments on a packet, one below the other; empty where there is none.
  package func comment(on frame: Int, of capture: Int) throws(Errno) -> String {
    guard capture < entries.count else { return "" }
    sort()
    let entries = entries[capture]
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    var text = ""
    while low < entries.count, entries[low].frame == frame {
      let entry = entries[low]
      if !text.isEmpty { text += "\n" }
      text += String(decoding: try file.read(at: entry.start, count: entry.count), as: UTF8.self)
      low += 1
    }
    return text
  }

  private func sort() {
    guard !isSorted else { return }
    for index in entries.indices {
      entries[index].sort { ($0.frame, $0.start) < ($1.frame, $1.start) }
    }
    isSorted = true
  }
}
