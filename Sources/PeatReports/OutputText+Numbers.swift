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

  /// Appends 32 lower-case digits.
  mutating func append(hex128 value: UInt128) {
    append(
      hex: (0..<16).map { UInt8(truncatingIfNeeded: value >> UInt128(120 - 8 * $0)) })
  }
}
