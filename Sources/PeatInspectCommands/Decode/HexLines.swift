import SystemIO
import WireBytes

/// Lines of a text as they come in, without blanks around them and without blank lines.
///
/// All complete lines of what was read are handed out before more is read, so that a caller who
/// prints its answers in `whenIdle` keeps up with a sender that waits for them.
struct HexLines: ~Copyable {
  private static let room = 1 << 21
  /// Lines of one block: enough for two threads, and few enough that the records of the shortest
  /// lines, which are far longer than the lines, take little memory.
  private static let mostLines = 8192

  private let descriptor: FileDescriptor
  private var buffer = [UInt8](repeating: 0, count: HexLines.room)
  private var start = 0
  private var end = 0
  private var hasEnded = false
  /// Whether the rest of a line that was too long is to be passed over.
  private var isSkipping = false
  /// The number of the last line, from 1, blank ones included.
  private(set) var number = 0

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  /// The bounds in `text` of the next line that is not blank; nil at the end.
  ///
  /// A line longer than `HexInput` takes is cut, which makes it too long there.
  mutating func next(whenIdle: () throws(Errno) -> Void) throws(Errno) -> Range<Int>? {
    while true {
      if let line = takeLine() {
        if !line.isEmpty { return line }
        continue
      }
      if hasEnded { return nil }
      try whenIdle()
      try fill()
    }
  }

  /// A line that is not blank, in the buffer.
  struct Line: Sendable {
    var range: Range<Int>
    /// From 1, blank ones included.
    var number: Int
  }

  /// Lines with the buffer they lie in.
  struct Block: Sendable {
    var buffer: [UInt8]
    var lines: [Line]
  }

  /// The complete lines that are there, up to a number; nil at the end.
  ///
  /// - Parameter waits: whether to wait for input. Without, nil is also the answer when no line can
  ///   be had at once.
  mutating func block(waits: Bool) throws(Errno) -> Block? {
    var lines: [Line] = []
    while true {
      while lines.count < HexLines.mostLines, let range = takeLine() {
        if !range.isEmpty { lines.append(Line(range: range, number: number)) }
      }
      if !lines.isEmpty { return Block(buffer: buffer, lines: lines) }
      if hasEnded { return nil }
      if !waits, try descriptor.wait(milliseconds: 0) != .readable { return nil }
      try fill()
    }
  }

  /// The text that `next` gives bounds in.
  var text: RawSpan {
    @_lifetime(borrow self)
    get { buffer.rawBytes }
  }

  /// The next line in the buffer, trimmed; nil where more must be read first.
  private mutating func takeLine() -> Range<Int>? {
    while start < end {
      let found = HexLines.lineEnd(buffer.rawBytes, start, end)
      guard found < end || hasEnded || end - start > HexInput.maximumCharacters else {
        return nil
      }
      let line = trimmed(start, found)
      let wasSkipping = isSkipping
      isSkipping = found == end && !hasEnded
      start = min(found + 1, end)
      if !wasSkipping {
        number += 1
        return line
      }
    }
    return nil
  }

  /// The place of the next line feed from `start` on, `end` where there is none.
  private static func lineEnd(_ text: RawSpan, _ start: Int, _ end: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var place = start
    while place &+ 8 <= end {
      // In bounds: checked in the line above.
      let word = unsafe text.unsafeLoadUnaligned(
        fromUncheckedByteOffset: place, as: UInt64.self)
      // The top bit of the first zero byte, where a line feed was turned into zero.
      let zeroed = UInt64(littleEndian: word) ^ (ones &* 0x0A)
      let found = (zeroed &- ones) & ~zeroed & (ones &* 0x80)
      if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < end {
      // In bounds: checked in the line above.
      let character = unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      if character == 0x0A { break }
      place &+= 1
    }
    return place
  }

  private func trimmed(_ start: Int, _ end: Int) -> Range<Int> {
    var low = start
    var high = end
    while low < high && HexLines.isBlank(buffer[low]) { low += 1 }
    while low < high && HexLines.isBlank(buffer[high - 1]) { high -= 1 }
    return low..<high
  }

  private static func isBlank(_ character: UInt8) -> Bool {
    character == 0x20 || character == 0x09 || character == 0x0D
  }

  /// Reads more behind what is left of the last line.
  private mutating func fill() throws(Errno) {
    if start > 0 {
      for index in start..<end { buffer[index - start] = buffer[index] }
      end -= start
      start = 0
    }
    if buffer.count - end < HexLines.room / 2 {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let count = try descriptor.read(into: &buffer, range: end..<buffer.count)
    if count == 0 { hasEnded = true }
    end += count
  }
}
