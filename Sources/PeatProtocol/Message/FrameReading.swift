/// Frames that neither need a key nor wrap another message.
enum FrameReading {
  static func delta(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let delta = try DeltaReading(bytes: payload)
    return Message(.delta, node: delta.origin, body: .delta(delta))
  }

  static func markers(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let list = try MarkerList(bytes: payload)
    // A list none of whose announced markers could be read is no list.
    if let stop = list.stop, list.markers.isEmpty { throw stop }
    return Message(.markers, node: list.node, body: .markers(list))
  }

  static func chat(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let frame = try ChatFrame(bytes: payload)
    return Message(.chat, node: frame.origin, body: .chat(frame))
  }

  static func app(_ payload: [UInt8]) throws(FormatFault) -> Message {
    Message(.app, body: .app(try AppDocumentFrame(bytes: payload)))
  }

  static func lite(_ payload: [UInt8]) throws(FormatFault) -> Message {
    do throws(LiteFault) {
      let frame = try LiteFrame(bytes: payload)
      return Message(.lite, node: frame.node, body: .lite(frame))
    } catch { throw lite(error, payload) }
  }

  private static func lite(_ fault: LiteFault, _ payload: [UInt8]) -> FormatFault {
    let (reason, offset) =
      switch fault {
      case .invalidMagic: ("peat-lite frame does not start with PEAT", 0)
      case .unsupportedVersion: ("peat-lite version is not 1", 4)
      case .invalidMessageType: ("peat-lite frame type is unknown", 5)
      case .tooShort, .truncatedField, .invalidUTF8, .emptyCollection, .invalidFlags,
        .tombstoneWithBody, .bufferTooSmall, .fieldTooLong:
        ("peat-lite frame needs 16 bytes, \(payload.count) present", payload.count)
      }
    return FormatFault(reason: reason, offset: offset)
  }

  static func chunk(_ payload: [UInt8]) throws(FormatFault) -> Message {
    Message(.chunk, body: .chunk(try Chunk(bytes: payload)))
  }

  static func beacon(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let beacon = try Beacon(bytes: payload)
    return Message(
      .beacon, node: beacon.node, body: .beacon(BeaconMessage(beacon, form: .full)))
  }

  static func compactBeacon(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let beacon = try Beacon(compact: payload)
    return Message(
      .beacon, node: beacon.node, body: .beacon(BeaconMessage(beacon, form: .compact)))
  }

  /// Reads a value that is no document and has no marker; nil where nothing fits.
  static func unmarked(_ payload: [UInt8]) -> Message? {
    guard let first = payload.first else { return nil }
    if first & 0xF0 == 0xC0, let message = try? app(payload) { return message }
    if payload.starts(with: [0x50, 0x45, 0x41, 0x54]), let message = try? lite(payload) {
      return message
    }
    return isChunk(payload) ? try? chunk(payload) : nil
  }

  /// Whether the header is one that the reference's only sender of chunks writes: message id 0
  /// and an index below the total (protocol.md 5.1).
  private static func isChunk(_ payload: [UInt8]) -> Bool {
    guard payload.count >= 8 else { return false }
    // Bytes have no padding, so their raw view is wholly initialised.
    let bytes = unsafe DocumentBytes(payload.span.bytes)
    return bytes.le32(0) == 0 && bytes.le16(4) < bytes.le16(6)
  }

  /// Reads the bytes as a kind that neither needs a key nor wraps another message.
  static func forced(_ payload: [UInt8], _ kind: MessageKind) throws(FormatFault) -> Message {
    switch kind {
    case .delta: return try delta(payload)
    case .app: return try app(payload)
    case .markers: return try markers(payload)
    case .chat: return try chat(payload)
    case .lite: return try lite(payload)
    case .chunk: return try chunk(payload)
    case .beacon:
      return payload.count >= Beacon.fullSize ? try beacon(payload) : try compactBeacon(payload)
    case .nodeID:
      let value = try NodeIDValue(bytes: payload)
      return Message(.nodeID, node: value.node, body: .nodeID(value))
    case .nodeInfo:
      let value = try NodeInfo(bytes: payload)
      return Message(.nodeInfo, node: value.node, body: .nodeInfo(value))
    case .syncState: return Message(kind, body: .syncState(try SyncStateValue(bytes: payload)))
    case .command: return Message(kind, body: .command(try CommandValue(bytes: payload)))
    case .status: return Message(kind, body: .status(try StatusValue(bytes: payload)))
    case .document, .encrypted, .peerEncrypted, .keyExchange, .relay, .canned, .encryptedBeacon,
      .incomplete, .malformed:
      return try PlainReading.forced(payload)
    }
  }
}
