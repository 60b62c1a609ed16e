package import PeatProtocol

/// The sessions of one node with its peers, and the key exchanges that make them (protocol.md 6.2).
package struct PeerSessionTable: Sendable {
  /// Sessions that the reference keeps at most.
  package static let defaultLimit: Int = 16
  /// Milliseconds after which the reference counts an unused session as expired: 30 minutes.
  package static let defaultTimeout: UInt64 = 1_800_000

  package let node: NodeID
  /// The X25519 public key that this node offers.
  package let publicKey: [UInt8]
  private let privateKey: SecretKey
  private let limit: Int
  private let timeout: UInt64
  private let rule: CounterRule
  private var sessions: [NodeID: PeerSession] = [:]

  /// What a received key exchange did.
  package struct Answer: Equatable, Sendable {
    /// The frame for the peer, which the reference builds and then drops.
    package let response: KeyExchange
  }

  /// Makes an empty table for a node and its private key.
  package init(
    node: NodeID, privateKey: SecretKey, limit: Int = defaultLimit,
    timeout: UInt64 = defaultTimeout, rule: CounterRule = .beforeAuthentication
  ) {
    self.node = node
    self.privateKey = privateKey
    self.limit = max(1, limit)
    self.timeout = timeout
    self.rule = rule
    publicKey = X25519.publicKey(of: privateKey)
  }

  /// Number of sessions in any state.
  package var count: Int { sessions.count }

  /// Number of established sessions.
  package var establishedCount: Int {
    sessions.values.count { $0.state == .established }
  }

  /// The session with a peer, in any state.
  package subscript(peer: NodeID) -> PeerSession? { sessions[peer] }

  /// Starts, or starts anew, a session with a peer, and gives the frame to send.
  ///
  /// In a full table the new session takes a place: that of an expired one, else of the one
  /// longest unused among those not established, else of the one longest unused.
  package mutating func initiate(with peer: NodeID, now: UInt64) -> KeyExchange {
    if sessions[peer] == nil, sessions.count >= limit {
      removeExpired(now: now)
      if sessions.count >= limit, let victim = leastWorthKeeping { sessions[victim] = nil }
    }
    sessions[peer] = PeerSession(peer: peer, now: now)
    return offer
  }

  /// Takes a received key exchange; nil where it is ignored: the session with that peer is
  /// established or closed, or the table is full of sessions that have not expired.
  package mutating func receive(_ exchange: KeyExchange, now: UInt64) -> Answer? {
    switch sessions[exchange.sender]?.state {
    case .established, .closed: return nil
    case .awaitingPeerKey: break
    case nil:
      if sessions.count >= limit { removeExpired(now: now) }
      guard sessions.count < limit else { return nil }
    }
    let key = KeyDerivation.sessionKey(
      privateKey: privateKey, publicKey: exchange.publicKey, between: node, and: exchange.sender)
    guard let key else { return nil }
    var session = PeerSession(peer: exchange.sender, now: now)
    session.establish(key: key, now: now)
    sessions[exchange.sender] = session
    return Answer(response: offer)
  }

  /// The next message to a peer; nil without an established session.
  package mutating func seal(
    _ plaintext: [UInt8], to peer: NodeID, nonce: [UInt8], now: UInt64
  ) -> PeerMessage? {
    sessions[peer]?.seal(plaintext, from: node, nonce: nonce, now: now)
  }

  /// Opens a received message in the order of checks of protocol.md 6.3.
  package mutating func open(
    _ message: PeerMessage, now: UInt64
  ) throws(PeerMessageFault) -> [UInt8] {
    guard message.recipient == node else { throw .wrongRecipient(message.recipient) }
    guard var session = sessions[message.sender] else { throw .unknownSender(message.sender) }
    defer { sessions[message.sender] = session }
    return try session.open(message, rule: rule, now: now)
  }

  /// Closes a session; key exchanges of that peer are ignored until it is removed.
  package mutating func close(_ peer: NodeID) { sessions[peer]?.close() }

  /// Removes a session in any state.
  package mutating func remove(_ peer: NodeID) { sessions[peer] = nil }

  /// Removes the sessions unused for longer than the timeout; gives their peers, ascending.
  @discardableResult
  package mutating func removeExpired(now: UInt64) -> [NodeID] {
    let expired = sessions.values.filter { $0.isExpired(now: now, timeout: timeout) }
    for session in expired { sessions[session.peer] = nil }
    return expired.map(\.peer).sorted()
  }

  private var offer: KeyExchange { KeyExchange(sender: node, publicKey: publicKey) }

  private var leastWorthKeeping: NodeID? {
    sessions.values.min {
      ($0.state == .established ? 1 : 0, $0.lastUsed, $0.peer)
        < ($1.state == .established ? 1 : 0, $1.lastUsed, $1.peer)
    }?.peer
  }
}
