internal import CSodium
internal import WireBytes

/// HKDF with SHA-256 (RFC 5869), over libsodium's HMAC.
package enum HKDF {
  /// Bytes of one SHA-256 output.
  private static let hashSize = 32

  /// `count` bytes of key material; at most 255 hash lengths, as RFC 5869 section 2.3 allows.
  package static func derive(
    salt: [UInt8], inputKey: RawSpan, info: [UInt8], count: Int
  ) -> SecretBytes? {
    guard count >= 0, count <= 255 * hashSize else { return nil }
    var pseudorandomKey = authenticate(key: salt, [[UInt8](inputKey)])
    var material: [UInt8] = []
    var previous: [UInt8] = []
    defer {
      Sodium.wipe(&pseudorandomKey)
      Sodium.wipe(&material)
      Sodium.wipe(&previous)
    }
    material.reserveCapacity(count + hashSize)
    var number: UInt8 = 0
    while material.count < count {
      number &+= 1
      previous = authenticate(key: pseudorandomKey, [previous, info, [number]])
      material += previous
    }
    return SecretBytes(Array(material.prefix(count)))
  }

  /// A 32-byte key from a secret and a public salt.
  static func key(salt: [UInt8], inputKey: SecretKey, info: String) -> SecretKey {
    inputKey.withSpan { secret in
      var extracted = authenticate(key: salt, [[UInt8](secret)])
      var output = authenticate(key: extracted, [Array(info.utf8), [1]])
      defer {
        Sodium.wipe(&extracted)
        Sodium.wipe(&output)
      }
      return SecretKey(exactly: output)
    }
  }

  /// HMAC-SHA256 of the parts in order (RFC 2104).
  private static func authenticate(key: [UInt8], _ parts: [[UInt8]]) -> [UInt8] {
    _ = Sodium.isReady
    var state = crypto_auth_hmacsha256_state()
    var output = [UInt8](repeating: 0, count: hashSize)
    // Each call reads exactly the bytes of its array and writes 32 bytes at the end.
    unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
    for part in parts {
      unsafe crypto_auth_hmacsha256_update(&state, part, UInt64(part.count))
    }
    unsafe crypto_auth_hmacsha256_final(&state, &output)
    unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
    return output
  }
}
