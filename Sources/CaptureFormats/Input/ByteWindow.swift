/// A moving window over a source: the bytes around the reader's place, in one reused buffer.
///
/// Everything before `keep` may be thrown away when the window moves, so memory does not grow with
/// the length of the file. Without a source the buffer is the whole input.
struct ByteWindow: ~Copyable {
  /// The most that one record may need; longer ones are damage.
  static let limit = 16 << 20

  /// What is read at first.
  private static let first = 4096

  private(set) var buffer: [UInt8]
  /// Size of `buffer` that is enough for all but unusual records.
  private let usual: Int
  /// Place of the next byte in `buffer`.
  var position = 0
  /// First byte of `buffer` that must stay when the window moves; at most `position`.
  var keep = 0
  /// End of the valid bytes in `buffer`.
  private(set) var end: Int
  /// Offset in the file of the first byte of `buffer`.
  private(set) var base = 0
  private(set) var reachedEnd: Bool
  let source: (any ByteSource)?

  /// A window of `capacity` bytes over `source`.
  init(source: any ByteSource, capacity: Int) {
    let whole = source.totalBytes.map { $0 + 1 } ?? capacity
    usual = max(64, min(capacity, whole))
    // Recognising a capture needs little; the rest is taken when records are read.
    buffer = [UInt8](repeating: 0, count: min(usual, ByteWindow.first))
    end = 0
    reachedEnd = false
    self.source = source
  }

  /// A window over bytes in memory.
  init(bytes: [UInt8]) {
    buffer = bytes
    usual = bytes.count
    end = bytes.count
    reachedEnd = true
    source = nil
  }

  /// Offset in the file of the next byte.
  @inline(__always) var offset: Int { base &+ position }

  /// Bytes in the window from the reader's place on.
  @inline(__always) var available: Int { end &- position }

  /// Bytes from the reader's place to the end of the input, where its length is known.
  var remaining: Int? {
    guard let source else { return available }
    return source.totalBytes.map { $0 - offset }
  }

  /// Whether every byte that the source has is in the window.
  var isExhausted: Bool { reachedEnd }

  /// Whether `count` bytes can be had from the reader's place on; reads more where needed.
  @inline(__always)
  mutating func has(_ count: Int) throws(CaptureError) -> Bool {
    if end &- position >= count { return true }
    return try refill(count)
  }

