import WireBytes

/// The cyclic redundancy check of link-layer packets.
///
/// Core Specification Vol 6 Part B, 3.1.1: x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, fed with
/// the bits in the order of transmission. The register is held mirrored here, so that its value is
/// the check's three bytes read least significant byte first.
public struct CRC24: Sendable, Equatable, BitwiseCopyable {
  /// The start value on advertising channels (Vol 6 Part B, 3.1.1).
  public static let advertisingInitial: UInt32 = 0x55_5555

  private static let mirroredPolynomial: UInt32 = 0xDA_6000
  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? mirroredPolynomial : 0) }
    return value
  }
  /// What a byte adds that has one, two or three bytes behind it, in turn for each.
  private static let wide: [UInt32] = (1...3).reduce(into: table) { wide, _ in
    for before in wide.suffix(256) { wide.append(before >> 8 ^ table[Int(before & 0xFF)]) }
  }

  /// The check so far, as its three bytes read least significant byte first.
  public private(set) var value: UInt32

  /// Starts a check with the value that CONNECT_IND carries as CRCInit, 24 bits.
  public init(initial: UInt32) { value = CRC24.mirrored(initial) }

  /// Goes back from the check of a packet: after `takeBack` of all its bytes, last byte first,
  /// `initial` is the value that the check was started with.
  init(endingWith value: UInt32) { self.value = value & 0xFF_FFFF }

  /// The value to start with, to have the check that stands here.
  public var initial: UInt32 { CRC24.mirrored(value) }

  /// Takes in one byte.
  public mutating func add(_ byte: UInt8) {
    value = value >> 8 ^ CRC24.table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
  }

  /// Takes in bytes in their order.
  public mutating func add(_ bytes: RawSpan) {
    var value = value
    // Every load lies in the bytes; the table has 256 entries for each of four places.
    unsafe CRC24.wide.withUnsafeBufferPointer { wide in
      unsafe bytes.withUnsafeBytes { bytes in
        var place = 0
        while place &+ 4 <= bytes.count {
          let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
          let mixed = value ^ UInt32(littleEndian: word)
          value = unsafe wide[768 | Int(mixed & 0xFF)] ^ wide[512 | Int(mixed >> 8 & 0xFF)]
          value ^= unsafe wide[256 | Int(mixed >> 16 & 0xFF)] ^ wide[Int(mixed >> 24)]
          place &+= 4
        }
        while place < bytes.count {
          value = unsafe value >> 8 ^ wide[Int((value ^ UInt32(bytes[place])) & 0xFF)]
          place &+= 1
        }
      }
    }
    self.value = value
  }

  /// Undoes `add` of one byte.
  ///
  /// The polynomial's highest mirrored bit is set and a shift leaves it clear, so that the bit
  /// tells whether the polynomial was added in the step that is undone.
  mutating func takeBack(_ byte: UInt8) {
    for bit in stride(from: 7, through: 0, by: -1) {
      let wasAdded = value >> 23 & 1
      let shifted = wasAdded == 1 ? value ^ CRC24.mirroredPolynomial : value
      value = (shifted << 1 | (wasAdded ^ UInt32(byte >> UInt8(bit) & 1))) & 0xFF_FFFF
    }
  }

  /// Undoes `add` of bytes.
  mutating func takeBack(_ bytes: RawSpan) {
    let reader = ByteReader(bytes, layer: .linkLayer)
    for place in stride(from: reader.remaining - 1, through: 0, by: -1) {
      if let byte = reader.peek(place) { takeBack(byte) }
    }
  }

  /// The low 24 bits in opposite order.
  private static func mirrored(_ value: UInt32) -> UInt32 {
    var result: UInt32 = 0
    for bit in 0..<24 { result |= (value >> UInt32(bit) & 1) << UInt32(23 - bit) }
    return result
  }
}
