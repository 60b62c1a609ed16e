package import PeatProtocol

/// A node's Ed25519 key pair and the node id that follows from it (protocol.md 6.4).
package struct Identity: Sendable, Equatable {
  /// The 32-byte private key.
  package let seed: SecretKey
  /// 32 bytes.
  package let publicKey: [UInt8]

  /// Computes the public key of a private one.
  package init(seed: SecretKey) {
    self.seed = seed
    publicKey = Ed25519.publicKey(of: seed)
  }

  /// The node id: the first 4 bytes of the BLAKE3 hash of the public key, read least
  /// significant byte first (protocol.md 6.4).
  package var node: NodeID { Self.node(of: publicKey) }

  /// The node id that belongs to a public key.
  package static func node(of publicKey: [UInt8]) -> NodeID {
    NodeID(
      rawValue: BLAKE3.hash(publicKey, count: 4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The signature of a message, 64 bytes.
  package func signature(of message: [UInt8]) -> [UInt8] {
    Ed25519.signature(of: message, seed: seed)
  }

  /// A statement that this key is this node's, at a time in milliseconds since 1970.
  package func attestation(at timestamp: UInt64) -> Attestation {
    let unsigned = Attestation(
      node: node, publicKey: publicKey, timestamp: timestamp, signature: [])
    return Attestation(
      node: node, publicKey: publicKey, timestamp: timestamp,
      signature: signature(of: unsigned.signedBytes))
  }
}
