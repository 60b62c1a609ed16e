/// Parts of a long write put together by their offsets, in whatever order they came.
///
/// Core Specification Vol 3 Part F, 3.4.6: each part is written at its offset, later ones over
/// earlier ones.
struct JoinedParts {
  /// Bytes of the whole value, up to the end of its last part.
  private(set) var length = 0
  /// The packets that carried them.
  private(set) var frames: [Int] = []
  /// Gaps of the capture before the first part.
  private(set) var losses: Int?
  /// Whether a part is missing between those that are there.
  var hasHole: Bool { states.contains(0) }
  private var bytes: [UInt8] = []
  /// By byte: 0 where no part has it, 1 where the capture cut it, 2 where it is known.
  private var states: [UInt8] = []

  mutating func add(_ part: PreparedPart) {
    frames += part.frames
    if losses == nil { losses = part.losses }
    let end = part.offset + part.length
    if end > length {
      length = end
      bytes += Array(repeating: 0, count: end - bytes.count)
      states += Array(repeating: 0, count: end - states.count)
    }
    for place in 0..<part.length {
      let isKnown = place < part.bytes.count
      if isKnown { bytes[part.offset + place] = part.bytes[place] }
      states[part.offset + place] = isKnown ? 2 : 1
    }
  }

  /// The bytes up to the first that is not known.
  var known: [UInt8] { Array(bytes.prefix(states.firstIndex { $0 != 2 } ?? length)) }
}
