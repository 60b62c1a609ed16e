import CaptureFormats

/// Packets of a recording that wait for what is said of them: a message becomes a row only when it
/// is known what became of it.
struct HeldRecords {
  private struct Held {
    var record: StoredRecord
    var moment: UInt64
    var comment = ""
  }

  /// More are never held, whatever still waits.
  private static let limit = 4096
  /// Nor longer, in nanoseconds.
  private static let patience: UInt64 = 2_000_000_000

  private var held: [Held] = []

  mutating func take(_ record: StoredRecord, at moment: UInt64) {
    held.append(Held(record: record, moment: moment))
  }

  /// Says something of a packet, if it is still held.
  mutating func note(_ comment: String, frame: Int, adapter: Int) {
    let place = held.lastIndex {
      $0.record.header.frame == frame && $0.record.header.adapter == adapter
    }
    guard let place else { return }
    if !held[place].comment.isEmpty { held[place].comment += "\n" }
    held[place].comment += comment
  }

  /// Hands over what need not wait any more, in its order.
  mutating func release(into encoder: inout RecordEncoder, at now: UInt64, waits: Bool) {
    var count = held.count
    if waits {
      let oldest = now > HeldRecords.patience ? now - HeldRecords.patience : 0
      count = held.prefix { $0.moment < oldest }.count
      count = max(count, held.count - HeldRecords.limit)
    }
    guard count > 0 else { return }
    for item in held[..<count] { encoder.append(item.record, comment: item.comment) }
    held.removeFirst(count)
  }
}
