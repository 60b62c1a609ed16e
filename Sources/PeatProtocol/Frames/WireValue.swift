public import WireBytes

/// A value with one wire form: what every frame and structure of this target has in common.
///
/// Decoders check each length before they use it; where the reference ignores bytes behind the
/// last field, so do they.
public protocol WireValue: Equatable, Sendable {
  /// Reads the value at the cursor.
  ///
  /// - Throws: ``FormatFault`` where the reference refuses the bytes.
  init(decoding reader: inout ByteReader) throws(FormatFault)

  /// Appends the bytes that the reference's encoder writes for this value.
  func encode(into writer: inout ByteWriter)
}

extension WireValue {
  /// Reads the value at the start of `bytes`.
  public init(bytes: [UInt8]) throws(FormatFault) {
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    try self.init(decoding: &reader)
  }

  /// The value's wire form.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.bytes
  }
}

/// Reads that name the field they wanted, so that a fault can say what was cut.
extension ByteReader {
  private func cut(_ field: StaticString, _ error: DecodeError) -> FormatFault {
    FormatFault(
      reason: "\(field) needs \(error.needed) bytes, \(error.available) left",
      offset: error.offset)
  }

  mutating func u8(_ field: StaticString) throws(FormatFault) -> UInt8 {
    do { return try u8() } catch { throw cut(field, error) }
  }

  mutating func i8(_ field: StaticString) throws(FormatFault) -> Int8 {
    do { return try i8() } catch { throw cut(field, error) }
  }

  mutating func le16(_ field: StaticString) throws(FormatFault) -> UInt16 {
    do { return try le16() } catch { throw cut(field, error) }
  }

  mutating func le32(_ field: StaticString) throws(FormatFault) -> UInt32 {
    do { return try le32() } catch { throw cut(field, error) }
  }

  mutating func le64(_ field: StaticString) throws(FormatFault) -> UInt64 {
    do { return try le64() } catch { throw cut(field, error) }
  }

  mutating func be16(_ field: StaticString) throws(FormatFault) -> UInt16 {
    do { return try be16() } catch { throw cut(field, error) }
  }

  mutating func be32(_ field: StaticString) throws(FormatFault) -> UInt32 {
    do { return try be32() } catch { throw cut(field, error) }
  }

  mutating func leFloat(_ field: StaticString) throws(FormatFault) -> Float {
    do { return try leFloat() } catch { throw cut(field, error) }
  }

  mutating func node(_ field: StaticString) throws(FormatFault) -> NodeID {
    NodeID(rawValue: try le32(field))
  }

  mutating func array(_ count: Int, _ field: StaticString) throws(FormatFault) -> [UInt8] {
    do { return try array(count) } catch { throw cut(field, error) }
  }

  mutating func skip(_ count: Int, _ field: StaticString) throws(FormatFault) {
    do { try skip(count) } catch { throw cut(field, error) }
  }

  @_lifetime(copy self)
  mutating func split(_ count: Int, _ field: StaticString) throws(FormatFault) -> ByteReader {
    do { return try split(count, layer: layer) } catch { throw cut(field, error) }
  }

  /// Throws unless `count` bytes are left for `field`.
  func require(_ count: Int, _ field: StaticString) throws(FormatFault) {
    guard remaining >= count else {
      throw FormatFault(reason: "\(field) needs \(count) bytes, \(remaining) left", offset: offset)
    }
  }
}
