/// Reads attribute values as Peat messages, opening what it has keys for.
///
/// A first byte that is a marker is read as a plain document where that is credible and no key
/// opens the bytes; else as what the marker announces (protocol.md 2.9).
public struct MessageDecoder<Opener: MessageOpener> {
  /// Levels that are opened: a message, what it wraps, and so on.
  public static var maximumDepth: Int { 8 }

  /// Whoever holds the keys.
  public var opener: Opener

  /// Makes a decoder that asks `opener` for keys.
  public init(opener: Opener) { self.opener = opener }

  /// Reads one value; `forced` names the kind to read it as whatever its first byte says.
  public mutating func decode(
    _ payload: [UInt8], context: MessageContext = MessageContext(), as forced: MessageKind? = nil
  ) -> Message {
    if let forced { return force(payload, forced) }
    if context.role == .document, !MessageDecoder.isMarked(payload) {
      // Neither keys nor levels matter here, as for nearly every value: the shortest way.
      return PlainReading.unmarked(payload, context)
    }
    if let message = SiblingReading.message(payload, context) { return message }
    return read(payload, context, depth: 1)
  }

  private static func isMarked(_ payload: [UInt8]) -> Bool {
    guard let first = payload.first else { return false }
    return FrameMarker(rawValue: first) != nil
  }

  private mutating func read(
    _ payload: [UInt8], _ context: MessageContext, depth: Int
  ) -> Message {
    guard let first = payload.first, let marker = FrameMarker(rawValue: first) else {
      return PlainReading.unmarked(payload, context)
    }
    if payload.count == 4, let message = PlainReading.nodeID(payload, context) { return message }
    let opened = open(payload, marker, depth: depth)
    if let opened, opened.decryptedWith != nil { return opened }
    if PlainReading.isCredible(payload), var plain = PlainReading.document(payload) {
      plain.collides = marker
      return plain
    }
    return opened ?? framed(payload, marker, depth: depth)
  }

  /// Reads a frame that a key may open; nil for other markers.
  private mutating func open(
    _ payload: [UInt8], _ marker: FrameMarker, depth: Int
  ) -> Message? {
    switch marker {
    case .encrypted: return encrypted(payload, depth: depth)
    case .peerMessage: return peerMessage(payload)
    case .markers, .chat, .keyExchange, .relay, .delta: return nil
    }
  }

  private mutating func framed(
    _ payload: [UInt8], _ marker: FrameMarker, depth: Int
  ) -> Message {
    do throws(FormatFault) {
      switch marker {
      case .encrypted: return encrypted(payload, depth: depth)
      case .peerMessage:
        // With code 0 only the length tells a canned message from a cut one between two nodes.
        if payload.count > 1 && payload[1] == 0 && !CannedReading.hasLength(of: payload) {
          return try peerMessageForced(payload)
        }
        return try canned(payload)
      case .keyExchange: return try keyExchange(payload)
      case .relay: return try relay(payload, depth: depth)
      case .delta: return try FrameReading.delta(payload)
      case .markers: return try FrameReading.markers(payload)
      case .chat: return try FrameReading.chat(payload)
      }
    } catch { return .malformed(error) }
  }

  private mutating func force(_ bytes: [UInt8], _ kind: MessageKind) -> Message {
    var payload = bytes
    if let first = bytes.first, let marker = MessageDecoder.marker(of: kind, insteadOf: first) {
      payload[0] = marker
    }
    do throws(FormatFault) {
      switch kind {
      case .document:
        return try PlainReading.forced(payload)
      case .encrypted: return encrypted(payload, depth: 1)
      case .peerEncrypted: return try peerMessageForced(payload)
      case .keyExchange: return try keyExchange(payload)
      case .relay: return try relay(payload, depth: 1)
      case .canned: return try canned(payload)
      case .encryptedBeacon: return try encryptedBeacon(payload)
      case .delta, .app, .markers, .chat, .nodeID, .nodeInfo, .syncState, .command, .status,
        .chunk, .lite, .beacon:
        return try FrameReading.forced(payload, kind)
      case .incomplete, .malformed:
        return read(payload, MessageContext(), depth: 1)
      }
    } catch { return .malformed(error) }
  }

  /// The first byte of a kind that begins with a marker (protocol.md 2.9); nil for other kinds.
  private static func marker(of kind: MessageKind, insteadOf first: UInt8) -> UInt8? {
    switch kind {
    case .markers: FrameMarker.markers.rawValue
    case .chat: FrameMarker.chat.rawValue
    case .encrypted: FrameMarker.encrypted.rawValue
    case .peerEncrypted, .canned: FrameMarker.peerMessage.rawValue
    case .keyExchange: FrameMarker.keyExchange.rawValue
    case .relay: FrameMarker.relay.rawValue
    case .delta: FrameMarker.delta.rawValue
    case .app: first & 0xF0 == 0xC0 ? first : 0xC0
    case .document, .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon,
      .encryptedBeacon, .incomplete, .malformed:
      nil
    }
  }
}

