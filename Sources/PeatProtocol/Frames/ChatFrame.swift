public import WireBytes

/// Android's chat message as a frame of its own: first byte 0xAD (protocol.md 7.7).
///
/// It is not the chat section of a document, whose fields stand in another order; no library
/// sends it.
public struct ChatFrame: WireValue, Hashable {
  /// The first byte.
  public static let marker: UInt8 = 0xAD

  /// Bit 0 of the flags.
  public var isBroadcast: Bool
  /// Bit 1 of the flags.
  public var requiresAcknowledgement: Bool
  /// The node that wrote the message.
  public var origin: NodeID
  /// Unix milliseconds.
  public var timestamp: UInt64
  /// Who wrote it, at most 255 bytes.
  public var sender: String
  /// What it says, at most 255 bytes.
  public var text: String
  /// Origin of the message that this one answers; nil when the frame ends before it.
  public var replyNode: NodeID?
  /// Time of the message that this one answers; nil when the frame ends before it.
  public var replyTimestamp: UInt64?

  /// Makes a message.
  public init(
    origin: NodeID, timestamp: UInt64, sender: String, text: String, isBroadcast: Bool = true,
    requiresAcknowledgement: Bool = false, replyNode: NodeID? = nil,
    replyTimestamp: UInt64? = nil
  ) {
    self.origin = origin
    self.timestamp = timestamp
    self.sender = sender
    self.text = text
    self.isBroadcast = isBroadcast
    self.requiresAcknowledgement = requiresAcknowledgement
    self.replyNode = replyNode
    self.replyTimestamp = replyTimestamp
  }

  /// Reads a message; the reply fields are there as far as bytes are left for them.
  ///
  /// - Throws: ``FormatFault`` for another first byte and for a cut before the reply fields.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    let start = reader.offset
    guard try reader.u8("marker") == ChatFrame.marker else {
      throw FormatFault(reason: "first byte is not 0xAD", offset: start)
    }
    let flags = try reader.u8("flags")
    isBroadcast = flags & 0x01 != 0
    requiresAcknowledgement = flags & 0x02 != 0
    origin = try reader.node("origin")
    timestamp = try reader.le64("timestamp")
    sender = try reader.text(atMost: 255, "sender")
    text = try reader.text(atMost: 255, "text")
    replyNode = reader.remaining >= 4 ? try reader.node("reply node") : nil
    replyTimestamp = reader.remaining >= 8 ? try reader.le64("reply timestamp") : nil
  }

  /// Appends the message; a reply time without a reply node is left out.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(ChatFrame.marker)
    writer.u8((isBroadcast ? 0x01 : 0) | (requiresAcknowledgement ? 0x02 : 0))
    writer.le32(origin.rawValue)
    writer.le64(timestamp)
    writer.text(sender, atMost: 255)
    writer.text(text, atMost: 255)
    if let replyNode {
      writer.le32(replyNode.rawValue)
      if let replyTimestamp { writer.le64(replyTimestamp) }
    }
  }
}
