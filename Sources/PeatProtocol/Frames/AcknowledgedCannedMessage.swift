public import WireBytes

/// A canned message with the nodes that acknowledged it (protocol.md 7.5).
///
/// The source counts as its own first acknowledger, from the message's time on.
public struct AcknowledgedCannedMessage: WireValue, Hashable {
  /// A node and when it acknowledged.
  public struct Acknowledgement: Hashable, Sendable, BitwiseCopyable {
    /// The node, never 0.
    public var node: NodeID
    /// Unix milliseconds as the node told them.
    public var timestamp: UInt64

    /// Makes an acknowledgement.
    public init(node: NodeID, timestamp: UInt64) {
      self.node = node
      self.timestamp = timestamp
    }
  }

  /// Acknowledgements that are kept; a count above it refuses a frame.
  public static let maximumAcknowledgements = 64

  /// The message.
  public private(set) var message: CannedMessage
  /// The acknowledgements in the order in which they came, which is the wire order.
  public private(set) var acknowledgements: [Acknowledgement]

  /// Makes a message that only its source acknowledged.
  public init(_ message: CannedMessage) {
    self.message = message
    acknowledgements = [
      Acknowledgement(node: message.source, timestamp: message.timestamp)
    ]
  }

  /// Reads the form with acknowledgements; 22 and 23 bytes have none.
  ///
  /// Node 0 is skipped, a repeated node's last time holds, and what exceeds 64 is left out.
  ///
  /// - Throws: ``FormatFault`` where the plain form is refused, for source 0, for a count above
  ///   64, and where entries are cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    let start = reader.offset
    self.init(try CannedMessage(decoding: &reader))
    guard message.source.rawValue != 0 else {
      throw FormatFault(reason: "source is 0", offset: start + 2)
    }
    guard reader.remaining >= 2 else { return }
    let countOffset = reader.offset
    let count = Int(try reader.le16("acknowledgement count"))
    guard count <= AcknowledgedCannedMessage.maximumAcknowledgements else {
      throw FormatFault(
        reason: "\(count) acknowledgements are above 64", offset: countOffset)
    }
    try reader.require(count * 12, "acknowledgements")
    for _ in 0..<count {
      let node = try reader.node("acknowledging node")
      let timestamp = try reader.le64("acknowledgement time")
      if node.rawValue != 0 { _ = set(node, timestamp) }
    }
  }

  /// Appends the plain form, the count and the acknowledgements.
  public func encode(into writer: inout ByteWriter) {
    message.encode(into: &writer)
    writer.le16(UInt16(truncatingIfNeeded: acknowledgements.count))
    for acknowledgement in acknowledgements {
      writer.le32(acknowledgement.node.rawValue)
      writer.le64(acknowledgement.timestamp)
    }
  }

  /// Notes an acknowledgement; true when it is new or later than the node's last and fits.
  ///
  /// Node 0 cannot acknowledge.
  public mutating func acknowledge(by node: NodeID, at timestamp: UInt64) -> Bool {
    guard node.rawValue != 0 else { return false }
    if let known = acknowledgements.first(where: { $0.node == node }), known.timestamp >= timestamp
    {
      return false
    }
    return set(node, timestamp)
  }

  /// Merges another copy: the same message joins acknowledgements by their later times, a later
  /// message takes this one's place. True when anything changed.
  public mutating func merge(_ other: AcknowledgedCannedMessage) -> Bool {
    if other.message.source == message.source && other.message.timestamp == message.timestamp {
      var changed = false
      for entry in other.acknowledgements {
        changed = acknowledge(by: entry.node, at: entry.timestamp) || changed
      }
      return changed
    }
    guard other.message.timestamp > message.timestamp else { return false }
    self = other
    return true
  }

  private mutating func set(_ node: NodeID, _ timestamp: UInt64) -> Bool {
    if let index = acknowledgements.firstIndex(where: { $0.node == node }) {
      acknowledgements[index].timestamp = timestamp
      return true
    }
    guard acknowledgements.count < AcknowledgedCannedMessage.maximumAcknowledgements else {
      return false
    }
    acknowledgements.append(Acknowledgement(node: node, timestamp: timestamp))
    return true
  }
}
