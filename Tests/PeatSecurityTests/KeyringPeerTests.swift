import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

/// Sessions between A and B of protocol.md, example 8.
@Suite struct KeyringPeerTests {
  static let first = NodeID(rawValue: 0x1234_5678)
  static let second = NodeID(rawValue: 0xA1B2_C3D4)
  static let firstSecret = String(repeating: "11", count: 32)
  static let secondSecret = String(repeating: "22", count: 32)
  static let offer =
    "b00078563412007b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13"
  static let answer =
    "b000d4c3b2a1000faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20"
  static let message =
    "af00d4c3b2a178563412000000000000000020212223242526272829"
    + "2a2be690b88a3666704e772e56addad2303f84d2"

  private func keyring(_ lines: String...) throws -> Keyring {
    var contents = Array(lines.joined(separator: "\n").utf8)
    var keyring = Keyring()
    keyring.add(try KeysFile(wiping: &contents, file: "keys"))
    return keyring
  }

  @Test func `A known session key opens the message`() throws {
    var keys = try keyring(
      "session A1B2C3D4 12345678 key "
        + "5c2781f36266f151caca28a75bf14c62af1bcbb65b3fabb7bb66178cbc15a09c")
    #expect(
      keys.open(try PeerMessage(bytes(Self.message)))
        == .opened(plaintext: Array("hi".utf8), key: "session:12345678-A1B2C3D4"))
  }

  @Test func `One side's private key opens the message once the other side's offer was seen`()
    throws
  {
    let message = try PeerMessage(bytes(Self.message))
    var receiver = try keyring("peer A1B2C3D4 private \(Self.secondSecret)")
    #expect(receiver.open(message) == .unopened(.noKeyOpens))
    receiver.observe(try KeyExchange(bytes(Self.answer)))
    #expect(receiver.open(message) == .unopened(.noKeyOpens))
    receiver.observe(try KeyExchange(bytes(Self.offer)))
    #expect(
      receiver.open(message) == .opened(plaintext: Array("hi".utf8), key: "peer:A1B2C3D4"))
    var sender = try keyring("peer 12345678 private \(Self.firstSecret)")
    sender.observe(try KeyExchange(bytes(Self.answer)))
    #expect(
      sender.open(message) == .opened(plaintext: Array("hi".utf8), key: "peer:12345678"))
  }

  @Test func `Both private keys need no key exchange`() throws {
    var keys = try keyring(
      "peer A1B2C3D4 private \(Self.secondSecret)", "peer 12345678 private \(Self.firstSecret)")
    #expect(
      keys.open(try PeerMessage(bytes(Self.message)))
        == .opened(plaintext: Array("hi".utf8), key: "peer:A1B2C3D4"))
  }

  @Test func `Keys of other nodes do not count`() throws {
    let message = try PeerMessage(bytes(Self.message))
    var other = try keyring("peer 00000001 private \(Self.firstSecret)")
    #expect(other.open(message) == .unopened(.noKey))
    var none = Keyring()
    #expect(none.open(message) == .unopened(.noKey))
  }

  @Test func `A later offer is tried first and an earlier one still opens`() throws {
    var keys = try keyring("peer A1B2C3D4 private \(Self.secondSecret)")
    keys.observe(try KeyExchange(bytes(Self.offer)))
    for number: UInt8 in 1...7 {
      keys.observe(
        KeyExchange(sender: Self.first, publicKey: [UInt8](repeating: number, count: 32)))
    }
    #expect(
      keys.open(try PeerMessage(bytes(Self.message)))
        == .opened(plaintext: Array("hi".utf8), key: "peer:A1B2C3D4"))
  }

  @Test func `A session under the old labels is named so`() throws {
    let secret = try key(Self.firstSecret)
    let session = try #require(
      KeyDerivation.sessionKey(
        privateKey: secret, publicKey: X25519.publicKey(of: try key(Self.secondSecret)),
        between: Self.first, and: Self.second, labels: .hive))
    let sealed = try #require(ChaChaPoly.seal([1], key: session, nonce: [UInt8](0..<12)))
    let message = PeerMessage(
      recipient: Self.second, sender: Self.first, counter: 0, nonce: [UInt8](0..<12),
      ciphertext: sealed.ciphertext, tag: sealed.tag)
    var keys = try keyring("peer 12345678 private \(Self.firstSecret)")
    keys.observe(try KeyExchange(bytes(Self.answer)))
    #expect(keys.open(message) == .opened(plaintext: [1], key: "peer:12345678/hive"))
  }
}

@Suite struct PeerCountersTests {
  private func message(_ counter: UInt64, reversed: Bool = false) -> PeerMessage {
    let first = KeyringPeerTests.first
    let second = KeyringPeerTests.second
    return PeerMessage(
      recipient: reversed ? first : second, sender: reversed ? second : first, counter: counter,
      nonce: [UInt8](repeating: 0, count: 12), ciphertext: [],
      tag: [UInt8](repeating: 0, count: 16))
  }

  @Test func `Counters that ascend by one are not odd`() {
    var counters = PeerCounters()
    for counter: UInt64 in 5...9 { #expect(counters.observe(message(counter)) == nil) }
    #expect(counters.observe(message(0, reversed: true)) == nil)
  }

  @Test func `A repeated or lower counter is a replay`() {
    var counters = PeerCounters()
    _ = counters.observe(message(7))
    #expect(counters.observe(message(7)) == .replayed(counter: 7, expected: 8))
    #expect(counters.observe(message(0)) == .replayed(counter: 0, expected: 8))
    #expect(counters.observe(message(8)) == nil)
  }

  @Test func `A gap is a jump, up to the highest counter, which locks the session`() {
    var counters = PeerCounters()
    _ = counters.observe(message(0))
    #expect(counters.observe(message(2)) == .jumped(counter: 2, expected: 1))
    #expect(counters.observe(message(.max)) == .jumped(counter: .max, expected: 3))
    #expect(counters.observe(message(3)) == .replayed(counter: 3, expected: .max))
    #expect(counters.observe(message(.max)) == nil)
  }

  @Test func `After a key exchange of either node a counter may start anew, once`() {
    for sender in [KeyringPeerTests.first, KeyringPeerTests.second] {
      var counters = PeerCounters()
      _ = counters.observe(message(9))
      counters.observe(
        KeyExchange(sender: sender, publicKey: [UInt8](repeating: 1, count: 32)))
      #expect(counters.observe(message(0)) == nil)
      #expect(counters.observe(message(0)) == .replayed(counter: 0, expected: 1))
    }
  }
}
