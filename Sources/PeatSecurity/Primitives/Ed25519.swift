internal import CSodium

/// Ed25519 signatures (RFC 8032) with the acceptance rule of the reference (protocol.md 6.4).
///
/// The rule is the equation without cofactor: S below the group order, and the bytes of
/// S·B − k·A equal to R. Weak and non-canonical keys pass where that holds. libsodium refuses
/// them outright, so what it refuses is checked again by its group operations.
package enum Ed25519 {
  /// Bytes of a public key.
  package static let publicKeySize: Int = 32
  /// Bytes of a signature.
  package static let signatureSize: Int = 64

  /// The public key that belongs to a 32-byte private seed.
  package static func publicKey(of seed: SecretKey) -> [UInt8] {
    var publicKey = [UInt8](repeating: 0, count: publicKeySize)
    _ = expanded(seed, publicKey: &publicKey)
    return publicKey
  }

  /// The signature of `message`; the same message always gets the same one.
  package static func signature(of message: [UInt8], seed: SecretKey) -> [UInt8] {
    var publicKey = [UInt8](repeating: 0, count: publicKeySize)
    let secret = expanded(seed, publicKey: &publicKey)
    var signature = [UInt8](repeating: 0, count: signatureSize)
    // The secret key has the 64 bytes that are read, the signature those that are written.
    unsafe secret.withPointer { secret in
      _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
    }
    return signature
  }

  /// Whether the reference accepts `signature` for `message` under `publicKey`.
  package static func isValid(
    signature: [UInt8], of message: [UInt8], publicKey: [UInt8]
  ) -> Bool {
    guard signature.count == signatureSize, publicKey.count == publicKeySize else { return false }
    _ = Sodium.isReady
    // The arrays have the sizes that the function reads. What it accepts, the equation does too.
    if unsafe crypto_sign_verify_detached(
      signature, message, UInt64(message.count), publicKey) == 0
    {
      return true
    }
    return Ed25519Equation.holds(signature: signature, message: message, publicKey: publicKey)
  }

  private static func expanded(_ seed: SecretKey, publicKey: inout [UInt8]) -> SecretBytes {
    _ = Sodium.isReady
    var derived = [UInt8](repeating: 0, count: publicKeySize)
    let secret = unsafe SecretBytes(count: 64) { secret in
      // Seed and public key have 32 bytes, the secret key 64.
      unsafe seed.withPointer { seed in
        _ = unsafe crypto_sign_seed_keypair(&derived, secret, seed)
      }
    }
    publicKey = derived
    return secret
  }
}
