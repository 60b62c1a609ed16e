internal import WireBytes

extension OutputText {
  /// Appends a number in decimal digits.
  @inline(__always)
  mutating func append(number value: some FixedWidthInteger) { append(decimal: value) }

  /// Appends bytes as a string of lower-case digits.
  mutating func append(jsonHex data: [UInt8]) {
    append("\"")
    append(hex: data)
    append("\"")
  }
}
