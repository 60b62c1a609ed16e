/// A secret of exactly 32 bytes: every key and seed of protocol.md 6 has that length.
package struct SecretKey: Sendable, Equatable {
  /// Bytes of a key.
  package static let size: Int = 32

  let bytes: SecretBytes

  /// Copies `bytes`; nil unless there are 32. Wiping the source is the caller's part.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = SecretBytes(bytes)
  }

  /// Makes a key of 32 bytes that `body` writes.
  init(filledBy body: (UnsafeMutablePointer<UInt8>) -> Void) {
    bytes = unsafe SecretBytes(count: Self.size, filledBy: body)
  }

  /// Draws a key from the operating system's random source.
  package static func random() -> SecretKey {
    var drawn = SecureRandom.bytes(size)
    defer { Sodium.wipe(&drawn) }
    return SecretKey(exactly: drawn)
  }

  /// Takes the first 32 bytes, zeros behind the end of a shorter array.
  init(exactly source: [UInt8]) {
    bytes = SecretBytes(prefix: Self.size, of: source)
  }

  /// Lends the 32 bytes to `body` as a view.
  package func withSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withSpan(body)
  }

  /// Lends the address of the 32 bytes to `body`, which must not keep it.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    unsafe bytes.withPointer(body)
  }

  /// Copies the bytes out of the guarded memory, for a stored form that must contain them.
  package func copy() -> [UInt8] { bytes.copy() }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length alone.
  package var description: String { bytes.description }
  /// The length alone.
  package var debugDescription: String { bytes.description }
  /// Shows no children, so that `dump` cannot reveal the bytes.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
