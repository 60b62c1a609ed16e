internal import CSodium

/// HKDF with SHA-256 (RFC 5869), over libsodium's HMAC.
package enum HKDF {
  /// `count` bytes of key material; nil above 255 hash lengths, which RFC 5869 section 2.3 forbids.
  package static func derive(
    salt: [UInt8], inputKey: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes? {
    guard count >= 0, count <= 255 * HMAC.size else { return nil }
    var extraction = HMAC(key: salt)
    extraction.update(inputKey)
    var pseudorandomKey = extraction.final()
    var material: [UInt8] = []
    var previous: [UInt8] = []
    defer {
      Sodium.wipe(&pseudorandomKey)
      Sodium.wipe(&material)
      Sodium.wipe(&previous)
    }
    // Room for all, so that growing leaves no copy behind.
    material.reserveCapacity(count + HMAC.size)
    var number: UInt8 = 0
    while material.count < count {
      number &+= 1
      var expansion = HMAC(key: pseudorandomKey)
      expansion.update(previous)
      expansion.update(info)
      expansion.update([number])
      Sodium.wipe(&previous)
      previous = expansion.final()
      material += previous
    }
    return SecretBytes(prefix: count, of: material)
  }

  /// A 32-byte key from a secret and a public salt.
  static func key(salt: [UInt8], inputKey: SecretKey, info: String) -> SecretKey {
    var extraction = HMAC(key: salt)
    extraction.update(inputKey.bytes)
    var pseudorandomKey = extraction.final()
    var expansion = HMAC(key: pseudorandomKey)
    expansion.update(Array(info.utf8))
    expansion.update([1])
    var output = expansion.final()
    defer {
      Sodium.wipe(&pseudorandomKey)
      Sodium.wipe(&output)
    }
    return SecretKey(exactly: output)
  }
}

/// HMAC-SHA256 in parts (RFC 2104).
private struct HMAC {
  static let size = 32

  private var state = crypto_auth_hmacsha256_state()

  init(key: [UInt8]) {
    _ = Sodium.isReady
    // The call reads exactly the bytes of the array.
    unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
  }

  mutating func update(_ part: [UInt8]) {
    // The call reads exactly the bytes of the array.
    unsafe crypto_auth_hmacsha256_update(&state, part, UInt64(part.count))
  }

  mutating func update(_ part: SecretBytes) {
    // The call reads exactly the bytes of the secret.
    unsafe part.withPointer {
      _ = unsafe crypto_auth_hmacsha256_update(&state, $0, UInt64(part.count))
    }
  }

  /// The code; the state is wiped and must not be used again.
  mutating func final() -> [UInt8] {
    var output = [UInt8](repeating: 0, count: Self.size)
    // The call writes 32 bytes; the state has the size that is wiped.
    unsafe crypto_auth_hmacsha256_final(&state, &output)
    unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
    return output
  }
}
