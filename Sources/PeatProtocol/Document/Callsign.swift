/// A peripheral's name: 12 bytes of UTF-8, padded with zeros (protocol.md 2.3).
public struct Callsign: Hashable, Sendable, BitwiseCopyable {
  /// Bytes on the wire.
  public static let encodedSize = 12

  // Two integers in place of an array: a document is decoded without allocating for them.
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt32

  init(low: UInt64, high: UInt32) {
    self.low = low
    self.high = high
  }

  /// Makes a callsign of text, cut to 12 bytes at a character's border as protocol.md 2.3 advises.
  public init(_ text: String) {
    var kept: [UInt8] = []
    for scalar in text.unicodeScalars {
      let encoded = String(scalar).utf8
      guard kept.count + encoded.count <= Callsign.encodedSize else { break }
      kept.append(contentsOf: encoded)
    }
    self.init(padding: kept)
  }

  /// Makes a callsign of bytes as they are, cut or zero-padded to 12.
  public init(padding bytes: some Sequence<UInt8>) {
    var low: UInt64 = 0
    var high: UInt32 = 0
    for (index, byte) in bytes.prefix(Callsign.encodedSize).enumerated() {
      if index < 8 {
        low |= UInt64(byte) << (8 * UInt64(index))
      } else {
        high |= UInt32(byte) << (8 * UInt32(index - 8))
      }
    }
    self.init(low: low, high: high)
  }

  /// All 12 bytes, those behind the first zero too.
  public var bytes: [UInt8] { (0..<Callsign.encodedSize).map { byte($0) } }

  /// Bytes before the first zero.
  @inlinable public var length: Int {
    for index in 0..<Callsign.encodedSize where byte(index) == 0 { return index }
    return Callsign.encodedSize
  }

  /// The text before the first zero; what is no UTF-8 is replaced.
  public var text: String {
    String(decoding: (0..<length).map { byte($0) }, as: UTF8.self)
  }

  /// Whether the bytes before the first zero are UTF-8.
  public var isValid: Bool {
    // All ASCII, as nearly every callsign is.
    if low & 0x8080_8080_8080_8080 == 0 && high & 0x8080_8080 == 0 { return true }
    return String(validating: (0..<length).map { byte($0) }, as: UTF8.self) != nil
  }

  /// One of the 12 bytes.
  @inlinable @inline(__always)
  public func byte(_ index: Int) -> UInt8 {
    index < 8
      ? UInt8(truncatingIfNeeded: low >> (8 * UInt64(index)))
      : UInt8(truncatingIfNeeded: high >> (8 * UInt32(index - 8)))
  }
}
