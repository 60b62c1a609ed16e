internal import CSodium

/// BLAKE2b with a key: equal input and key give equal output, and nobody without the key can tell
/// which input it was (RFC 7693 section 2.9).
package struct KeyedHash: Sendable {
  /// Bytes of one hash.
  package static let size = 64

  private let key: [UInt8]

  /// Takes a key of up to 64 bytes; a longer one counts by its hash.
  package init(key: [UInt8]) {
    _ = Sodium.isReady
    self.key = key.count <= 64 ? key : KeyedHash.hash(key, key: [])
  }

  /// The hash of `message`, 64 bytes.
  package func callAsFunction(_ message: [UInt8]) -> [UInt8] {
    KeyedHash.hash(message, key: key)
  }

  private static func hash(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: size)
    // Output, message and key have the sizes that the function is told.
    _ = unsafe crypto_generichash(
      &output, size, message, UInt64(message.count), key, key.count)
    return output
  }
}
