package import PeatProtocol

/// How a session takes part in a message's counter (protocol.md 6.3).
package enum CounterRule: Sendable {
  /// As the reference: the counter is consumed before the tag is checked, so that a forged
  /// message with a high counter locks the session.
  case beforeAuthentication
  /// As a careful node: only a message that opens moves the counter.
  case afterAuthentication
}

/// Why a session does not give a message's plaintext (protocol.md 6.3).
package enum PeerMessageFault: Error, Equatable, Sendable {
  /// The message is for another node.
  case wrongRecipient(NodeID)
  /// There is no session with the sender.
  case unknownSender(NodeID)
  /// The session waits for the peer's key, or is closed.
  case notEstablished(PeerSession.State)
  /// The counter is below the next expected one: a replay, or a message out of order.
  case counterTooLow(found: UInt64, expected: UInt64)
  /// The tag does not match.
  case notAuthentic
}

/// One side of a session between two nodes (protocol.md 6.2, 6.3).
package struct PeerSession: Sendable {
  /// Where the key exchange stands.
  package enum State: String, Sendable {
    case awaitingPeerKey = "AwaitingPeerKey"
    case established = "Established"
    case closed = "Closed"
  }

  package let peer: NodeID
  package private(set) var state: State
  /// Counter of the next message to send.
  package private(set) var sendCounter: UInt64 = 0
  /// Lowest counter that the next received message may have.
  package private(set) var expectedCounter: UInt64 = 0
  /// Milliseconds of the caller's clock at the last use.
  package private(set) var lastUsed: UInt64
  private var key: SecretKey?

  /// Starts to wait for the peer's key.
  init(peer: NodeID, now: UInt64) {
    self.peer = peer
    state = .awaitingPeerKey
    lastUsed = now
  }

  /// Takes the key that both sides derive; counters start at 0.
  mutating func establish(key: SecretKey, now: UInt64) {
    self.key = key
    state = .established
    sendCounter = 0
    expectedCounter = 0
    lastUsed = now
  }

  /// Ends the session and forgets the key; its place is kept until it expires or is removed.
  mutating func close() {
    state = .closed
    key = nil
  }

  /// Whether the session was unused for longer than `timeout` milliseconds.
  func isExpired(now: UInt64, timeout: UInt64) -> Bool {
    now > lastUsed && now - lastUsed > timeout
  }

  /// The next message to the peer; nil unless the session is established and the nonce has 12
  /// bytes.
  mutating func seal(
    _ plaintext: [UInt8], from node: NodeID, nonce: [UInt8], now: UInt64
  ) -> PeerMessage? {
    guard state == .established, let key, sendCounter < .max,
      let sealed = ChaChaPoly.seal(plaintext, key: key, nonce: nonce)
    else { return nil }
    let message = PeerMessage(
      recipient: peer, sender: node, counter: sendCounter, nonce: nonce,
      ciphertext: sealed.ciphertext, tag: sealed.tag)
    sendCounter += 1
    lastUsed = now
    return message
  }

  /// Opens a message from the peer and moves the expected counter.
  mutating func open(
    _ message: PeerMessage, rule: CounterRule, now: UInt64
  ) throws(PeerMessageFault) -> [UInt8] {
    guard state == .established, let key else { throw .notEstablished(state) }
    guard message.counter >= expectedCounter else {
      throw .counterTooLow(found: message.counter, expected: expectedCounter)
    }
    let next = message.counter == .max ? .max : message.counter + 1
    if rule == .beforeAuthentication { expectedCounter = next }
    let plaintext = ChaChaPoly.open(
      message.ciphertext, tag: message.tag, key: key, nonce: message.nonce)
    guard let plaintext else { throw .notAuthentic }
    expectedCounter = next
    lastUsed = now
    return plaintext
  }
}
