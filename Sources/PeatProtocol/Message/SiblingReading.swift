/// Values of the sibling characteristics (protocol.md 5.2).
enum SiblingReading {
  /// The value by its characteristic's layout; nil on the document characteristic, and where a
  /// sibling holds a document as the Linux examples do.
  static func message(_ payload: [UInt8], _ context: MessageContext) -> Message? {
    do throws(FormatFault) {
      switch context.role {
      case .document, .sensorReading, .sensorPosition, .sensorEmergency: return nil
      case .nodeInfo:
        if let message = PlainReading.nodeID(payload, context) { return message }
        let value = try NodeInfo(bytes: payload)
        return Message(.nodeInfo, node: value.node, body: .nodeInfo(value))
      case .syncState:
        if isCredible(payload) { return nil }
        return Message(.syncState, body: .syncState(try SyncStateValue(bytes: payload)))
      case .command:
        return Message(.command, body: .command(try CommandValue(bytes: payload)))
      case .status:
        return Message(.status, body: .status(try StatusValue(bytes: payload)))
      }
    } catch { return .malformed(error) }
  }

  private static func isCredible(_ payload: [UInt8]) -> Bool {
    CredibleReading.isCredible(payload)
  }
}

/// Whether bytes read as a Peat message at all, for values on unnamed handles and for plaintexts
/// whose tag is damaged.
public enum CredibleReading {
  /// Whether the bytes are a credible plain document, or a frame whose marker, lengths and fields
  /// agree; a frame of random bytes is not.
  public static func isCredible(_ payload: [UInt8]) -> Bool {
    if PlainReading.isCredible(payload) { return true }
    guard let first = payload.first, let marker = FrameMarker(rawValue: first) else {
      return false
    }
    switch marker {
    case .encrypted: return payload.count >= EncryptedFrame.overhead && payload[1] == 0
    case .peerMessage:
      return CannedReading.isLikely(payload)
        || payload.count >= PeerMessage.overhead && payload[1] == 0
    case .keyExchange: return payload.count == KeyExchange.size && payload[1] == 0
    case .relay:
      guard let envelope = try? RelayEnvelope(bytes: payload) else { return false }
      return payload.count == RelayEnvelope.headerSize + envelope.payload.count
    case .delta:
      guard let delta = try? DeltaReading(bytes: payload) else { return false }
      return delta.trailing.isEmpty
    case .markers, .chat: return false
    }
  }
}
