/// One side of the library's request and response synchronisation (protocol.md 5.3).
///
/// Nothing on the air speaks it; the type is there to read and to test the format.
public struct SyncSession: Sendable {
  /// Where a session stands.
  public enum State: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case idle, sendingVector, receivingDocuments, sendingDocuments, waitingAcknowledgement
    case complete, error
  }

  /// A message that arrived whole.
  public struct Received: Sendable, Equatable {
    /// What it carries; for a joined one, what its first fragment said.
    public var kind: SyncMessage.Kind
    /// The content; an end has none.
    public var payload: [UInt8]
  }

  private struct Partial: Sendable {
    var kind: SyncMessage.Kind
    var sequence: UInt16
    var total: UInt8
    var parts: [UInt8: [UInt8]]
  }

  /// Payload bytes of a fragment until an MTU is known.
  public static let defaultFragmentSize = 15
  /// Acknowledgements that wait at most; the reference has no limit.
  public static let maximumOutgoing = 65_536

  /// Where the session stands.
  public private(set) var state = State.idle
  private var nextSequence: UInt16 = 0
  private var fragmentSize = SyncSession.defaultFragmentSize
  private var outgoing: [SyncMessage] = []
  private var partial: Partial?

  /// Makes an idle session.
  public init() {}

  /// Whether messages wait to be sent.
  public var hasOutgoing: Bool { !outgoing.isEmpty }

  /// Sets the fragment size to what a link's ATT MTU leaves.
  public mutating func setMTU(_ mtu: Int) {
    fragmentSize = SyncMessage.maximumPayload(mtu: mtu)
  }

  /// Starts with this side's vector.
  ///
  /// - Returns: false where the MTU leaves no room for content; the reference crashes there.
  public mutating func start(vector: [UInt8]) -> Bool {
    guard queue(.vector, vector) else { return false }
    state = .sendingVector
    return true
  }

  /// Queues a document; an idle session moves on to sending documents.
  ///
  /// - Returns: false where the MTU leaves no room for content; the reference crashes there.
  public mutating func queue(document: [UInt8]) -> Bool {
    guard queue(.document, document) else { return false }
    if state == .idle { state = .sendingDocuments }
    return true
  }

  /// Queues the end and completes the session.
  public mutating func end() {
    outgoing.append(SyncMessage(kind: .end, sequence: takeSequence(), payload: []))
    state = .complete
  }

  /// Forgets everything but the fragment size.
  public mutating func reset() {
    let size = fragmentSize
    self = SyncSession()
    fragmentSize = size
  }

  /// Takes all messages that wait to be sent.
  public mutating func drain() -> [SyncMessage] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Takes one received value.
  ///
  /// - Returns: the message that it completes; nil for an acknowledgement, a part of a message,
  ///   and a fragment the session ignores.
  /// - Throws: ``FormatFault`` for fewer than 5 bytes, and for a first fragment whose index is
  ///   not below its total, where the reference crashes.
  public mutating func receive(_ bytes: [UInt8]) throws(FormatFault) -> Received? {
    let message = try SyncMessage(bytes: bytes)
    return message.isFragment ? try join(message) : receive(whole: message)
  }

  private mutating func receive(whole message: SyncMessage) -> Received? {
    switch message.kind {
    case .vector:
      state = .receivingDocuments
      return Received(kind: .vector, payload: message.payload)
    case .document:
      if outgoing.count < SyncSession.maximumOutgoing {
        outgoing.append(
          SyncMessage(kind: .acknowledgement, sequence: message.sequence, payload: []))
      }
      return Received(kind: .document, payload: message.payload)
    case .acknowledgement:
      return nil
    case .end:
      state = .complete
      return Received(kind: .end, payload: [])
    }
  }

  private mutating func join(_ message: SyncMessage) throws(FormatFault) -> Received? {
    if partial?.sequence != message.sequence {
      guard message.fragmentIndex < message.totalFragments else {
        throw FormatFault(
          reason:
            "fragment index \(message.fragmentIndex) is not below \(message.totalFragments)",
          offset: 4)
      }
      partial = Partial(
        kind: message.kind, sequence: message.sequence, total: message.totalFragments, parts: [:])
    }
    guard var joined = partial, joined.total == message.totalFragments,
      message.fragmentIndex < joined.total
    else { return nil }
    joined.parts[message.fragmentIndex] = message.payload
    guard joined.parts.count == Int(joined.total) else {
      partial = joined
      return nil
    }
    partial = nil
    let payload = (0..<joined.total).flatMap { joined.parts[$0] ?? [] }
    return Received(kind: joined.kind, payload: payload)
  }

  private mutating func queue(_ kind: SyncMessage.Kind, _ payload: [UInt8]) -> Bool {
    guard
      let messages = SyncMessage.fragments(
        kind: kind, sequence: nextSequence, payload: payload, maximumFragmentSize: fragmentSize)
    else { return false }
    nextSequence &+= 1
    outgoing += messages
    return true
  }

  private mutating func takeSequence() -> UInt16 {
    defer { nextSequence &+= 1 }
    return nextSequence
  }
}
