internal import WireBytes

// Spellings that a record needs dozens of times; being of this target, they are specialised for
// their types, where the general ones of `WireBytes` would be called through witness tables.
extension OutputText {
  /// Appends a number in decimal digits.
  @inline(__always)
  mutating func append(number value: some FixedWidthInteger) {
    if value < 0 { append("-") }
    append(digits: UInt64(truncatingIfNeeded: value.magnitude))
  }

  /// Appends bytes as a string of lower-case digits.
  mutating func append(jsonHex data: [UInt8]) {
    append("\"")
    for byte in data {
      bytes.append(Hexadecimal.digit(byte >> 4))
      bytes.append(Hexadecimal.digit(byte & 15))
    }
    append("\"")
  }

  private mutating func append(digits value: UInt64) {
    if value < 10 {
      bytes.append(UInt8(truncatingIfNeeded: value) &+ 0x30)
      return
    }
    var digits: [20 of UInt8] = InlineArray(repeating: 0)
    var count = 0
    var rest = value
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      digits[count] = UInt8(truncatingIfNeeded: digit) &+ 0x30
      rest = quotient
      count += 1
    }
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }
}
