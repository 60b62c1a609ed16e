extension ByteReader {
  /// Reads one byte.
  @inlinable @inline(__always)
  public mutating func u8() throws(DecodeError) -> UInt8 { try _take(UInt8.self) }

  /// Reads a signed byte.
  @inlinable @inline(__always)
  public mutating func i8() throws(DecodeError) -> Int8 { try _take(Int8.self) }

  /// Reads 16 bits, least significant byte first.
  @inlinable @inline(__always)
  public mutating func le16() throws(DecodeError) -> UInt16 {
    UInt16(littleEndian: try _take(UInt16.self))
  }

  /// Reads 24 bits, least significant byte first.
  @inlinable @inline(__always)
  public mutating func le24() throws(DecodeError) -> UInt32 {
    guard remaining >= 3 else { throw _truncated(3) }
    let low = try le16()
    return UInt32(low) | UInt32(try u8()) << 16
  }

  /// Reads 32 bits, least significant byte first.
  @inlinable @inline(__always)
  public mutating func le32() throws(DecodeError) -> UInt32 {
    UInt32(littleEndian: try _take(UInt32.self))
  }

  /// Reads 48 bits, least significant byte first (the wire order of a device address).
  @inlinable @inline(__always)
  public mutating func le48() throws(DecodeError) -> UInt64 {
    guard remaining >= 6 else { throw _truncated(6) }
    let low = try le32()
    return UInt64(low) | UInt64(try le16()) << 32
  }

  /// Reads 64 bits, least significant byte first.
  @inlinable @inline(__always)
  public mutating func le64() throws(DecodeError) -> UInt64 {
    UInt64(littleEndian: try _take(UInt64.self))
  }

  /// Reads 16 bits, most significant byte first.
  @inlinable @inline(__always)
  public mutating func be16() throws(DecodeError) -> UInt16 {
    UInt16(bigEndian: try _take(UInt16.self))
  }

  /// Reads 32 bits, most significant byte first.
  @inlinable @inline(__always)
  public mutating func be32() throws(DecodeError) -> UInt32 {
    UInt32(bigEndian: try _take(UInt32.self))
  }

  /// Reads 64 bits, most significant byte first.
  @inlinable @inline(__always)
  public mutating func be64() throws(DecodeError) -> UInt64 {
    UInt64(bigEndian: try _take(UInt64.self))
  }

  /// Reads an IEEE 754 single, least significant byte first.
  @inlinable @inline(__always)
  public mutating func leFloat() throws(DecodeError) -> Float {
    Float(bitPattern: try le32())
  }
}
