public import WireBytes

/// The state that a node sends: its own, and what it knows of the mesh (protocol.md 2).
public struct Document: Equatable, Sendable {
  /// 2020-01-01T00:00:00Z in milliseconds: what is earlier, the reference takes for no time.
  public static let earliestTime: UInt64 = 1_577_836_800_000

  /// First bytes of the sections.
  enum Marker {
    static let peripheral: UInt8 = 0xAB
    static let emergency: UInt8 = 0xAC
    static let chat: UInt8 = 0xAD
  }

  /// Counts the sender's changes, modulo 2^32.
  public var version: UInt32
  /// The sender.
  public var node: NodeID
  /// What each node has counted, as far as the sender knows.
  public var counter: GCounter
  /// The sender's own state, if it was given.
  public var peripheral: Peripheral?
  /// The emergency that the sender knows of, if any.
  public var emergency: EmergencyEvent?
  /// The messages of a build with legacy chat, nil without such a section.
  public var chat: ChatSet?

  /// Makes a document from its parts.
  public init(
    version: UInt32 = 1, node: NodeID, counter: GCounter = GCounter(),
    peripheral: Peripheral? = nil, emergency: EmergencyEvent? = nil, chat: ChatSet? = nil
  ) {
    self.version = version
    self.node = node
    self.counter = counter
    self.peripheral = peripheral
    self.emergency = emergency
    self.chat = chat
  }

  /// The chat set as it would be written: an empty one is not.
  private var writtenChat: ChatSet? {
    if let chat, !chat.messages.isEmpty { chat } else { nil }
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int {
    var size = 8 + counter.encodedSize
    if let peripheral { size += 4 + peripheral.encodedSize }
    if let emergency { size += 4 + emergency.encodedSize }
    if let chat = writtenChat { size += 4 + chat.encodedSize }
    return size
  }

  /// Appends the document byte for byte as the reference writes it.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(version)
    writer.le32(node.rawValue)
    counter.encode(into: &writer)
    if let peripheral {
      section(Marker.peripheral, into: &writer) { peripheral.encode(into: &$0) }
    }
    if let emergency {
      section(Marker.emergency, into: &writer) { emergency.encode(into: &$0) }
    }
    if let chat = writtenChat {
      section(Marker.chat, into: &writer) { chat.encode(into: &$0) }
    }
  }

  /// The document's bytes as the reference writes them.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: encodedSize)
    encode(into: &writer)
    return writer.bytes
  }

  private func section(
    _ marker: UInt8, into writer: inout ByteWriter, _ body: (inout ByteWriter) -> Void
  ) {
    writer.u8(marker)
    writer.u8(0)
    writer.le16LengthPrefixed(body)
  }
}

extension Document {
  /// The parts of a document that a merge changed.
  public struct MergedParts: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// One bit a part.
    public let rawValue: UInt8
    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The counter's total.
    public static let counter = MergedParts(rawValue: 1)
    /// The emergency or its acks.
    public static let emergency = MergedParts(rawValue: 2)
    /// The chat messages.
    public static let chat = MergedParts(rawValue: 4)
  }

  /// Takes another node's document into this one, as a receiver does; tells whether the counter's
  /// total, the emergency or the chat changed, and counts the version up if so (protocol.md 4).
  ///
  /// The other's peripheral is not taken: it says what its sender does.
  @discardableResult
  public mutating func merge(_ other: Document) -> Bool { !mergeParts(of: other).isEmpty }

  /// Merges and tells which parts changed.
  @discardableResult
  public mutating func mergeParts(of other: Document) -> MergedParts {
    var changed: MergedParts = []
    if counter.merge(other.counter) { changed.insert(.counter) }
    if let theirs = other.emergency {
      if var mine = emergency {
        // Taken out, so that the merge changes it in place.
        emergency = nil
        if mine.merge(theirs) { changed.insert(.emergency) }
        emergency = mine
      } else {
        emergency = theirs
        changed.insert(.emergency)
      }
    }
    if let theirs = other.chat, !theirs.messages.isEmpty {
      var mine = chat ?? ChatSet()
      chat = nil
      if mine.merge(theirs) { changed.insert(.chat) }
      chat = mine
    }
    if !changed.isEmpty { version &+= 1 }
    return changed
  }
}
