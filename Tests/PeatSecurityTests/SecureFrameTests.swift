import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct SecureFrameTests {
  @Test func `A frame that is too short says how many bytes it needs and where they end`() {
    #expect(
      throws: FormatFault(reason: "encrypted frame needs 30 bytes, 3 present", offset: 3)
    ) { try EncryptedFrame([0xAE, 0, 1]) }
    #expect(
      throws: FormatFault(reason: "key exchange needs 39 bytes, 38 present", offset: 38)
    ) { try KeyExchange([0xB0] + [UInt8](repeating: 0, count: 37)) }
    #expect(
      throws: FormatFault(reason: "per-peer message needs 46 bytes, 45 present", offset: 45)
    ) { try PeerMessage([0xAF] + [UInt8](repeating: 0, count: 44)) }
    #expect(
      throws: FormatFault(reason: "encrypted frame needs 30 bytes, none present", offset: 0)
    ) { try EncryptedFrame([]) }
    #expect(
      throws: FormatFault(reason: "key exchange starts with 0xb0, found 0xaf", offset: 0)
    ) { try KeyExchange([UInt8](repeating: 0xAF, count: 50)) }
  }

  @Test func `What a frame was made of it is decoded to`() throws {
    let nonce = [UInt8](1...12)
    let tag = [UInt8](repeating: 9, count: 16)
    for count in [0, 1, 300] {
      let text = [UInt8](repeating: 5, count: count)
      let frame = EncryptedFrame(flags: 0xA5, nonce: nonce, ciphertext: text, tag: tag)
      #expect(try EncryptedFrame(frame.encoded()) == frame)
      let message = PeerMessage(
        recipient: NodeID(rawValue: .max), sender: NodeID(rawValue: 1), counter: .max,
        nonce: nonce, ciphertext: text, tag: tag)
      #expect(try PeerMessage(message.encoded()) == message)
      #expect(message.encoded().count == count + PeerMessage.overhead)
    }
    let exchange = KeyExchange(
      sender: NodeID(rawValue: 0xA1B2_C3D4), isEphemeral: true,
      publicKey: [UInt8](repeating: 7, count: 32))
    #expect(try KeyExchange(exchange.encoded() + [1, 2, 3]) == exchange)
  }

  /// No input may trap, whatever its length and bytes.
  @Test func `Every prefix of hostile bytes decodes or is refused`() {
    for fill: UInt8 in [0x00, 0x01, 0x02, 0x7F, 0xAE, 0xAF, 0xB0, 0xFF] {
      for count in 0..<200 {
        let bytes = [UInt8](repeating: fill, count: count)
        _ = try? EncryptedFrame(bytes)
        _ = try? KeyExchange(bytes)
        _ = try? PeerMessage(bytes)
        _ = try? Attestation(bytes)
        _ = try? MembershipToken(bytes)
        _ = try? SignedPayload(bytes)
        _ = try? Genesis(stored: bytes)
        _ = try? IdentityRegistry(stored: bytes)
        _ = try? PersistedState(Array("PEAT".utf8) + [1, 0, 0, 0] + bytes)
        _ = EncryptedBeacon(bytes, key: SecretKey.random())
      }
    }
  }

  @Test func `A registry that claims more entries than there are bytes is refused at its count`() {
    #expect(
      throws: FormatFault(
        reason: "registry claims 4294967295 entries of 77 bytes, 0 bytes left", offset: 5)
    ) { try IdentityRegistry(stored: [2, 0xFF, 0xFF, 0xFF, 0xFF]) }
  }
}

