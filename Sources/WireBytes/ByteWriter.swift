/// A growing byte buffer with the integer spellings that the wire formats use.
public struct ByteWriter: Sendable {
  /// What was written so far.
  public var bytes: [UInt8]

  /// Makes an empty writer with room for `capacity` bytes.
  public init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Bytes written so far.
  public var count: Int { bytes.count }

  /// Appends one byte.
  public mutating func u8(_ value: UInt8) { bytes.append(value) }

  /// Appends 16 bits, least significant byte first.
  public mutating func le16(_ value: UInt16) { append(littleEndian: value) }

  /// Appends 32 bits, least significant byte first.
  public mutating func le32(_ value: UInt32) { append(littleEndian: value) }

  /// Appends the low 48 bits, least significant byte first.
  public mutating func le48(_ value: UInt64) {
    le32(UInt32(truncatingIfNeeded: value))
    le16(UInt16(truncatingIfNeeded: value >> 32))
  }

  /// Appends 64 bits, least significant byte first.
  public mutating func le64(_ value: UInt64) { append(littleEndian: value) }

  /// Appends 16 bits, most significant byte first.
  public mutating func be16(_ value: UInt16) { append(littleEndian: value.byteSwapped) }

  /// Appends 32 bits, most significant byte first.
  public mutating func be32(_ value: UInt32) { append(littleEndian: value.byteSwapped) }

  /// Appends 64 bits, most significant byte first.
  public mutating func be64(_ value: UInt64) { append(littleEndian: value.byteSwapped) }

  /// Appends an IEEE 754 single, least significant byte first.
  public mutating func leFloat(_ value: Float) { le32(value.bitPattern) }

  /// Appends bytes as they are.
  public mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends `body` behind its own length as 16 bits, least significant byte first.
  ///
  /// The length wraps at 65 536, as the reference's encoder does.
  public mutating func le16LengthPrefixed(_ body: (inout ByteWriter) -> Void) {
    let place = bytes.count
    le16(0)
    body(&self)
    let length = UInt16(truncatingIfNeeded: bytes.count - place - 2)
    bytes[place] = UInt8(truncatingIfNeeded: length)
    bytes[place + 1] = UInt8(truncatingIfNeeded: length >> 8)
  }

  private mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    var rest = value
    for _ in 0..<MemoryLayout<T>.size {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
