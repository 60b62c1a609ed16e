package import PeatProtocol

/// Seals and opens 0xAE frames under one key (protocol.md 6.1).
package struct MeshCipher: Sendable, Equatable {
  private let key: SecretKey

  /// Takes a derived key.
  package init(key: SecretKey) { self.key = key }

  /// Derives the key from a mesh's secret.
  package init(meshID: String, secret: SecretKey, labels: KeyLabels = .peat) {
    key = KeyDerivation.meshKey(meshID: meshID, secret: secret, labels: labels)
  }

  /// The frame around `plaintext`; nil unless the nonce has 12 bytes.
  ///
  /// A nonce must serve one frame only. The reference sends the plaintext when sealing fails; a
  /// caller must not.
  package func seal(_ plaintext: [UInt8], nonce: [UInt8]) -> EncryptedFrame? {
    ChaChaPoly.seal(plaintext, key: key, nonce: nonce).map {
      EncryptedFrame(nonce: nonce, ciphertext: $0.ciphertext, tag: $0.tag)
    }
  }

  /// The plaintext; nil for a wrong key or changed bytes, which the tag cannot tell apart.
  package func open(_ frame: EncryptedFrame) -> [UInt8]? {
    ChaChaPoly.open(frame.ciphertext, tag: frame.tag, key: key, nonce: frame.nonce)
  }

  /// What the frame would hold if only its tag were damaged; never to be shown or joined.
  package func decryptUnchecked(_ frame: EncryptedFrame) -> [UInt8]? {
    ChaChaPoly.decryptUnchecked(frame.ciphertext, key: key, nonce: frame.nonce)
  }
}