@Suite struct PeerSessionTests {
  private func pair(
    _ rule: CounterRule
  ) throws -> (sender: PeerSessionTable, receiver: PeerSessionTable) {
    var sender = PeerSessionTable(
      node: NodeID(rawValue: 1), privateKey: try key(KeyringPeerTests.firstSecret))
    var receiver = PeerSessionTable(
      node: NodeID(rawValue: 2), privateKey: try key(KeyringPeerTests.secondSecret), rule: rule)
    let answer = receiver.receive(sender.initiate(with: receiver.node, now: 0), now: 0)
    _ = sender.receive(try #require(answer).response, now: 0)
    return (sender, receiver)
  }

  private func send(_ table: inout PeerSessionTable) throws -> PeerMessage {
    let message = table.seal(
      [42], to: NodeID(rawValue: 2), nonce: SecureRandom.bytes(12), now: 0)
    return try #require(message)
  }

  @Test func `A forged counter locks the reference's session and not a careful one`() throws {
    for (rule, isLocked) in [
      (CounterRule.beforeAuthentication, true), (.afterAuthentication, false),
    ] {
      var (sender, receiver) = try pair(rule)
      var forged = try send(&sender)
      forged.counter = .max
      forged.tag[0] ^= 1
      #expect(throws: PeerMessageFault.notAuthentic) { try receiver.open(forged, now: 0) }
      let next = try send(&sender)
      let plaintext = try? receiver.open(next, now: 0)
      #expect(plaintext == (isLocked ? nil : [42]))
      #expect(
        throws: PeerMessageFault.counterTooLow(found: 1, expected: isLocked ? .max : 2)
      ) { try receiver.open(next, now: 0) }
    }
  }

  @Test func `Each refusal says why`() throws {
    var (sender, receiver) = try pair(.beforeAuthentication)
    let message = try send(&sender)
    var other = message
    other.recipient = NodeID(rawValue: 9)
    #expect(throws: PeerMessageFault.wrongRecipient(NodeID(rawValue: 9))) {
      try receiver.open(other, now: 0)
    }
    var stranger = message
    stranger.sender = NodeID(rawValue: 9)
    #expect(throws: PeerMessageFault.unknownSender(NodeID(rawValue: 9))) {
      try receiver.open(stranger, now: 0)
    }
    receiver.close(sender.node)
    #expect(throws: PeerMessageFault.notEstablished(.closed)) {
      try receiver.open(message, now: 0)
    }
    _ = receiver.initiate(with: sender.node, now: 0)
    #expect(throws: PeerMessageFault.notEstablished(.awaitingPeerKey)) {
      try receiver.open(message, now: 0)
    }
  }

  @Test func `Initiating again throws the session away and counts anew`() throws {
    var (sender, receiver) = try pair(.beforeAuthentication)
    #expect(try send(&sender).counter == 0)
    #expect(try send(&sender).counter == 1)
    _ = sender.initiate(with: receiver.node, now: 0)
    #expect(sender[receiver.node]?.state == .awaitingPeerKey)
    #expect(
      sender.seal([1], to: receiver.node, nonce: SecureRandom.bytes(12), now: 0) == nil)
    let offer = receiver.initiate(with: sender.node, now: 0)
    #expect(sender.receive(offer, now: 0) != nil)
    #expect(try send(&sender).counter == 0)
  }

  @Test func `The table never grows beyond its limit`() throws {
    var table = PeerSessionTable(
      node: NodeID(rawValue: 0), privateKey: .random(), limit: 4, timeout: 10)
    for number: UInt32 in 1...100 {
      let peer = NodeID(rawValue: number)
      if number % 2 == 0 {
        _ = table.initiate(with: peer, now: UInt64(number))
      } else {
        let publicKey = X25519.publicKey(of: .random())
        _ = table.receive(KeyExchange(sender: peer, publicKey: publicKey), now: UInt64(number))
      }
      #expect(table.count <= 4)
    }
  }

  @Test func `A clock that goes back expires nothing`() {
    var table = PeerSessionTable(node: NodeID(rawValue: 0), privateKey: .random(), timeout: 10)
    _ = table.initiate(with: NodeID(rawValue: 1), now: 1000)
    #expect(table.removeExpired(now: 0).isEmpty)
    #expect(table.removeExpired(now: 1010).isEmpty)
    #expect(table.removeExpired(now: 1011) == [NodeID(rawValue: 1)])
  }
}
