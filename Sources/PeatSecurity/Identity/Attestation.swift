package import PeatProtocol
internal import WireBytes

/// A signed statement that a public key belongs to a node, exactly 108 bytes (protocol.md 6.4).
package struct Attestation: Hashable, Sendable {
  /// Bytes of an attestation; any other length is refused.
  package static let size: Int = 108

  package var node: NodeID
  /// 32 bytes of Ed25519 public key.
  package var publicKey: [UInt8]
  /// Milliseconds since 1970; freshness is the caller's to judge.
  package var timestamp: UInt64
  /// 64 bytes over the 44 bytes before it.
  package var signature: [UInt8]

  init(node: NodeID, publicKey: [UInt8], timestamp: UInt64, signature: [UInt8]) {
    self.node = node
    self.publicKey = publicKey
    self.timestamp = timestamp
    self.signature = signature
  }

  /// Decodes the stored form.
  ///
  /// - Throws: ``FormatFault`` unless there are exactly 108 bytes.
  package init(_ bytes: [UInt8]) throws(FormatFault) {
    guard bytes.count == Self.size else {
      throw FormatFault(
        reason: "an attestation has \(Self.size) bytes, \(bytes.count) present",
        offset: min(bytes.count, Self.size))
    }
    var reader = StoredReader(bytes)
    node = NodeID(rawValue: try reader.le32())
    publicKey = try reader.array(Ed25519.publicKeySize)
    timestamp = try reader.le64()
    signature = try reader.array(Ed25519.signatureSize)
  }

  /// The bytes that the signature covers.
  var signedBytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.le32(node.rawValue)
    writer.append(publicKey)
    writer.le64(timestamp)
    return writer.bytes
  }

  /// The stored form.
  package func encoded() -> [UInt8] { signedBytes + signature }

  /// Whether the node id follows from the key and the signature holds.
  package var isValid: Bool {
    node == Identity.node(of: publicKey)
      && Ed25519.isValid(signature: signature, of: signedBytes, publicKey: publicKey)
  }
}