extension MessageDecoder where Opener == NoKeys {
  /// Makes a decoder without keys.
  public init() { opener = NoKeys() }
}

extension MessageDecoder: Sendable where Opener: Sendable {}

// MARK: - Frames that involve keys or wrap others

extension MessageDecoder {
  private mutating func inner(_ payload: [UInt8], depth: Int) -> Message {
    guard depth < MessageDecoder.maximumDepth else {
      let reason = "nested deeper than \(MessageDecoder.maximumDepth) levels"
      return .malformed(FormatFault(reason: reason, offset: 0))
    }
    return read(payload, MessageContext(isReadAnswer: false), depth: depth + 1)
  }

  private mutating func encrypted(_ payload: [UInt8], depth: Int) -> Message {
    guard let frame = try? EncryptedFrame(payload) else {
      let nonce = Array(payload.dropFirst(2).prefix(12))
      let flags = payload.count > 1 ? payload[1] : 0
      var message = Message(
        .encrypted,
        body: .encrypted(EncryptedFrame(flags: flags, nonce: nonce, ciphertext: [], tag: [])))
      message.unopened = .tooShort
      return message
    }
    var message = Message(.encrypted, body: .encrypted(frame))
    switch opener.open(frame) {
    case .opened(let plaintext, let key):
      let content = inner(plaintext, depth: depth)
      message.decryptedWith = key
      message.node = content.node
      message.inner = content
    case .unopened(let reason): message.unopened = reason
    }
    return message
  }

  /// Reads 0xAF as a message between two nodes; nil where it is a canned message instead.
  private mutating func peerMessage(_ payload: [UInt8]) -> Message? {
    guard let frame = try? PeerMessage(payload) else { return nil }
    let message = peerMessage(frame)
    if message.decryptedWith == nil && CannedReading.isLikely(payload) { return nil }
    return message
  }

  private mutating func peerMessage(_ frame: PeerMessage) -> Message {
    var message = Message(
      .peerEncrypted, node: frame.sender, body: .peerEncrypted(frame, plaintext: nil))
    switch opener.open(frame) {
    case .opened(let plaintext, let key):
      message.decryptedWith = key
      message.body = .peerEncrypted(frame, plaintext: plaintext)
    case .unopened(let reason): message.unopened = reason
    }
    return message
  }

  private mutating func peerMessageForced(_ payload: [UInt8]) throws(FormatFault) -> Message {
    peerMessage(try PeerMessage(payload))
  }

  private mutating func keyExchange(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let exchange = try KeyExchange(payload)
    opener.observe(exchange)
    return Message(.keyExchange, node: exchange.sender, body: .keyExchange(exchange))
  }

  private mutating func relay(
    _ payload: [UInt8], depth: Int
  ) throws(FormatFault) -> Message {
    let envelope = try RelayEnvelope(bytes: payload)
    let content = inner(envelope.payload, depth: depth)
    var message = Message(
      .relay, node: content.node ?? envelope.origin, body: .relay(envelope))
    message.inner = content
    return message
  }

  private mutating func canned(_ payload: [UInt8]) throws(FormatFault) -> Message {
    var reading = try CannedReading(payload)
    if let signature = reading.signature {
      reading.check = opener.check(
        signature: signature, over: reading.message.encoded, by: reading.message.source)
    }
    return Message(.canned, node: reading.message.source, body: .canned(reading))
  }

  private mutating func encryptedBeacon(_ payload: [UInt8]) throws(FormatFault) -> Message {
    guard payload.count >= 21 else {
      let reason = "encrypted beacon needs 21 bytes, \(payload.count) present"
      throw FormatFault(reason: reason, offset: payload.count)
    }
    guard payload[0] == 2 else {
      throw FormatFault(reason: "encrypted beacon version \(payload[0]) is not 2", offset: 0)
    }
    var message = Message(
      .encryptedBeacon,
      body: .beacon(
        BeaconMessage(
          encryptedWithCapabilities: Capabilities(
            rawValue: UInt16(payload[17]) << 8 | UInt16(payload[18])),
          level: HierarchyLevel(clamping: payload[19]), battery: payload[20])))
    switch opener.open(beacon: payload) {
    case .opened(let node, let key):
      message.node = node
      message.decryptedWith = key
    case .unopened(let reason): message.unopened = reason
    }
    return message
  }

  /// Reads a beacon that advertising carried.
  public mutating func decodeBeacon(
    _ payload: [UInt8], form: BeaconMessage.Form, rssi: Int8? = nil, name: String? = nil
  ) -> Message {
    do throws(FormatFault) {
      var message =
        switch form {
        case .full: try FrameReading.beacon(payload)
        case .compact: try FrameReading.compactBeacon(payload)
        case .encrypted: try encryptedBeacon(payload)
        }
      if case .beacon(var beacon) = message.body {
        beacon.rssi = rssi
        beacon.name = name
        message.body = .beacon(beacon)
      }
      return message
    } catch { return .malformed(error) }
  }
}
