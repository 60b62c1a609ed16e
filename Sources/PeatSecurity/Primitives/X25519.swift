internal import CSodium

/// X25519 (RFC 7748) as the reference uses it: every public key is accepted (protocol.md 6.2).
package enum X25519 {
  /// Bytes of a public key.
  package static let publicKeySize: Int = 32

  /// The public key of a private one, which is clamped on the way.
  package static func publicKey(of privateKey: SecretKey) -> [UInt8] {
    _ = Sodium.isReady
    var result = [UInt8](repeating: 0, count: publicKeySize)
    // Both sides have 32 bytes.
    _ = unsafe privateKey.withPointer { unsafe crypto_scalarmult_base(&result, $0) }
    return result
  }

  /// The shared secret; nil unless the public key has 32 bytes.
  ///
  /// libsodium refuses public keys of small order. A clamped private key is a multiple of 8, so
  /// their shared secret is all zeros (RFC 7748 section 6.1), which the reference goes on with.
  package static func sharedSecret(privateKey: SecretKey, publicKey: [UInt8]) -> SecretKey? {
    guard publicKey.count == publicKeySize else { return nil }
    _ = Sodium.isReady
    return unsafe privateKey.withPointer { privateKey in
      unsafe SecretKey { result in
        // All three have 32 bytes.
        if unsafe crypto_scalarmult(result, privateKey, publicKey) != 0 {
          unsafe result.update(repeating: 0, count: publicKeySize)
        }
      }
    }
  }

  /// Whether a public key gives an all-zero secret with everyone.
  package static func isWeak(_ publicKey: [UInt8]) -> Bool {
    guard publicKey.count == publicKeySize else { return true }
    // Any private key shows it: the cofactor 8 divides every clamped one.
    let probe = SecretKey(exactly: [UInt8](repeating: 0x42, count: SecretKey.size))
    let zero = SecretKey(exactly: [])
    return sharedSecret(privateKey: probe, publicKey: publicKey) == zero
  }
}
