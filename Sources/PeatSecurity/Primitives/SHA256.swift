internal import CSodium

/// SHA-256 in parts (FIPS 180-4 6.2), over libsodium.
package struct SHA256 {
  /// Bytes of a digest.
  package static let size = 32

  private var state = crypto_hash_sha256_state()

  /// Begins a digest.
  package init() {
    _ = Sodium.isReady
    unsafe crypto_hash_sha256_init(&state)
  }

  /// The digest of some bytes (FIPS 180-4 6.2).
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes, count: bytes.count)
    return hash.final()
  }

  /// Takes in the first `count` of some bytes (FIPS 180-4 6.2).
  package mutating func update(_ bytes: [UInt8], count: Int) {
    // The call reads no more than the array holds.
    unsafe crypto_hash_sha256_update(&state, bytes, UInt64(min(max(count, 0), bytes.count)))
  }

  /// The digest; the state must not be used again (FIPS 180-4 6.2).
  package mutating func final() -> [UInt8] {
    var output = [UInt8](repeating: 0, count: SHA256.size)
    // The call writes 32 bytes.
    unsafe crypto_hash_sha256_final(&state, &output)
    return output
  }
}
