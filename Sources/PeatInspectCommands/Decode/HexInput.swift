import PeatProtocol
import WireBytes

/// Hexadecimal text, read into a buffer that is used again.
struct HexInput: Sendable {
  /// Characters of one input; more than any message needs, and a bound on memory.
  static let maximumCharacters = 1 << 21

  /// The bytes of the last input.
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(1024)
  }

  /// Reads digits of either case with nothing between them, or what ``HexSpelling`` knows.
  ///
  /// - Throws: ``FormatFault`` with the offset of the first bad character in the text.
  mutating func read(_ text: RawSpan) throws(FormatFault) {
    let count = text.byteCount
    guard count <= HexInput.maximumCharacters else { throw HexInput.tooLong }
    let size = count / 2
    if bytes.count < size {
      bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    } else {
      bytes.removeLast(bytes.count - size)
    }
    let isHexadecimal = HexInput.convert(text, into: &bytes)
    if isHexadecimal && count & 1 == 0 { return }
    guard let spelt = HexSpelling.bytes(text) else { throw fault(text) }
    bytes = spelt
  }

  /// Converts pairs of digits, four pairs at a time; tells whether all characters were digits.
  private static func convert(_ text: RawSpan, into bytes: inout [UInt8]) -> Bool {
    let size = bytes.count
    var wrong: UInt64 = 0
    unsafe bytes.withUnsafeMutableBytes { target in
      var index = 0
      while index &+ 4 <= size {
        // In bounds: there are two characters for each byte.
        let word = unsafe text.unsafeLoadUnaligned(
          fromUncheckedByteOffset: index &* 2, as: UInt64.self)
        let (nibbles, fault) = HexInput.nibbles(UInt64(littleEndian: word))
        wrong |= fault
        var packed = (nibbles << 4 | nibbles >> 8) & 0x00FF_00FF_00FF_00FF
        packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
        unsafe target.storeBytes(
          of: UInt32(truncatingIfNeeded: packed | packed >> 16).littleEndian,
          toByteOffset: index, as: UInt32.self)
        index &+= 4
      }
      while index < size {
        // In bounds, as above; the other six characters of the word are zeros.
        let pair = unsafe text.unsafeLoadUnaligned(
          fromUncheckedByteOffset: index &* 2, as: UInt16.self)
        let zeros: UInt64 = 0x3030_3030_3030_0000
        let (nibbles, fault) = HexInput.nibbles(UInt64(UInt16(littleEndian: pair)) | zeros)
        wrong |= fault
        unsafe target[index] = UInt8(truncatingIfNeeded: nibbles << 4 | nibbles >> 8)
        index &+= 1
      }
    }
    return wrong == 0
  }

  /// The values of eight ASCII digits side by side, and bits that are set where one is none.
  ///
  /// Adding makes the top bit of a byte tell whether its character is not below a bound; no sum
  /// reaches the next byte, for characters above 0x7F are wrong in any case.
  @inline(__always)
  private static func nibbles(_ characters: UInt64) -> (values: UInt64, wrong: UInt64) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let top = ones &* 0x80
    let lower = characters | (ones &* 0x20)
    let notBelow0 = characters &+ (ones &* (0x80 - 0x30))
    let above9 = characters &+ (ones &* (0x80 - 0x3A))
    let notBelowA = lower &+ (ones &* (0x80 - 0x61))
    let aboveF = lower &+ (ones &* (0x80 - 0x67))
    let isLetter = notBelowA & ~aboveF & top
    let isDigit = notBelow0 & ~above9 & top
    let values = (characters & (ones &* 0x0F)) &+ (isLetter >> 7) &* 9
    return (values, (~(isDigit | isLetter) | characters) & top)
  }

  static let tooLong = FormatFault(
    reason: "not hexadecimal: longer than \(maximumCharacters) characters",
    offset: maximumCharacters)

  private func fault(_ text: RawSpan) -> FormatFault {
    for offset in 0..<text.byteCount {
      // In bounds: the loop ends at the count.
      let character = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      guard Hexadecimal.value(ofDigit: character) == nil else { continue }
      let shown =
        (0x21...0x7E).contains(character)
        ? "'\(Character(Unicode.Scalar(character)))'" : "0x\(Hexadecimal.string([character]))"
      return FormatFault(reason: "not hexadecimal: character \(shown)", offset: offset)
    }
    return FormatFault(
      reason: "not hexadecimal: an odd number of digits", offset: text.byteCount)
  }
}
