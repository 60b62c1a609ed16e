internal import CSodium

/// ChaCha20-Poly1305 with a 12-byte nonce and no associated data (RFC 8439; protocol.md 6).
package enum ChaChaPoly {
  /// Bytes of a nonce.
  package static let nonceSize: Int = 12
  /// Bytes of a tag.
  package static let tagSize: Int = 16

  /// A ciphertext and its tag.
  package struct Sealed: Equatable, Sendable {
    /// As long as the plaintext.
    package let ciphertext: [UInt8]
    /// 16 bytes.
    package let tag: [UInt8]
  }

  /// Encrypts `plaintext`; nil unless the nonce has 12 bytes. A nonce must serve one message only.
  package static func seal(_ plaintext: [UInt8], key: SecretKey, nonce: [UInt8]) -> Sealed? {
    guard nonce.count == nonceSize else { return nil }
    _ = Sodium.isReady
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: tagSize)
    // Key, nonce and tag have the sizes that the function reads and writes.
    unsafe key.withPointer { key in
      _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        &ciphertext, &tag, nil, plaintext, UInt64(plaintext.count), nil, 0, nil, nonce, key)
    }
    return Sealed(ciphertext: ciphertext, tag: tag)
  }

  /// Checks the tag and decrypts; nil where the tag does not match the bytes under this key.
  package static func open(
    _ ciphertext: [UInt8], tag: [UInt8], key: SecretKey, nonce: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceSize, tag.count == tagSize else { return nil }
    _ = Sodium.isReady
    var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
    // Key, nonce and tag have the sizes that the function reads.
    let result = unsafe key.withPointer { key in
      unsafe crypto_aead_chacha20poly1305_ietf_decrypt_detached(
        &plaintext, nil, ciphertext, UInt64(ciphertext.count), tag, nil, 0, nonce, key)
    }
    return result == 0 ? plaintext : nil
  }

  /// Decrypts without looking at the tag: what the bytes would be if only the tag were damaged.
  ///
  /// The result is for telling a wrong key from changed bytes, never for showing or joining. The
  /// text is encrypted from block 1 on; block 0 makes the Poly1305 key (RFC 8439 section 2.8).
  package static func decryptUnchecked(
    _ ciphertext: [UInt8], key: SecretKey, nonce: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceSize else { return nil }
    _ = Sodium.isReady
    var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
    // Key and nonce have the sizes that the function reads.
    let result = unsafe key.withPointer { key in
      unsafe crypto_stream_chacha20_ietf_xor_ic(
        &plaintext, ciphertext, UInt64(ciphertext.count), nonce, 1, key)
    }
    return result == 0 ? plaintext : nil
  }
}
