/// One Peat message as an observer reads it, with what it wraps.
public struct Message: Equatable, Sendable {
  /// What the bytes are.
  public var kind: MessageKind
  /// The author of the innermost opened message, else the relay's origin or the frame's sender.
  public var node: NodeID?
  /// The marker that a plain document's first byte looks like (protocol.md 2.9).
  public var collides: FrameMarker?
  /// The decoded fields.
  public var body: MessageBody
  /// The key that opened it, such as `mesh:DEMO`.
  public var decryptedWith: String?
  /// Why it was not opened.
  public var unopened: Unopened?
  /// Why it is `malformed` or `incomplete`, and where that shows.
  public var fault: FormatFault?
  // A message is a value, so what it contains hangs on an array of at most one.
  private var wrapped: [Message] = []

  /// Makes a message of a kind with a body.
  public init(
    _ kind: MessageKind, node: NodeID? = nil, body: MessageBody = .none, fault: FormatFault? = nil
  ) {
    self.kind = kind
    self.node = node
    self.body = body
    self.fault = fault
  }

  /// The message inside a wrapper that could be opened.
  public var inner: Message? {
    get { wrapped.first }
    set { wrapped = newValue.map { [$0] } ?? [] }
  }

  /// The message inside all wrappers, itself where it wraps nothing that could be opened.
  public var innermost: Message { inner?.innermost ?? self }

  /// The document that it is.
  public var document: DecodedDocument? {
    if case .document(let value) = body { value } else { nil }
  }

  /// Bytes that no reading fits.
  public static func malformed(_ fault: FormatFault) -> Message {
    Message(.malformed, fault: fault)
  }

  /// A value of `count` bytes of which only `captured` were recorded.
  public static func incomplete(captured: Int, of count: Int) -> Message {
    let missing = max(0, count - captured)
    return Message(
      .incomplete,
      fault: FormatFault(
        reason: "\(missing) of \(count) bytes were not recorded", offset: captured))
  }

  /// The document that the reference would take from this message: itself, what mesh encryption
  /// holds, or what a relay envelope holds in clear or encrypted (protocol.md 2.9).
  public var dispatchedDocument: DecodedDocument? { dispatched?.document }

  /// The document or delta that the reference would dispatch from this message.
  public var dispatched: Message? {
    switch kind {
    case .document, .delta: return self
    case .encrypted: return inner.flatMap { $0.isPayload ? $0 : nil }
    case .relay:
      guard let inner else { return nil }
      if inner.isPayload { return inner }
      guard inner.kind == .encrypted, let payload = inner.inner else { return nil }
      return payload.isPayload ? payload : nil
    case .peerEncrypted, .keyExchange, .canned, .app, .markers, .chat, .nodeID, .nodeInfo,
      .syncState, .command, .status, .chunk, .lite, .beacon, .encryptedBeacon, .incomplete,
      .malformed:
      return nil
    }
  }

  private var isPayload: Bool { kind == .document || kind == .delta }
}

/// The decoded fields of a message, by kind.
public enum MessageBody: Equatable, Sendable {
  case none
  /// Boxed: it is by far the largest, and messages are passed around by value.
  indirect case document(DecodedDocument)
  case encrypted(EncryptedFrame)
  /// `plaintext` where a key opened it; it is opaque to the reference.
  case peerEncrypted(PeerMessage, plaintext: [UInt8]?)
  case keyExchange(KeyExchange)
  case relay(RelayEnvelope)
  case delta(DeltaReading)
  case canned(CannedReading)
  case app(AppDocumentFrame)
  case markers(MarkerList)
  case chat(ChatFrame)
  case nodeID(NodeIDValue)
  case nodeInfo(NodeInfo)
  case syncState(SyncStateValue)
  case command(CommandValue)
  case status(StatusValue)
  case chunk(Chunk)
  case lite(LiteFrame)
  case beacon(BeaconMessage)
}
