import BluetoothProtocols

/// One LE legacy pairing by Just Works (Core Specification Vol 3 Part H, 2.3.5): what was said so
/// far, and the blocks that the controller encrypts for it. Bytes are least significant first.
struct LegacyPairing: Sendable {
  /// Time for each answer in milliseconds (Vol 3 Part H, 3.4).
  static let timeout: UInt64 = 30_000
  /// The temporary key of Just Works.
  static let temporaryKey = [UInt8](repeating: 0, count: 16)
  /// No input, no output, no bonding, keys of 16 bytes, and none to distribute (Vol 3 Part H, 3.5).
  static let features: [UInt8] = [3, 0, 0, 16, 0, 0]

  /// Which of the two random values a confirmation is made of.
  enum Side: Sendable, Equatable { case own, peer }

  let isInitiator: Bool
  var request: [UInt8]
  var response: [UInt8]
  var ownRandom: [UInt8] = []
  var peerConfirm: [UInt8]?
  var peerRandom: [UInt8]?
  /// Whether this side's confirmation has been sent.
  var hasConfirmed = false
  /// The short-term key, once both sides have shown their random values.
  var key: [UInt8]?
  var deadline: UInt64

  init(isInitiator: Bool, request: [UInt8], response: [UInt8], now: UInt64) {
    self.isInitiator = isInitiator
    self.request = request
    self.response = response
    deadline = now &+ LegacyPairing.timeout
  }

  /// Why another's features cannot be paired with; nil where they can.
  static func fault(_ message: [UInt8]) -> PairingFailure? {
    guard message.count == 7, (7...16).contains(message[4]) else { return .invalidParameters }
    // A shorter key would only be weaker.
    return message[4] == 16 ? nil : .encryptionKeySize
  }

  /// The first block of `c1` (Vol 3 Part H, 2.2.3): `r XOR p1`.
  func innerBlock(_ random: [UInt8], initiatorType: UInt8, responderType: UInt8) -> [UInt8] {
    let context = [initiatorType, responderType] + request + response
    return zip(random, context).map { $0 ^ $1 }
  }

  /// The second block of `c1`: the first one's encryption XOR `p2`.
  func outerBlock(_ inner: [UInt8], initiator: [UInt8], responder: [UInt8]) -> [UInt8] {
    let context = responder + initiator + [0, 0, 0, 0]
    return zip(inner, context).map { $0 ^ $1 }
  }

  /// The block of `s1` (Vol 3 Part H, 2.2.4): the lower halves of both random values.
  var keyBlock: [UInt8]? {
    guard let peerRandom else { return nil }
    let (initiator, responder) =
      isInitiator ? (ownRandom, peerRandom) : (peerRandom, ownRandom)
    return Array(initiator.prefix(8)) + Array(responder.prefix(8))
  }
}

/// Reasons for which a pairing ends (Core Specification Vol 3 Part H, 3.5.5).
enum PairingFailure: UInt8, Sendable {
  case confirmValueFailed = 0x04
  case notSupported = 0x05
  case encryptionKeySize = 0x06
  case commandNotSupported = 0x07
  case unspecified = 0x08
  case repeatedAttempts = 0x09
  case invalidParameters = 0x0A
}

/// What the controller draws or encrypts for the host, and for whom.
enum SecurityJob: Sendable, Equatable {
  case addressSeed
  case addressHash(UInt32)
  case random(link: UInt16, serial: Int)
  case inner(link: UInt16, serial: Int, LegacyPairing.Side)
  case outer(link: UInt16, serial: Int, LegacyPairing.Side)
  case key(link: UInt16, serial: Int)

  var isOfAddress: Bool {
    switch self {
    case .addressSeed, .addressHash: true
    case .random, .inner, .outer, .key: false
    }
  }
}

extension ATTErrorCode {
  /// Whether the server wants the link encrypted: insufficient authentication, key size, or
  /// encryption (Core Specification Vol 3 Part F, 3.4.1.1).
  var asksForEncryption: Bool { rawValue == 0x05 || rawValue == 0x0C || rawValue == 0x0F }
}
