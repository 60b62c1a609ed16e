package import PeatProtocol
internal import WireBytes

/// The founding values of a mesh, from which its id and secrets follow (protocol.md 6.5).
package struct Genesis: Sendable, Equatable {
  /// Who may join.
  package enum Policy: UInt8, Sendable {
    case open = 0
    case controlled = 1
    case strict = 2
  }

  /// Bytes of the stored form around the name.
  private static let fixedSize = 107

  package let name: String
  package let seed: SecretKey
  package let creator: Identity
  /// Milliseconds since 1970.
  package let created: UInt64
  package let policy: Policy

  /// Makes a genesis from its parts; nil for a name of more than 65 535 bytes.
  package init?(
    name: String, seed: SecretKey, creator: Identity, created: UInt64, policy: Policy
  ) {
    guard name.utf8.count <= UInt16.max else { return nil }
    self.name = name
    self.seed = seed
    self.creator = creator
    self.created = created
    self.policy = policy
  }

  /// Decodes the stored form; the creator's public key in it is ignored and computed anew.
  ///
  /// - Throws: ``FormatFault`` where bytes are missing, the name is not UTF-8 or the policy is
  ///   above 2.
  package init(stored bytes: [UInt8]) throws(FormatFault) {
    var reader = StoredReader(bytes)
    let length = Int(try reader.le16())
    guard bytes.count >= Self.fixedSize + length else {
      throw FormatFault(
        reason: "genesis needs \(Self.fixedSize + length) bytes, \(bytes.count) present",
        offset: bytes.count)
    }
    let start = reader.offset
    guard let name = String(validating: try reader.array(length), as: UTF8.self) else {
      throw FormatFault(reason: "the mesh name is not UTF-8", offset: start)
    }
    self.name = name
    seed = SecretKey(exactly: try reader.array(SecretKey.size))
    _ = try reader.array(Ed25519.publicKeySize)
    creator = Identity(seed: SecretKey(exactly: try reader.array(SecretKey.size)))
    created = try reader.le64()
    let place = reader.offset
    let number = try reader.u8()
    guard let policy = Policy(rawValue: number) else {
      throw FormatFault(reason: "policy \(number) is above 2", offset: place)
    }
    self.policy = policy
  }

  /// The stored form. It contains the seed and the creator's private key.
  package func stored() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.fixedSize + name.utf8.count)
    writer.le16(UInt16(truncatingIfNeeded: name.utf8.count))
    writer.append(name.utf8)
    writer.append(seed.copy())
    writer.append(creator.publicKey)
    writer.append(creator.seed.copy())
    writer.le64(created)
    writer.u8(policy.rawValue)
    return writer.bytes
  }

  /// The keys that follow from seed and name alone.
  package var mesh: GenesisMesh { GenesisMesh(name: name, seed: seed) }
}

/// What follows from a genesis' name and seed: all that an observer needs (protocol.md 6.5).
package struct GenesisMesh: Sendable, Equatable {
  package let name: String
  package let seed: SecretKey

  /// Takes the two values.
  package init(name: String, seed: SecretKey) {
    self.name = name
    self.seed = seed
  }

  /// The mesh id: 8 upper-case hexadecimal digits.
  package var meshID: String {
    let bytes = KeyDerivation.meshIDBytes(seed: seed, name: name)
    return Hexadecimal.upper(bytes.reduce(0) { $0 << 8 | UInt64($1) }, width: 8)
  }

  /// The secret that the mesh id salts into the key of 0xAE frames.
  package func encryptionSecret(labels: KeyLabels = .peat) -> SecretKey {
    KeyDerivation.encryptionSecret(seed: seed, labels: labels)
  }

  /// The key of encrypted beacons.
  package func beaconKey(labels: KeyLabels = .peat) -> SecretKey {
    KeyDerivation.beaconKey(seed: seed, labels: labels)
  }

  /// The key of 0xAE frames.
  package func meshKey(labels: KeyLabels = .peat) -> SecretKey {
    KeyDerivation.meshKey(
      meshID: meshID, secret: encryptionSecret(labels: labels), labels: labels)
  }
}
