import WireBytes

/// Packets that one capture holds as another one does: logs of one phone that were pulled twice, or
/// a log and the `.last` before it that overlap.
///
/// The run of equal records decides, the same bytes at the same times one after the other, and not
/// the times alone: two adapters at one place record the same air, but never the same records. A
/// run begins where one of the captures begins and ends where one of them ends, as a log that goes
/// on is the same up to where the earlier pull ended.
public struct CaptureOverlap: Sendable, Equatable {
  /// The capture whose packets are another one's too, by its place in the list.
  public var capture: Int
  /// The capture that has them as well.
  public var other: Int
  /// The packets, as the capture counts them.
  public var frames: ClosedRange<Int>
  /// Whether these are all that the capture has.
  public var isWhole: Bool

  /// Opens a capture from its beginning.
  public typealias Open = () throws(CaptureError) -> CaptureReader

  /// Looks for the packets that captures share. Each is read once, and those that share some once
  /// more; a capture that cannot be read is left out, for its fault is told when it is shown.
  ///
  /// At most one overlap a capture: where it is part of several, the longest. A capture that can be
  /// read only once is nil.
  public static func find(_ captures: [Open?]) -> [CaptureOverlap] {
    guard captures.count > 1 else { return [] }
    let heads = captures.map { first($0) }
    var wanted: [Int64: [Int]] = [:]
    for (index, head) in heads.enumerated() {
      if let head { wanted[head.microseconds, default: []].append(index) }
    }
    var pairs: [CaptureOverlap] = []
    for place in captures.indices {
      for begin in beginnings(in: captures[place], at: place, heads, wanted) {
        let pair = compare(captures, begin.capture, with: place, from: begin.frame)
        if let pair { pairs.append(pair) }
      }
    }
    return choose(pairs)
  }

  /// Which captures are left out, and which only in part. What is left out is in one that stays: of
  /// equal captures the first one.
  private static func choose(_ pairs: [CaptureOverlap]) -> [CaptureOverlap] {
    var chosen: [Int: CaptureOverlap] = [:]
    for pair in pairs.sorted(by: { $0.capture > $1.capture })
    where pair.isWhole && chosen[pair.capture] == nil && chosen[pair.other] == nil {
      chosen[pair.capture] = pair
    }
    let leftOut = Set(chosen.keys)
    for pair in pairs
    where !pair.isWhole && !leftOut.contains(pair.capture) && !leftOut.contains(pair.other) {
      let known = chosen[pair.capture]
      if known.map({ $0.frames.count < pair.frames.count }) ?? true {
        chosen[pair.capture] = pair
      }
    }
    return chosen.values.sorted { $0.capture < $1.capture }
  }

  /// A record as far as it is the same wherever it lies.
  private struct Print: Equatable {
    var microseconds: Int64
    var hash: UInt64
    var frame: Int

    init?(_ record: borrowing RecordView) {
      // Where nothing says when, nothing tells equal records from the same one.
      guard let time = record.time else { return nil }
      microseconds = time.nanoseconds / 1000
      var digest = FNV1a()
      digest.add(record.content.rawValue)
      for offset in 0..<record.payload.byteCount {
        // In bounds: the loop ends at the count.
        digest.add(unsafe record.payload.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      }
      hash = digest.value
      frame = record.frame
    }

    static func == (left: Print, right: Print) -> Bool {
      left.microseconds == right.microseconds && left.hash == right.hash
    }
  }

  private static func first(_ open: Open?) -> Print? {
    guard let open, var reader = try? open() else { return nil }
    while let record = try? reader.next() {
      if let print = Print(record) { return print }
    }
    return nil
  }

  /// Where in a capture others begin.
  private static func beginnings(
    in open: Open?, at place: Int, _ heads: [Print?], _ wanted: [Int64: [Int]]
  ) -> [(capture: Int, frame: Int)] {
    guard let open, var reader = try? open() else { return [] }
    var found: [(capture: Int, frame: Int)] = []
    while let record = try? reader.next(), found.count < heads.count {
      guard let time = record.time, let candidates = wanted[time.nanoseconds / 1000],
        let print = Print(record)
      else { continue }
      for capture in candidates
      where capture != place && heads[capture] == print
        && !found.contains(where: { $0.capture == capture })
      {
        found.append((capture, print.frame))
      }
    }
    return found
  }

  /// Walks two captures side by side, the one from its beginning, the other from a frame on.
  private static func compare(
    _ captures: [Open?], _ index: Int, with other: Int, from frame: Int
  ) -> CaptureOverlap? {
    guard let openOne = captures[index], let openOther = captures[other],
      var reader = try? openOne(), var long = try? openOther()
    else { return nil }
    var range: ClosedRange<Int>?
    var theirs = next(&long)
    while let print = theirs, print.frame < frame { theirs = next(&long) }
    while true {
      let own = next(&reader)
      guard let mine = own, let their = theirs else {
        // Packets of unread kinds count too where they are all that is left.
        guard let range, own == nil || range.count > 1 else { return nil }
        return CaptureOverlap(
          capture: index, other: other, frames: own == nil ? 1...reader.frameCount : range,
          isWhole: own == nil)
      }
      guard mine == their else { return nil }
      range = (range?.lowerBound ?? mine.frame)...mine.frame
      theirs = next(&long)
    }
  }

  private static func next(_ reader: inout CaptureReader) -> Print? {
    while let record = try? reader.next() {
      if let print = Print(record) { return print }
    }
    return nil
  }
}
