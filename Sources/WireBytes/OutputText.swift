/// Text under construction as UTF-8 bytes, with the number spellings that the reports use.
///
/// Everything a report prints goes through one of these, so that formatting allocates nothing.
public struct OutputText: Sendable {
  /// The bytes written so far.
  public var bytes: [UInt8]

  /// Makes an empty text with room for `capacity` bytes.
  public init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Empties the text and keeps its room.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends literal text.
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends text as it is; neutralising is the caller's part.
  public mutating func append(raw text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends one ASCII character.
  public mutating func append(ascii character: UInt8) { bytes.append(character) }

  /// Appends a number in decimal digits.
  public mutating func append(decimal value: some BinaryInteger) {
    if value < 0 {
      bytes.append(0x2D)
      append(unsigned: UInt64(truncatingIfNeeded: value.magnitude))
    } else {
      append(unsigned: UInt64(truncatingIfNeeded: value))
    }
  }

  /// Appends a number in decimal digits, padded with zeros to `width`.
  public mutating func append(decimal value: Int, width: Int) {
    var limit = 1
    for _ in 1..<max(width, 1) { limit *= 10 }
    while limit > 1 && value < limit {
      bytes.append(0x30)
      limit /= 10
    }
    append(decimal: value)
  }

  /// Appends lower-case hexadecimal digits, two a byte.
  public mutating func append(hex data: some Sequence<UInt8>) {
    for byte in data {
      bytes.append(Hexadecimal.digit(byte >> 4))
      bytes.append(Hexadecimal.digit(byte & 15))
    }
  }

  /// Appends 8 upper-case hexadecimal digits, as node ids are shown.
  public mutating func append(upperHex value: UInt32) {
    var shift: UInt32 = 32
    while shift > 0 {
      shift -= 4
      let nibble = UInt8(truncatingIfNeeded: value >> shift) & 15
      bytes.append(nibble < 10 ? nibble + 0x30 : nibble + 0x37)
    }
  }

  /// Appends the shortest decimal that reads back as `value`, with a point or an exponent.
  public mutating func append(float value: Float) { append(raw: value.description) }

  /// Appends `text` as the inside of a JSON string.
  ///
  /// Quotes, backslashes, control and bidi characters, U+2028, U+2029 and `<` become escapes, so
  /// that what a stranger's radio sent can neither act on a terminal nor break out of a script.
  public mutating func append(jsonEscaped text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x20...0x3B, 0x3D...0x7E: bytes.append(UInt8(scalar.value))
      case 0..<0x80: append(jsonUnit: UInt16(scalar.value))
      default:
        if OutputText.isNeutralised(scalar) {
          for unit in String(scalar).utf16 { append(jsonUnit: unit) }
        } else {
          bytes.append(contentsOf: String(scalar).utf8)
        }
      }
    }
  }

  /// Appends `text` as a JSON string with its quotes.
  public mutating func append(jsonString text: String) {
    bytes.append(0x22)
    append(jsonEscaped: text)
    bytes.append(0x22)
  }

  /// Whether a character must not reach a terminal, a spreadsheet or a page as it is: controls,
  /// format and bidi controls, line separators, surrogates' stand-ins and private use.
  public static func isNeutralised(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x20 || scalar.value == 0x7F { return true }
    if scalar.value < 0x80 { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      true
    default: false
    }
  }

  private mutating func append(jsonUnit unit: UInt16) {
    append("\\u")
    var shift: UInt16 = 16
    while shift > 0 {
      shift -= 4
      bytes.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: unit >> shift) & 15))
    }
  }

  private mutating func append(unsigned value: UInt64) {
    if value < 10 {
      bytes.append(UInt8(truncatingIfNeeded: value) &+ 0x30)
      return
    }
    var digits: [20 of UInt8] = InlineArray(repeating: 0)
    var count = 0
    var rest = value
    while rest > 0 {
      digits[count] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
      rest /= 10
      count += 1
    }
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }
}
