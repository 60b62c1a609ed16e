/// Values that are read without a marker (protocol.md 2.9).
enum PlainReading {
  /// The document that the bytes are; nil where the reference refuses them.
  static func document(_ payload: [UInt8]) -> Message? {
    guard let decoded = try? Document.decode(payload, chat: true) else { return nil }
    return Message(.document, node: decoded.document.node, body: .document(decoded))
  }

  /// The document that the bytes are.
  static func forced(_ payload: [UInt8]) throws(FormatFault) -> Message {
    let decoded = try Document.decode(payload, chat: true)
    return Message(.document, node: decoded.document.node, body: .document(decoded))
  }

  /// Whether a plain reading is credible where the first byte is a marker.
  static func isCredible(_ payload: [UInt8]) -> Bool {
    // Bytes have no padding, so their raw view is wholly initialised.
    unsafe Document.isCredible(payload.span.bytes)
  }

  /// Reads a value whose first byte is no marker.
  static func unmarked(_ payload: [UInt8], _ context: MessageContext) -> Message {
    do throws(FormatFault) {
      return try forced(payload)
    } catch {
      return nodeID(payload, context) ?? FrameReading.unmarked(payload) ?? .malformed(error)
    }
  }

  /// The 4-byte read answer; nil where the value is something else (protocol.md 8.3).
  static func nodeID(_ payload: [UInt8], _ context: MessageContext) -> Message? {
    guard payload.count == 4, context.isReadAnswer != false,
      let value = try? NodeIDValue(bytes: payload)
    else { return nil }
    return Message(.nodeID, node: value.node, body: .nodeID(value))
  }
}
