internal import CSodium

/// The one-time start of libsodium and its small services.
enum Sodium {
  /// Starts libsodium on first use, which lets it pick the processor's fastest code.
  ///
  /// Every function used here also works where that fails, only slower, so the result is a hint.
  static let isReady: Bool = sodium_init() >= 0

  /// Whether two byte strings are equal, in time that depends on their lengths only.
  static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    // Both arrays hold `left.count` bytes.
    return unsafe sodium_memcmp(left, right, left.count) == 0
  }

  /// Overwrites the bytes of an array that held secret intermediate values.
  static func wipe(_ bytes: inout [UInt8]) {
    let count = bytes.count
    // The array owns `count` bytes and is unshared while it is borrowed for writing.
    unsafe sodium_memzero(&bytes, count)
  }
}

/// Bytes from the operating system's random source.
package enum SecureRandom {
  /// `count` unpredictable bytes, for nonces and keys.
  package static func bytes(_ count: Int) -> [UInt8] {
    _ = Sodium.isReady
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    let size = bytes.count
    // The array owns `size` bytes.
    unsafe randombytes_buf(&bytes, size)
    return bytes
  }
}
