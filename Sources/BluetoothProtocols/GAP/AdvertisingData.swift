import WireBytes

/// One structure of advertising data: its type and its bytes.
public struct AdvertisingField: ~Escapable {
  /// The AD type (Assigned Numbers, 2.3).
  public let type: UInt8
  /// The data, without length and type.
  public let data: RawSpan

  @_lifetime(copy data)
  init(type: UInt8, data: RawSpan) {
    self.type = type
    self.data = data
  }
}

/// The structures of advertising or scan response data.
///
/// Core Specification Vol 3 Part C, 11. A length of 0 ends the data; one that runs over the end
/// ends it quietly.
public struct AdvertisingData: ~Escapable {
  private var reader: ByteReader

  /// Makes a reader over the data of one report.
  @_lifetime(copy data)
  public init(_ data: RawSpan) { reader = ByteReader(data, layer: .gap) }

  /// The next structure, or nil at the end.
  @_lifetime(copy self)
  public mutating func next() -> AdvertisingField? {
    guard let length = reader.peek(), length > 0, reader.remaining > Int(length) else {
      return nil
    }
    do throws(DecodeError) {
      try reader.skip(1)
      let type = try reader.u8()
      return AdvertisingField(type: type, data: try reader.view(Int(length) - 1))
    } catch {
      return nil
    }
  }

  /// Takes the byte behind the last structure, for a sender whose length byte is one too small.
  public mutating func takeByte() -> UInt8? {
    guard let byte = reader.peek() else { return nil }
    do throws(DecodeError) { try reader.skip(1) } catch { return nil }
    return byte
  }
}
