internal import PeatProtocol
internal import WireBytes

/// A node's saved state: identity, genesis, known keys and revoked ones (the `persisted_state` vectors).
///
/// Layout, least significant byte first: `PEAT`, version u32, Ed25519 seed 32, saved at u64,
/// length u32 and stored genesis, length u32 and stored registry, count u32 and that many
/// revoked public keys of 32 bytes. What follows is ignored.
package struct PersistedState: Sendable, Equatable {
  /// Why bytes are no saved state.
  package enum Fault: String, Error, Sendable {
    case invalidFormat = "InvalidFormat"
    case unsupportedVersion = "UnsupportedVersion"
  }

  private static let magic = Array("PEAT".utf8)
  private static let newestVersion: UInt32 = 1
  private static let minimum = 60

  package let version: UInt32
  package let identity: Identity
  /// Milliseconds since 1970.
  package let savedAt: UInt64
  /// The stored genesis as found; empty for none.
  private let genesisBytes: SecretBytes
  private let registryBytes: [UInt8]
  /// Public keys of 32 bytes.
  package let revoked: [[UInt8]]

  /// Decodes a saved state.
  ///
  /// - Throws: ``Fault/unsupportedVersion`` for a version above 1, else ``Fault/invalidFormat``.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count >= Self.minimum, bytes.starts(with: Self.magic) else {
      throw .invalidFormat
    }
    var reader = StoredReader(bytes)
    do throws(FormatFault) {
      _ = try reader.le32()
      version = try reader.le32()
    } catch {
      throw .invalidFormat
    }
    guard version <= Self.newestVersion else { throw .unsupportedVersion }
    do throws(FormatFault) {
      identity = Identity(seed: SecretKey(exactly: try reader.array(SecretKey.size)))
      savedAt = try reader.le64()
      genesisBytes = SecretBytes(try reader.array(Int(try reader.le32())))
      registryBytes = try reader.array(Int(try reader.le32()))
      let count = Int(try reader.le32())
      let keys = try reader.array(count * Ed25519.publicKeySize)
      revoked = stride(from: 0, to: keys.count, by: Ed25519.publicKeySize).map {
        Array(keys[$0..<$0 + Ed25519.publicKeySize])
      }
    } catch {
      throw .invalidFormat
    }
  }

  /// The genesis; nil where there is none or it does not decode.
  package var genesis: Genesis? { try? Genesis(stored: genesisBytes.copy()) }

  /// The known keys; empty where they do not decode.
  package var registry: IdentityRegistry {
    (try? IdentityRegistry(stored: registryBytes)) ?? IdentityRegistry()
  }

  /// The saved form. It contains private keys.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.magic)
    writer.le32(version)
    writer.append(identity.seed.copy())
    writer.le64(savedAt)
    writer.le32(UInt32(truncatingIfNeeded: genesisBytes.count))
    writer.append(genesisBytes.copy())
    writer.le32(UInt32(truncatingIfNeeded: registryBytes.count))
    writer.append(registryBytes)
    writer.le32(UInt32(truncatingIfNeeded: revoked.count))
    for key in revoked { writer.append(key) }
    return writer.bytes
  }
}
