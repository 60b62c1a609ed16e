/// Text under construction as UTF-8 bytes, with the number spellings that the reports use.
///
/// Everything a report prints goes through one of these, so that formatting allocates nothing.
@safe
public struct OutputText: Sendable {
  // Zeros stand behind the text, so that a piece is put down with one check of the room for it.
  @usableFromInline var _storage: [UInt8]
  @usableFromInline var _count: Int

  /// Makes an empty text with room for `capacity` bytes.
  public init(capacity: Int = 256) {
    _storage = [UInt8](repeating: 0, count: max(capacity, 16))
    _count = 0
  }

  /// Bytes written so far.
  @inlinable public var count: Int { _count }

  /// A copy of the bytes written so far.
  public var bytes: [UInt8] { Array(_storage[..<_count]) }

  /// The bytes written so far, without copying them.
  public var slice: ArraySlice<UInt8> { _storage[..<_count] }

  /// Empties the text and keeps its room.
  @inlinable public mutating func removeAll() { _count = 0 }

  /// Appends literal text.
  @inlinable @inline(__always)
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(copying: $0) }
  }

  /// Appends text as it is; neutralising is the caller's part.
  @inlinable
  public mutating func append(raw text: String) {
    var text = text
    text.withUTF8 { unsafe append(copying: $0) }
  }

  /// Appends one ASCII character.
  @inlinable @inline(__always)
  public mutating func append(ascii character: UInt8) {
    unsafe _put(1) { unsafe $0[0] = character }
  }

  /// Appends bytes that are text already.
  @inlinable @inline(__always)
  mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
    guard let first = source.baseAddress else { return }
    // The room was made for just this many bytes.
    unsafe _put(source.count) { unsafe $0.update(from: first, count: source.count) }
  }

  /// Appends `size` bytes, all of which `fill` must write.
  @inlinable @inline(__always)
  mutating func _put(_ size: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    let place = _count
    if _storage.count &- place < size { _grow(size) }
    unsafe _storage.withUnsafeMutableBufferPointer { buffer in
      // Never nil: there are at least 16 bytes.
      if let base = buffer.baseAddress { unsafe fill(base + place) }
    }
    _count = place &+ size
  }

  @usableFromInline @inline(never)
  mutating func _grow(_ size: Int) {
    _storage.append(contentsOf: repeatElement(0, count: max(_storage.count, size)))
  }
}

// MARK: - JSON strings

extension OutputText {
  /// Appends `text` as the inside of a JSON string.
  ///
  /// Quotes, backslashes, control and bidi characters, U+2028, U+2029, `<` and marks beyond a few on
  /// a letter become escapes, so that what a stranger's radio sent can neither act on a terminal nor
  /// break out of a script.
  public mutating func append(jsonEscaped text: String) {
    var text = text
    let isPlain = text.withUTF8 { unsafe appendPlain($0) }
    if isPlain { return }
    var neutraliser = Neutraliser()
    for scalar in text.unicodeScalars {
      let isNeutralised = neutraliser.replaces(scalar)
      switch scalar.value {
      case 0x22: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x20...0x3B, 0x3D...0x7E: append(ascii: UInt8(scalar.value))
      case 0..<0x80: append(jsonUnit: UInt16(scalar.value))
      default:
        if isNeutralised {
          for unit in String(scalar).utf16 { append(jsonUnit: unit) }
        } else {
          append(raw: String(scalar))
        }
      }
    }
  }

  /// Appends text that needs no escapes, as nearly all text does; else nothing, and gives false.
  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let source = UnsafeRawBufferPointer(text)
    var index = 0
    while index &+ 8 <= source.count {
      // In bounds: checked in the line above.
      let word = unsafe source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard OutputText.isPlain(eight: word) else { return false }
      index &+= 8
    }
    while index < source.count {
      guard unsafe OutputText.isPlain(source[index]) else { return false }
      index &+= 1
    }
    unsafe append(copying: text)
    return true
  }

  /// Whether an ASCII character stands for itself in a JSON string.
  @inlinable @inline(__always)
  public static func isPlain(_ character: UInt8) -> Bool {
    character >= 0x20 && character < 0x7F && character != 0x22 && character != 0x5C
      && character != 0x3C
  }

  /// Whether eight characters all stand for themselves: those below 0x80 that `isPlain` admits.
  ///
  /// Adding or subtracting makes the top bit of a byte tell what it is; of bytes above 0x7F, which
  /// could disturb their neighbours, the first test is enough.
  private static func isPlain(eight characters: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let isDelete = characters &+ ones
    let isControl = ~(characters &+ (ones &* 0x60))
    let quote = (characters ^ (ones &* 0x22)) &+ (ones &* 0x7F)
    let backslash = (characters ^ (ones &* 0x5C)) &+ (ones &* 0x7F)
    let less = (characters ^ (ones &* 0x3C)) &+ (ones &* 0x7F)
    let wrong = characters | isDelete | isControl | ~quote | ~backslash | ~less
    return wrong & (ones &* 0x80) == 0
  }

  /// Appends `text` as a JSON string with its quotes.
  public mutating func append(jsonString text: String) {
    append("\"")
    append(jsonEscaped: text)
    append("\"")
  }

  private mutating func append(jsonUnit unit: UInt16) {
    append("\\u")
    append(hex: [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)])
  }
}
