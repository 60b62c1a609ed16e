package import PeatProtocol
package import PeatSecurity

extension MeshNode {
  /// Starts a per-peer session, anew if there is one; gives the frame to send, nil where sessions
  /// are off (protocol.md 6.2).
  package mutating func initiateSession(with peer: NodeID, now: UInt64) -> [UInt8]? {
    sessions?.initiate(with: peer, now: now).encoded()
  }

  /// Takes a key exchange; gives the answer to send, nil where it is ignored.
  ///
  /// The reference's receive calls drop the answer, which a node should send.
  package mutating func receive(keyExchange bytes: [UInt8], now: UInt64) -> [UInt8]? {
    guard let exchange = try? KeyExchange(bytes),
      let answer = sessions?.receive(exchange, now: now)
    else { return nil }
    events.append(.sessionEstablished(exchange.sender))
    return answer.response.encoded()
  }

  /// Takes a per-peer message; its plaintext comes as an event.
  package mutating func receive(peerMessage bytes: [UInt8], now: UInt64) {
    guard let message = try? PeerMessage(bytes),
      let plaintext = try? sessions?.open(message, now: now)
    else { return }
    events.append(.peerMessage(message.sender, plaintext))
  }

  /// Ends a per-peer session; key exchanges of that peer are ignored until this side starts anew.
  package mutating func closeSession(with peer: NodeID) {
    guard sessions?[peer] != nil else { return }
    sessions?.close(peer)
    events.append(.sessionClosed(peer))
  }

  /// Where the session with a peer stands; nil without one.
  package func sessionState(with peer: NodeID) -> PeerSession.State? { sessions?[peer]?.state }
}
