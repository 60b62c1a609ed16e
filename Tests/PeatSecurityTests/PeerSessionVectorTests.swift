import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct PeerSessionVectorTests {
  @Test("Every line of peer_e2ee.jsonl") func lines() throws {
    try forEachVector("peer_e2ee") { vector in
      switch vector.kind {
      case "e2ee_session_key": try sessionKey(vector)
      case "e2ee_session_key_odd":
        let key = KeyDerivation.sessionKey(
          privateKey: try vector.input.key("a_secret"),
          publicKey: try vector.input.bytes("peer_public"),
          between: try vector.input.node("a_node"), and: try vector.input.node("b_node"))
        #expect(key == (try vector.expect.key("session_key")), "\(vector.name)")
      case "e2ee_key_exchange_body": try keyExchange(vector)
      case "e2ee_message_body": try message(vector)
      case "e2ee_conversation": try conversation(vector)
      case "e2ee_deliveries": try deliveries(vector)
      case "e2ee_session_table": try table(vector)
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func sessionKey(_ vector: Vector) throws {
    let first = try vector.input.node("a_node")
    let second = try vector.input.node("b_node")
    let firstSecret = try vector.input.key("a_secret")
    let secondSecret = try vector.input.key("b_secret")
    let firstPublic = X25519.publicKey(of: firstSecret)
    let secondPublic = X25519.publicKey(of: secondSecret)
    #expect(firstPublic == vector.expect["a_public"].bytes, "\(vector.name)")
    #expect(secondPublic == vector.expect["b_public"].bytes, "\(vector.name)")
    let expected = try vector.expect.key("session_key")
    let fromFirst = KeyDerivation.sessionKey(
      privateKey: firstSecret, publicKey: secondPublic, between: first, and: second)
    let fromSecond = KeyDerivation.sessionKey(
      privateKey: secondSecret, publicKey: firstPublic, between: second, and: first)
    #expect(fromFirst == expected, "\(vector.name)")
    #expect(fromSecond == expected, "\(vector.name)")
  }

  private func keyExchange(_ vector: Vector) throws {
    guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
    let expect = vector.expect["decoded"]
    let exchange = try? KeyExchange(body: bytes)
    #expect(exchange?.sender.rawValue == expect["sender"].uint32, "\(vector.name)")
    #expect(exchange?.isEphemeral == expect["is_ephemeral"].bool, "\(vector.name)")
    #expect(exchange?.publicKey == expect["public_key"].bytes, "\(vector.name)")
    #expect(exchange?.encodedBody() == expect["reencoded"].bytes, "\(vector.name)")
    let frame = try? KeyExchange([KeyExchange.marker, 0] + bytes)
    #expect(frame == exchange, "\(vector.name) as a frame")
  }

  private func message(_ vector: Vector) throws {
    guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
    let expect = vector.expect["decoded"]
    let message = try? PeerMessage(body: bytes)
    #expect(message?.recipient.rawValue == expect["recipient"].uint32, "\(vector.name)")
    #expect(message?.sender.rawValue == expect["sender"].uint32, "\(vector.name)")
    #expect(message?.counter == expect["counter"].uint64, "\(vector.name)")
    #expect(message?.nonce == expect["nonce"].bytes, "\(vector.name)")
    #expect(
      message.map { $0.ciphertext + $0.tag } == expect["ciphertext"].bytes, "\(vector.name)")
    #expect(message?.encodedBody() == expect["reencoded"].bytes, "\(vector.name)")
    let frame = try? PeerMessage([PeerMessage.marker, 0] + bytes)
    #expect(frame == message, "\(vector.name) as a frame")
  }

  private func tables(_ input: JSON) throws -> (PeerSessionTable, PeerSessionTable) {
    (
      PeerSessionTable(node: try input.node("a_node"), privateKey: try input.key("a_secret")),
      PeerSessionTable(node: try input.node("b_node"), privateKey: try input.key("b_secret"))
    )
  }

  private func conversation(_ vector: Vector) throws {
    var (first, second) = try tables(vector.input)
    let offer = first.initiate(with: second.node, now: 0)
    #expect(offer.encodedBody() == vector.expect["a_key_exchange"].bytes, "\(vector.name)")
    let answer = second.receive(offer, now: 0)?.response
    #expect(answer?.encodedBody() == vector.expect["b_response"].bytes, "\(vector.name)")
    guard let answer else { return }
    let third = first.receive(answer, now: 0)?.response
    #expect(
      third?.encodedBody() == vector.expect["a_third_message"].bytes, "\(vector.name)")
    #expect(
      (first[second.node]?.state == .established) == vector.expect["a_established"].bool,
      "\(vector.name)")
    let isIgnored = third.map { second.receive($0, now: 0) == nil } ?? true
    #expect(isIgnored == vector.expect["b_ignores_third"].bool, "\(vector.name)")
    try sentMessages(vector, from: first, to: second.node)
    try deliver(vector, to: &second)
  }

  /// What `first` seals with the recorded nonces is what was recorded.
  private func sentMessages(
    _ vector: Vector, from first: PeerSessionTable, to peer: NodeID
  ) throws {
    var sender = first
    let plaintexts = try vector.input.list("plaintexts")
    for (recorded, plaintext) in zip(try vector.input.list("messages"), plaintexts) {
      guard let bytes = recorded.bytes, let plaintext = plaintext.bytes else {
        throw MissingValue(what: "messages")
      }
      let nonce = try PeerMessage(body: bytes).nonce
      let sealed = sender.seal(plaintext, to: peer, nonce: nonce, now: 0)
      #expect(sealed?.encodedBody() == bytes, "\(vector.name)")
    }
  }

  private func deliveries(_ vector: Vector) throws {
    var (first, second) = try tables(vector.input)
    _ = second.receive(first.initiate(with: second.node, now: 0), now: 0)
    try deliver(vector, to: &second)
  }

  private func deliver(_ vector: Vector, to table: inout PeerSessionTable) throws {
    for (index, delivery) in try vector.expect.list("deliveries").enumerated() {
      let name = "\(vector.name), \(delivery["step"].string ?? "delivery \(index)")"
      let message = try PeerMessage(body: try delivery.bytes("message"))
      let plaintext = try? table.open(message, now: 0)
      #expect(plaintext == delivery["outcome"]["plaintext"].bytes, "\(name)")
    }
  }

  private func table(_ vector: Vector) throws {
    var table = PeerSessionTable(
      node: try vector.input.node("our_node"), privateKey: try vector.input.key("our_secret"),
      limit: vector.input["max_sessions"].int ?? 0,
      timeout: try vector.input.uint64("timeout_ms"))
    for (index, step) in try vector.expect.list("steps").enumerated() {
      let name = "\(vector.name), step \(index)"
      let result = try perform(step, on: &table)
      #expect(result == step["return"], "\(name)")
      #expect(table.count == step["sessions"].int, "\(name)")
      #expect(table.establishedCount == step["established"].int, "\(name)")
    }
  }

  private func perform(_ step: JSON, on table: inout PeerSessionTable) throws -> JSON {
    let arguments = try step.list("args").map { $0.uint64 ?? 0 }
    let peer = NodeID(rawValue: UInt32(truncatingIfNeeded: arguments.first ?? 0))
    let now = arguments.last ?? 0
    switch try step.text("do") {
    case "key_exchange":
      let secret = [UInt8](repeating: UInt8(truncatingIfNeeded: peer.rawValue), count: 32)
      guard let key = SecretKey(secret) else { throw MissingValue(what: "peer secret") }
      let exchange = KeyExchange(sender: peer, publicKey: X25519.publicKey(of: key))
      guard table.receive(exchange, now: now) != nil else { return .null }
      return .bool(table[peer]?.state == .established)
    case "initiate":
      _ = table.initiate(with: peer, now: now)
      return .null
    case "close":
      table.close(peer)
      return .null
    case "encrypt":
      return .bool(
        table.seal([1], to: peer, nonce: SecureRandom.bytes(12), now: now) != nil)
    case "state": return table[peer].map { .string($0.state.rawValue) } ?? .null
    case "cleanup":
      return .array(table.removeExpired(now: now).map { .number(Double($0.rawValue)) })
    case let other: throw MissingValue(what: "step \(other)")
    }
  }
}
