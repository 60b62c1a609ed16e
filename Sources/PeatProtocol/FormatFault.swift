/// Why bytes are not the message they were taken for, and where that shows.
///
/// This is what the record of a `malformed` message tells as `reason` and `offset`.
public struct FormatFault: Error, Equatable, Sendable {
  /// One clause for a person, such as "counter claims 2 entries (24 bytes), 8 bytes left".
  public var reason: String
  /// Offset of the first wrong or missing byte, in the bytes that were decoded.
  public var offset: Int

  /// Makes a fault from its parts.
  public init(reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}