  @inline(never)
  private mutating func refill(_ count: Int) throws(CaptureError) -> Bool {
    guard let source, count <= Self.limit else { return false }
    if reachedEnd { return false }
    let kept = end - keep
    if keep > 0 {
      buffer.moveToFront(from: keep, count: kept)
      base += keep
      position -= keep
      keep = 0
      end = kept
    }
    let needed = position + count
    // A window that one unusual record made large is given back once the reader is past it.
    if buffer.count > 8 * max(usual, needed) {
      buffer = Array(buffer[..<end])
      buffer.append(contentsOf: repeatElement(0, count: max(usual, 2 * needed) - end))
    }
    // Behind what was read at first, the window is as large as it is going to be.
    if buffer.count < usual, end > 0 || needed > buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: usual - buffer.count))
    }
    while end < needed {
      // Doubled as bytes come, up to twice what is needed so that moving the window stays rare: a
      // length that the input only claims takes no memory.
      if end == buffer.count {
        let size = min(2 * needed, 2 * buffer.count)
        buffer.append(contentsOf: repeatElement(0, count: size - buffer.count))
      }
      let got = try source.read(into: &buffer, from: end)
      if got == 0 {
        reachedEnd = true
        break
      }
      end += got
    }
    return end - position >= count
  }

  /// Moves over `count` bytes, without reading those beyond the window; false at the end.
  mutating func skip(_ count: Int) throws(CaptureError) -> Bool {
    if count <= available {
      position += count
      keep = position
      return true
    }
    guard let source, !reachedEnd else {
      position = end
      keep = position
      return false
    }
    let beyond = count - available
    let passed = try source.skip(beyond)
    base += end + passed
    position = 0
    keep = 0
    end = 0
    return passed == beyond
  }

  /// Goes on at an offset in the file that lies ahead, without reading what is between.
  mutating func jump(to offset: Int) {
    let ahead = offset - self.offset
    guard ahead > 0, let source else { return }
    if ahead <= available {
      position += ahead
    } else if let passed = try? source.skip(ahead - available) {
      base += end + passed
      position = 0
      end = 0
    }
    keep = position
  }

  /// Takes `count` bytes that lie at an offset in the file in place of all that is in the window.
  mutating func adopt(_ bytes: PacketBytes, count: Int, at offset: Int) {
    guard let source, source.seek(to: offset + count) else { return }
    if buffer.count < count {
      buffer.append(contentsOf: repeatElement(0, count: max(usual, count) - buffer.count))
    }
    bytes.copy(count, into: &buffer)
    base = offset
    position = 0
    keep = 0
    end = min(count, bytes.count)
    reachedEnd = false
  }

  /// Gives up what is in the window, to read it anew.
  mutating func drop() {
    guard let source, source.seek(to: offset) else { return }
    base = offset
    position = 0
    keep = 0
    end = 0
    reachedEnd = false
  }

  /// Moves to the first place in the window where `pattern` lies; else to the first place where it
  /// could still begin, and gives false.
  mutating func find(_ pattern: [UInt8]) -> Bool {
    guard let first = pattern.first else { return true }
    let last = end - pattern.count
    while position <= last {
      if buffer[position] == first,
        pattern.indices.allSatisfy({ buffer[position + $0] == pattern[$0] })
      {
        keep = position
        return true
      }
      position += 1
    }
    keep = position
    return false
  }

  /// Gives up the window for a source that begins at the first byte.
  ///
  /// A source that cannot go back is held in memory as long as it has at most `limit` bytes; the
  /// rest of a longer one can be read once only.
  consuming func detach(limit: Int) throws(CaptureError) -> any ByteSource {
    guard let source else { return MemorySource(buffer) }
    if source.rewind() { return source }
    var held = Array(buffer[..<end])
    let room = 1 << 16
    while held.count <= limit {
      let count = held.count
      held.append(contentsOf: repeatElement(0, count: room))
      let got = try source.read(into: &held, from: count)
      held.removeLast(room - got)
      if got == 0 { return MemorySource(held) }
    }
    return PrefixedSource(held, rest: source)
  }

  /// Gives its memory back: what it holds is not wanted any more, and nothing until `rewind()`.
  mutating func release() {
    guard let source else { return }
    base += end
    position = 0
    keep = 0
    end = 0
    buffer = []
    reachedEnd = true
    source.release()
  }

  /// Lets the window look again at a source that had ended, for a file that grows.
  mutating func retry() { if source != nil { reachedEnd = false } }

  /// Goes back to the first byte; false where the source cannot.
  mutating func rewind() -> Bool {
    guard let source else {
      position = 0
      keep = 0
      return true
    }
    guard source.rewind() else { return false }
    position = 0
    keep = 0
    end = 0
    base = 0
    reachedEnd = false
    return true
  }

  /// The bytes from `start` in the buffer on; both must lie in the window.
  @_lifetime(borrow self)
  @inline(__always)
  func view(_ start: Int, _ count: Int) -> RawSpan {
    unsafe buffer.span.bytes.extracting(start..<(start &+ count))
  }

  /// An integer `ahead` places from the reader's place on, as it lies in memory.
  @inline(__always)
  func load<T: FixedWidthInteger & BitwiseCopyable>(_ ahead: Int, as: T.Type) -> T {
    // Checked by the standard library against the buffer; callers asked `has` before.
    unsafe buffer.span.bytes.unsafeLoadUnaligned(fromByteOffset: position &+ ahead, as: T.self)
  }

  @inline(__always) func u8(_ ahead: Int) -> UInt8 { load(ahead, as: UInt8.self) }

  @inline(__always)
  func u16(_ ahead: Int, _ order: ByteOrder) -> UInt16 {
    let raw = load(ahead, as: UInt16.self)
    return order == .big ? UInt16(bigEndian: raw) : UInt16(littleEndian: raw)
  }

  @inline(__always)
  func u32(_ ahead: Int, _ order: ByteOrder) -> UInt32 {
    let raw = load(ahead, as: UInt32.self)
    return order == .big ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
  }

  @inline(__always)
  func u64(_ ahead: Int, _ order: ByteOrder) -> UInt64 {
    let raw = load(ahead, as: UInt64.self)
    return order == .big ? UInt64(bigEndian: raw) : UInt64(littleEndian: raw)
  }
}

extension Array where Element == UInt8 {
  /// Moves `count` bytes at `start` to the front; the two places may overlap.
  fileprivate mutating func moveToFront(from start: Int, count: Int) {
    guard start >= 0, count > 0, start + count <= self.count else { return }
    // Both ranges lie in the buffer, by the guard above.
    unsafe withUnsafeMutableBytes { bytes in
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
      unsafe bytes.copyMemory(from: part)
    }
  }
}
