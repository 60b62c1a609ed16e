package import PeatProtocol

/// The text constants of key derivation: today's, and those of before the product was renamed.
///
/// The older ones occur in builds and constants that still circulate (protocol.md 6.5, "Rename
/// hazard"); those of the two HKDF steps are inferred by analogy there.
package enum KeyLabels: String, Sendable, CaseIterable {
  case peat = "PEAT"
  case hive = "HIVE"
}

/// The keys that follow from secrets (protocol.md 6.1, 6.2, 6.5).
package enum KeyDerivation {
  /// The key of 0xAE frames: HKDF with the mesh id's exact text as salt (protocol.md 6.1).
  package static func meshKey(
    meshID: String, secret: SecretKey, labels: KeyLabels = .peat
  ) -> SecretKey {
    HKDF.key(
      salt: Array(meshID.utf8), inputKey: secret,
      info: labels.rawValue + "-BTLE-mesh-encryption-v1")
  }

  /// The key of both directions between two nodes, from their X25519 shared secret: HKDF with
  /// the lower and then the higher node id as salt, each least significant byte first
  /// (protocol.md 6.2).
  package static func sessionKey(
    sharedSecret: SecretKey, between first: NodeID, and second: NodeID, labels: KeyLabels = .peat
  ) -> SecretKey {
    HKDF.key(
      salt: min(first, second).littleEndianBytes + max(first, second).littleEndianBytes,
      inputKey: sharedSecret, info: labels.rawValue + "-peer-e2ee-v1")
  }

  /// The same from one node's private and the other's public key; nil unless that has 32 bytes.
  package static func sessionKey(
    privateKey: SecretKey, publicKey: [UInt8], between first: NodeID, and second: NodeID,
    labels: KeyLabels = .peat
  ) -> SecretKey? {
    X25519.sharedSecret(privateKey: privateKey, publicKey: publicKey).map {
      sessionKey(sharedSecret: $0, between: first, and: second, labels: labels)
    }
  }

  /// The secret of a mesh, from its genesis seed (protocol.md 6.5); not yet the key of a frame.
  package static func encryptionSecret(seed: SecretKey, labels: KeyLabels = .peat) -> SecretKey {
    BLAKE3.derivedKey(context: labels.rawValue + "-mesh-encryption-v1", from: seed)
  }

  /// The key of encrypted beacons, from the genesis seed (protocol.md 6.5).
  package static func beaconKey(seed: SecretKey, labels: KeyLabels = .peat) -> SecretKey {
    BLAKE3.derivedKey(context: labels.rawValue + "-beacon-key-v1", from: seed)
  }

  /// The 4 bytes of a mesh id: keyed BLAKE3 of the mesh name (protocol.md 6.5).
  package static func meshIDBytes(seed: SecretKey, name: String) -> [UInt8] {
    BLAKE3.keyedHash(Array(name.utf8), key: seed, count: 4)
  }
}

extension NodeID {
  /// The 4 bytes of this id, least significant first.
  var littleEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) } }

  /// The 4 bytes of this id, most significant first.
  var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }
}
