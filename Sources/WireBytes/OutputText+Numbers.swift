extension OutputText {
  /// Appends a number in decimal digits.
  @inlinable @inline(__always)
  public mutating func append(decimal value: some FixedWidthInteger) {
    if value < 0 { append("-") }
    append(digits: UInt64(truncatingIfNeeded: value.magnitude))
  }

  /// Appends a number in decimal digits, padded with zeros to `width`.
  public mutating func append(decimal value: Int, width: Int) {
    var limit = 1
    for _ in 1..<max(width, 1) { limit *= 10 }
    while limit > 1 && value < limit {
      append("0")
      limit /= 10
    }
    append(decimal: value)
  }

  /// Appends lower-case hexadecimal digits, two a byte.
  public mutating func append(hex data: [UInt8]) {
    unsafe _put(data.count &* 2) { target in
      unsafe data.withUnsafeBytes { source in
        var index = 0
        // In bounds: the room is twice as long as the bytes.
        while index &+ 4 <= source.count {
          let word = unsafe source.loadUnaligned(fromByteOffset: index, as: UInt32.self)
          let digits = OutputText.digits(of: UInt32(bigEndian: word), letters: 0x27)
          unsafe UnsafeMutableRawPointer(target + index &* 2)
            .storeBytes(of: digits, as: UInt64.self)
          index &+= 4
        }
        while index < source.count {
          let byte = unsafe source[index]
          unsafe target[index &* 2] = Hexadecimal.digit(byte >> 4)
          unsafe target[index &* 2 &+ 1] = Hexadecimal.digit(byte & 15)
          index &+= 1
        }
      }
    }
  }

  /// Appends lower-case hexadecimal digits, two a byte.
  public mutating func append(hex data: some Sequence<UInt8>) { append(hex: Array(data)) }

  /// Appends 8 upper-case hexadecimal digits, as node ids are shown.
  public mutating func append(upperHex value: UInt32) {
    let digits = OutputText.digits(of: value, letters: 7)
    unsafe _put(8) { target in
      // In bounds: 8 bytes of room were asked for.
      unsafe UnsafeMutableRawPointer(target).storeBytes(of: digits, as: UInt64.self)
    }
  }

  /// Appends the shortest decimal that reads back as `value`, with a point or an exponent.
  public mutating func append(float value: Float) { append(raw: value.description) }

  /// The 8 digits of a number as they lie in memory, all at once; `letters` is the distance from
  /// the character behind 9 to A or a.
  private static func digits(of value: UInt32, letters: UInt64) -> UInt64 {
    var nibbles = UInt64(value)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
    let isLetter = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let characters = nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* letters
    return characters.bigEndian
  }

  /// Appends a number in decimal digits, the last ones first into their places.
  @usableFromInline
  mutating func append(digits value: UInt64) {
    if value < 10 {
      append(ascii: UInt8(truncatingIfNeeded: value) &+ 0x30)
      return
    }
    let size = OutputText.digitCount(value)
    unsafe _put(size) { target in
      var rest = value
      var place = size
      while place > 0 {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        place &-= 1
        // In bounds: there are as many places as digits.
        unsafe target[place] = UInt8(truncatingIfNeeded: digit) &+ 0x30
        rest = quotient
      }
    }
  }

  private static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10_000 {
      rest /= 10_000
      count += 4
    }
    return count + (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }
}
