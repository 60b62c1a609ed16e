import SystemIO

/// A stretch of bytes in a record: where the bytes of a value, or of a packet, came from.
struct ByteOrigin: Equatable {
  /// The record, counted from 0.
  var record: Int
  /// The first byte in the record's payload.
  var offset: Int
  var count: Int
}

/// Bytes that stand in for those of records, kept on disk until the records are written.
final class PacketPatches {
  private struct Patch {
    var record: Int
    var offset: Int
    var start: UInt64
    var count: Int
  }

  private let file: TemporaryFile
  private var patches: [Patch] = []
  /// Records that repeat another one.
  private var repeats: [Int: Int] = [:]
  private var isSorted = true

  init() throws(Errno) { file = try TemporaryFile() }

  /// Puts bytes where others came from, first to last.
  func put(_ bytes: [UInt8], at origins: [ByteOrigin]) throws(Errno) {
    var place = 0
    for origin in origins where origin.count > 0 && place < bytes.count {
      let end = min(place + origin.count, bytes.count)
      let start = try file.append(bytes[place..<end])
      if let last = patches.last, last.record > origin.record { isSorted = false }
      patches.append(
        Patch(record: origin.record, offset: origin.offset, start: start, count: end - place))
      place = end
    }
  }

  /// A record holds what an earlier one held.
  func repeats(_ record: Int, of earlier: Int) { repeats[record] = earlier }

  /// Changes the bytes of a record.
  func apply(to record: Int, _ bytes: inout [UInt8]) throws(Errno) {
    if !isSorted {
      patches.sort { ($0.record, $0.start) < ($1.record, $1.start) }
      isSorted = true
    }
    let wanted = repeats[record] ?? record
    var low = 0
    var high = patches.count
    while low < high {
      let middle = (low + high) / 2
      if patches[middle].record < wanted { low = middle + 1 } else { high = middle }
    }
    while low < patches.count, patches[low].record == wanted {
      let patch = patches[low]
      let new = try file.read(at: patch.start, count: patch.count)
      if patch.offset >= 0, patch.offset + new.count <= bytes.count {
        bytes.replaceSubrange(patch.offset..<patch.offset + new.count, with: new)
      }
      low += 1
    }
  }
}
