/// A hash of 64 bits that is the same in every run and on every machine (FNV-1a, RFC 9923).
///
/// For telling equal bytes from different ones in memory; no protection against who makes bytes up.
public struct FNV1a: Sendable {
  /// The hash of what was added so far.
  @inlinable public var value: UInt64 { _value }

  @usableFromInline var _value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of nothing.
  @inlinable
  public init() {}

  /// Adds a byte.
  @inlinable @inline(__always)
  public mutating func add(_ byte: UInt8) {
    _value = (_value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  /// Adds bytes.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }
}

extension Array where Element == UInt8 {
  /// A hash of the bytes for telling contents apart within one run, taken all at once where the
  /// array's own hash takes each byte for itself.
  public var contentHash: Int {
    var hasher = Hasher()
    // The pointer does not leave the closure.
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}

/// The same hash of 128 bits (FNV-1a, RFC 9923), for names that must stay apart among billions.
public struct FNV1a128: Sendable {
  /// The hash of what was added so far.
  public private(set) var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// The hash of nothing.
  public init() {}

  /// Adds a byte.
  public mutating func add(_ byte: UInt8) {
    // The prime of 128 bits is 2^88 + 0x13B.
    let mixed = value ^ UInt128(byte)
    value = (mixed &<< 88) &+ mixed &* 0x13B
  }

  /// Adds bytes.
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  /// Adds a number, least significant byte first.
  public mutating func add<Number: FixedWidthInteger & UnsignedInteger>(little number: Number) {
    var rest = number
    for _ in 0..<(Number.bitWidth / 8) {
      add(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
