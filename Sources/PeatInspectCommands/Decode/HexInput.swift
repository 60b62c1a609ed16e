import PeatProtocol
import WireBytes

/// Bare hexadecimal text, read into a buffer that is used again.
struct HexInput: Sendable {
  /// Characters of one input; more than any message needs, and a bound on memory.
  static let maximumCharacters = 1 << 21

  /// The bytes of the last input.
  private(set) var bytes: [UInt8] = []
  /// The value of each character as a digit; 0xFF for what is none.
  private let values: [UInt8]

  init() {
    bytes.reserveCapacity(1024)
    values = (0...255).map { Hexadecimal.value(ofDigit: UInt8($0)) ?? 0xFF }
  }

  /// Reads digits of either case with nothing between them.
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
    // A character that is no digit sets the top bits.
    var seen: UInt8 = 0
    unsafe values.withUnsafeBufferPointer { table in
      unsafe bytes.withUnsafeMutableBufferPointer { target in
        for index in 0..<size {
          // In bounds: there are two characters for each byte, and 256 values.
          let pair = unsafe text.unsafeLoadUnaligned(
            fromUncheckedByteOffset: index &* 2, as: UInt16.self)
          let high = unsafe table[Int(UInt16(littleEndian: pair) & 0xFF)]
          let low = unsafe table[Int(UInt16(littleEndian: pair) >> 8)]
          seen |= high | low
          unsafe target[index] = high << 4 | low & 15
        }
      }
    }
    if seen & 0xF0 != 0 || count & 1 != 0 { throw fault(text) }
  }

  static let tooLong = FormatFault(
    reason: "not hexadecimal: longer than \(maximumCharacters) characters",
    offset: maximumCharacters)

  private func fault(_ text: RawSpan) -> FormatFault {
    for offset in 0..<text.byteCount {
      // In bounds: the loop ends at the count.
      let character = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      guard values[Int(character)] == 0xFF else { continue }
      let shown =
        (0x21...0x7E).contains(character)
        ? "'\(Character(Unicode.Scalar(character)))'" : "0x\(Hexadecimal.string([character]))"
      return FormatFault(reason: "not hexadecimal: character \(shown)", offset: offset)
    }
    return FormatFault(
      reason: "not hexadecimal: an odd number of digits", offset: text.byteCount)
  }
}
