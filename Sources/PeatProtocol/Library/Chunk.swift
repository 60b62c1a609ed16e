public import WireBytes

/// A piece of a longer message: 8 header bytes, least significant first, and content
/// (protocol.md 5.1).
public struct Chunk: WireValue, Hashable {
  /// Bytes of the header.
  public static let headerSize = 8

  /// The message that this is a piece of.
  public var messageID: UInt32
  /// Place of the piece, from 0.
  public var index: UInt16
  /// Pieces of the message, cut to 16 bits.
  public var total: UInt16
  /// The content.
  public var payload: [UInt8]

  /// Makes a chunk.
  public init(messageID: UInt32, index: UInt16, total: UInt16, payload: [UInt8]) {
    self.messageID = messageID
    self.index = index
    self.total = total
    self.payload = payload
  }

  /// Reads a chunk; everything behind the header is content.
  ///
  /// - Throws: ``FormatFault`` for fewer than 8 bytes.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(Chunk.headerSize, "chunk header")
    messageID = try reader.le32("message id")
    index = try reader.le16("chunk index")
    total = try reader.le16("total chunks")
    payload = reader.rest()
  }

  /// Appends header and content.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(messageID)
    writer.le16(index)
    writer.le16(total)
    writer.append(payload)
  }

  /// Cuts a message into chunks as the reference does: MTU − 8 bytes each, which is 3 more than
  /// a write or a notification of that MTU carries.
  ///
  /// No data makes one empty chunk, an MTU up to 8 makes none. Index and total wrap at 65 536.
  public static func chunks(of data: [UInt8], messageID: UInt32, mtu: Int) -> [Chunk] {
    let size = mtu - headerSize
    guard size > 0 else { return [] }
    guard !data.isEmpty else {
      return [Chunk(messageID: messageID, index: 0, total: 1, payload: [])]
    }
    let total = UInt16(truncatingIfNeeded: (data.count + size - 1) / size)
    return stride(from: 0, to: data.count, by: size).enumerated().map { index, start in
      Chunk(
        messageID: messageID, index: UInt16(truncatingIfNeeded: index), total: total,
        payload: Array(data[start..<min(start + size, data.count)]))
    }
  }
}

/// Joins chunks again (protocol.md 5.1).
///
/// Messages are told apart by their id alone. One is complete when as many different indexes came
/// as its first chunk announced; when one of the right indexes is missing then, it is lost.
public struct ChunkReassembler: Sendable {
  /// Milliseconds after which a message that is not complete goes at the next cleaning.
  public static let timeout: UInt64 = 30_000
  /// Chunks held at once. The reference has no limit; beyond this one the oldest message goes, so
  /// that hostile input cannot take all memory.
  public static let maximumHeldChunks = 65_536
  /// Messages held at once, for the same reason.
  public static let maximumHeldMessages = 1024

  private struct Partial: Sendable {
    var started: UInt64
    var order: UInt64
    var total: UInt16
    var parts: [UInt16: [UInt8]]
  }

  private var partials: [UInt32: Partial] = [:]
  private var heldChunks = 0
  private var nextOrder: UInt64 = 0

  /// Makes a reassembler that holds nothing.
  public init() {}

  /// Messages that wait for chunks.
  public var pendingCount: Int { partials.count }

  /// Takes a chunk at a time in milliseconds.
  ///
  /// - Returns: the message that it completes.
  public mutating func receive(_ chunk: Chunk, at now: UInt64) -> [UInt8]? {
    if chunk.total == 1 { return chunk.payload }
    if partials[chunk.messageID] == nil {
      partials[chunk.messageID] = Partial(
        started: now, order: nextOrder, total: chunk.total, parts: [:])
      nextOrder &+= 1
    }
    let replaced = partials[chunk.messageID]?.parts.updateValue(chunk.payload, forKey: chunk.index)
    if replaced == nil { heldChunks += 1 }
    guard let partial = partials[chunk.messageID] else { return nil }
    guard partial.parts.count == Int(partial.total) else {
      while heldChunks > ChunkReassembler.maximumHeldChunks
        || partials.count > ChunkReassembler.maximumHeldMessages
      { removeOldest() }
      return nil
    }
    remove(chunk.messageID)
    var message: [UInt8] = []
    for index in 0..<partial.total {
      guard let part = partial.parts[index] else { return nil }
      message += part
    }
    return message
  }

  /// Drops messages that are older than the timeout; a clock before a message's start counts as
  /// far behind it, as in the reference's release build.
  public mutating func clean(at now: UInt64) {
    for (id, partial) in partials where now &- partial.started >= ChunkReassembler.timeout {
      remove(id)
    }
  }

  private mutating func remove(_ id: UInt32) {
    heldChunks -= partials.removeValue(forKey: id)?.parts.count ?? 0
  }

  private mutating func removeOldest() {
    if let oldest = partials.min(by: { $0.value.order < $1.value.order })?.key { remove(oldest) }
  }
}
