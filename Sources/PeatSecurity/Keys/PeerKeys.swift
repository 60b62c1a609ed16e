internal import PeatProtocol

/// What is known of sessions between two nodes, and the session keys that follow.
struct PeerKeys: Sendable {
  /// A key that may open a message, under the name that records show.
  struct Candidate: Sendable {
    let name: String
    let key: SecretKey
  }

  private struct Pair: Hashable {
    let lower: NodeID
    let higher: NodeID

    init(_ first: NodeID, _ second: NodeID) {
      lower = min(first, second)
      higher = max(first, second)
    }
  }

  /// The arguments of one derivation.
  private struct Derivation: Hashable {
    let own: NodeID
    let keyNumber: Int
    let other: NodeID
    let publicKey: [UInt8]
    let labels: KeyLabels
  }

  /// Public keys remembered for each node; the oldest goes first.
  private static let offersPerNode = 8
  /// Nodes whose public keys are remembered; a hostile capture must not fill the memory.
  private static let nodeLimit = 4096
  /// Derived keys kept; one more forgets all, they can be derived again.
  private static let derivedLimit = 512

  private var sessions: [Pair: [SecretKey]] = [:]
  private var privateKeys: [NodeID: [SecretKey]] = [:]
  /// Newest last.
  private var offers: [NodeID: [[UInt8]]] = [:]
  private var derived: [Derivation: SecretKey] = [:]

  var isEmpty: Bool { sessions.isEmpty && privateKeys.isEmpty }

  mutating func add(privateKey: SecretKey, of node: NodeID) {
    privateKeys[node, default: []].append(privateKey)
  }

  mutating func add(sessionKey: SecretKey, between first: NodeID, and second: NodeID) {
    sessions[Pair(first, second), default: []].append(sessionKey)
  }

  /// Remembers an offer as the newest of its node.
  mutating func observe(_ exchange: KeyExchange) {
    guard !privateKeys.isEmpty else { return }
    guard offers[exchange.sender] != nil || offers.count < Self.nodeLimit else { return }
    var known = offers[exchange.sender] ?? []
    known.removeAll { $0 == exchange.publicKey }
    known.append(exchange.publicKey)
    offers[exchange.sender] = known.suffix(Self.offersPerNode)
  }

  /// Whether a secret of these two nodes is known.
  func mayOpen(between first: NodeID, and second: NodeID) -> Bool {
    sessions[Pair(first, second)] != nil || privateKeys[first] != nil
      || privateKeys[second] != nil
  }

  /// The keys to try, in order: given session keys, then derived ones, old labels last.
  mutating func candidates(for message: PeerMessage) -> [Candidate] {
    let pair = Pair(message.sender, message.recipient)
    var candidates = (sessions[pair] ?? []).map {
      Candidate(name: "session:\(pair.lower)-\(pair.higher)", key: $0)
    }
    for labels in KeyLabels.allCases {
      candidates += derivedCandidates(
        own: message.recipient, other: message.sender, labels: labels)
      if message.sender != message.recipient {
        candidates += derivedCandidates(
          own: message.sender, other: message.recipient, labels: labels)
      }
    }
    return candidates
  }

  private mutating func derivedCandidates(
    own: NodeID, other: NodeID, labels: KeyLabels
  ) -> [Candidate] {
    let suffix =
      switch labels {
      case .peat: ""
      case .hive: "/hive"
      }
    var candidates: [Candidate] = []
    for (number, privateKey) in (privateKeys[own] ?? []).enumerated() {
      for publicKey in publicKeys(of: other) {
        let derivation = Derivation(
          own: own, keyNumber: number, other: other, publicKey: publicKey, labels: labels)
        guard let key = key(derivation, privateKey) else { continue }
        candidates.append(Candidate(name: "peer:\(own)\(suffix)", key: key))
      }
    }
    return candidates
  }

  /// Offers newest first, then the public halves of known private keys.
  private func publicKeys(of node: NodeID) -> [[UInt8]] {
    (offers[node] ?? []).reversed()
      + (privateKeys[node] ?? []).map { X25519.publicKey(of: $0) }
  }

  private mutating func key(_ derivation: Derivation, _ privateKey: SecretKey) -> SecretKey? {
    if let known = derived[derivation] { return known }
    let key = KeyDerivation.sessionKey(
      privateKey: privateKey, publicKey: derivation.publicKey, between: derivation.own,
      and: derivation.other, labels: derivation.labels)
    guard let key else { return nil }
    if derived.count >= Self.derivedLimit { derived.removeAll() }
    derived[derivation] = key
    return key
  }
}
