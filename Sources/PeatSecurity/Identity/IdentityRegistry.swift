package import PeatProtocol

/// The keys that a node has met, by trust on first use (protocol.md 6.4).
package struct IdentityRegistry: Sendable, Equatable {
  /// What is known of one node.
  package struct Record: Hashable, Sendable {
    /// 32 bytes of Ed25519 public key.
    package var publicKey: [UInt8]
    /// Milliseconds since 1970.
    package var firstSeen: UInt64
    /// Milliseconds since 1970.
    package var lastSeen: UInt64
    /// How often an attestation or token of this key was accepted.
    package var verifications: UInt32
    /// From a membership token; at most 12 bytes.
    package var callsign: String?
    /// Milliseconds since 1970 at which a membership token expires; 0 is never.
    package var expires: UInt64
  }

  /// What became of an attestation.
  package enum Outcome: String, Sendable {
    case registered = "Registered"
    case verified = "Verified"
    case invalidSignature = "InvalidSignature"
    case keyMismatch = "KeyMismatch"
  }

  private var records: [NodeID: Record] = [:]

  /// Makes an empty registry.
  package init() {}

  /// Number of nodes.
  package var count: Int { records.count }

  /// The nodes, ascending.
  package var nodes: [NodeID] { records.keys.sorted() }

  /// What is known of a node.
  package subscript(node: NodeID) -> Record? { records[node] }

  /// The lowest node with a callsign.
  package func node(withCallsign callsign: String) -> NodeID? {
    nodes.first { records[$0]?.callsign == callsign }
  }

  /// Writes a key without any proof.
  package mutating func preRegister(_ node: NodeID, publicKey: [UInt8], now: UInt64) {
    records[node] = Record(
      publicKey: publicKey, firstSeen: now, lastSeen: now, verifications: 0, callsign: nil,
      expires: 0)
  }

  /// Accepts a valid attestation of a new node or of a known one with the same key.
  package mutating func receive(_ attestation: Attestation, now: UInt64) -> Outcome {
    guard attestation.isValid else { return .invalidSignature }
    guard var known = records[attestation.node] else {
      records[attestation.node] = Record(
        publicKey: attestation.publicKey, firstSeen: now, lastSeen: now, verifications: 1,
        callsign: nil, expires: 0)
      return .registered
    }
    guard known.publicKey == attestation.publicKey else { return .keyMismatch }
    known.lastSeen = now
    known.verifications &+= 1
    records[attestation.node] = known
    return .verified
  }

  /// Accepts a token that the authority signed and that has not expired, whatever was known of
  /// the node; nil otherwise.
  package mutating func receive(
    _ token: MembershipToken, authority: [UInt8], now: UInt64
  ) -> NodeID? {
    guard token.isValid(authority: authority, now: now) else { return nil }
    records[token.node] = Record(
      publicKey: token.publicKey, firstSeen: now, lastSeen: now, verifications: 1,
      callsign: token.callsign, expires: token.expires)
    return token.node
  }

  mutating func store(_ record: Record, for node: NodeID) { records[node] = record }
}
