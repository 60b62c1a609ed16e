package import PeatProtocol
internal import WireBytes

/// An authority's statement that a key is a member of a mesh, exactly 128 bytes (protocol.md 6.6).
package struct MembershipToken: Hashable, Sendable {
  /// Bytes of a token; any other length is refused.
  package static let size: Int = 128

  /// 32 bytes of the member's Ed25519 public key.
  package var publicKey: [UInt8]
  /// The mesh id's 8 hexadecimal digits as 4 bytes, in the order they are shown.
  package var mesh: [UInt8]
  /// 12 bytes, zero padded.
  package var callsignBytes: [UInt8]
  /// Milliseconds since 1970.
  package var issued: UInt64
  /// Milliseconds since 1970; 0 is never.
  package var expires: UInt64
  /// 64 bytes of the authority over the 64 bytes before it.
  package var signature: [UInt8]

  /// Decodes a token.
  ///
  /// - Throws: ``FormatFault`` unless there are exactly 128 bytes.
  package init(_ bytes: [UInt8]) throws(FormatFault) {
    guard bytes.count == Self.size else {
      throw FormatFault(
        reason: "a membership token has \(Self.size) bytes, \(bytes.count) present",
        offset: min(bytes.count, Self.size))
    }
    var reader = StoredReader(bytes)
    publicKey = try reader.array(Ed25519.publicKeySize)
    mesh = try reader.array(4)
    callsignBytes = try reader.array(StoredCallsign.size)
    issued = try reader.le64()
    expires = try reader.le64()
    signature = try reader.array(Ed25519.signatureSize)
  }

  /// Issues a token; nil unless the key has 32 and the mesh id 4 bytes. A callsign is cut after
  /// 12 bytes.
  package init?(
    member publicKey: [UInt8], mesh: [UInt8], callsign: String, issued: UInt64, expires: UInt64,
    authority: Identity
  ) {
    guard publicKey.count == Ed25519.publicKeySize, mesh.count == 4 else { return nil }
    self.publicKey = publicKey
    self.mesh = mesh
    self.callsignBytes = StoredCallsign.bytes(callsign)
    self.issued = issued
    self.expires = expires
    signature = []
    signature = authority.signature(of: signedBytes)
  }

  /// The text of the callsign up to the first zero byte; empty where it is not UTF-8.
  package var callsign: String { StoredCallsign.text(callsignBytes) }

  /// The member's node id.
  package var node: NodeID { Identity.node(of: publicKey) }

  /// The mesh id as shown: 8 upper-case hexadecimal digits.
  package var meshID: String {
    Hexadecimal.upper(mesh.reduce(0) { $0 << 8 | UInt64($1) }, width: 8)
  }

  /// The bytes that the signature covers.
  private var signedBytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.append(publicKey)
    writer.append(mesh)
    writer.append(callsignBytes)
    writer.le64(issued)
    writer.le64(expires)
    return writer.bytes
  }

  /// The 128 bytes.
  package func encoded() -> [UInt8] { signedBytes + signature }

  /// Whether the token has an end and `now`, in milliseconds since 1970, is past it.
  package func isExpired(now: UInt64) -> Bool { expires != 0 && now > expires }

  /// Whether the authority with this public key signed the token.
  package func isSigned(by authority: [UInt8]) -> Bool {
    Ed25519.isValid(signature: signature, of: signedBytes, publicKey: authority)
  }

  /// Whether the authority signed the token and it has not expired.
  package func isValid(authority: [UInt8], now: UInt64) -> Bool {
    !isExpired(now: now) && isSigned(by: authority)
  }
}
