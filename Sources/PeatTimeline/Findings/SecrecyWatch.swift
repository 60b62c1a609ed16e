import PeatDissection
import PeatProtocol

/// One way of one connection.
struct Flow: Hashable, Sendable {
  var link: Int
  var isFromLocal: Bool

  init(_ row: TimelineRow) {
    link = row.value.link.id
    isFromLocal = row.value.direction.isFromLocal
  }
}

/// The latest of many keys, each with a value; the oldest are forgotten.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var values: [Key: Value] = [:]
  private var order: [Key] = []
  private var oldest = 0

  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? { values.isEmpty ? nil : values[key] }

  var isEmpty: Bool { values.isEmpty }

  /// Enters a key; a known one keeps its age.
  mutating func set(_ key: Key, _ value: Value) {
    guard values.updateValue(value, forKey: key) == nil else { return }
    if order.count < limit {
      order.append(key)
    } else {
      values[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % limit
    }
  }
}

/// Watches what is and is not encrypted, and what is sent again (protocol.md 6, 7.2).
struct SecrecyWatch: Sendable {
  private static let memory = 4096
  /// Nanoseconds within which one frame may go to several peers.
  private static let spread: Int64 = 2_000_000_000

  private struct Sighting: Sendable {
    var flow: Flow
    var time: Int64?
    var frame: Int
  }

  private var encryptedFlows = RecentTable<Flow, Int>(limit: memory)
  private var nonces = RecentTable<[UInt8], Sighting>(limit: memory)
  /// What encrypted frames held, by hash.
  private var contents = RecentTable<Int, Int>(limit: memory)
  private var counters = PeerCounters()

  /// Starts without having seen anything.
  init() {}

  mutating func observe(_ facts: RowFacts, _ findings: inout [Finding]) {
    let message = facts.row.message
    switch message.body {
    case .encrypted(let frame):
      if !facts.row.value.opcode.isRead { replay(frame.nonce, facts, &findings) }
      encryptedFlows.set(Flow(facts.row), facts.frame)
      if let inner = message.inner, let content = SecrecyWatch.content(inner) {
        contents.set(content, facts.frame)
      }
    case .peerEncrypted(let frame, _): peer(frame, &findings)
    case .keyExchange(let exchange): counters.observe(exchange)
    case .document, .delta, .canned, .markers, .chat: clear(facts, message, &findings)
    case .none, .relay, .app, .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite,
      .beacon:
      break
    }
  }

  /// A nonce is random: a frame that has one for the second time is the same frame again.
  private mutating func replay(
    _ nonce: [UInt8], _ facts: RowFacts, _ findings: inout [Finding]
  ) {
    let sighting = Sighting(flow: Flow(facts.row), time: facts.time, frame: facts.frame)
    guard let earlier = nonces[nonce] else {
      nonces.set(nonce, sighting)
      return
    }
    if earlier.flow != sighting.flow {
      // One frame goes to all peers at the same time.
      guard let now = facts.time, let then = earlier.time else { return }
      let (age, overflow) = now.subtractingReportingOverflow(then)
      guard !overflow, age > SecrecyWatch.spread else { return }
    }
    findings.append(
      Finding(
        .replayedFrame, "the encrypted frame is that of frame \(earlier.frame)",
        otherFrames: [earlier.frame]))
  }

  private mutating func peer(_ frame: PeerMessage, _ findings: inout [Finding]) {
    switch counters.observe(frame) {
    case nil: break
    case .replayed(let counter, let expected):
      findings.append(
        Finding(
          .replayedFrame,
          "node \(frame.sender) sends counter \(counter), \(expected) is due: receivers drop it"))
    case .jumped(let counter, let expected):
      findings.append(
        Finding(
          .counterJump,
          "node \(frame.sender) sends counter \(counter), \(expected) was due"))
    }
  }

  private func clear(_ facts: RowFacts, _ message: Message, _ findings: inout [Finding]) {
    if let frame = encryptedFlows[Flow(facts.row)] {
      findings.append(
        Finding(
          .plaintextInEncrypted, "in clear where encrypted frames came, as in frame \(frame)",
          otherFrames: [frame]))
    }
    // Most captures hold nothing that a key opened.
    guard !contents.isEmpty, let content = SecrecyWatch.content(message),
      let frame = contents[content]
    else { return }
    findings.append(
      Finding(
        .decryptedResent, "in clear what frame \(frame) held encrypted", otherFrames: [frame]))
  }

  private static func content(_ message: Message) -> Int? {
    var hasher = Hasher()
    switch message.body {
    case .document(let decoded): hasher.combine(decoded.document.encoded())
    case .canned(let canned): hasher.combine(canned.message)
    case .none, .encrypted, .peerEncrypted, .keyExchange, .relay, .delta, .app, .markers, .chat,
      .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      return nil
    }
    return hasher.finalize()
  }
}
