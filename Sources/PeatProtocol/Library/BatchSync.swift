/// The library's batch synchronisation: queued operations go to a peer in chunks, each once
/// (protocol.md 5.1).
public struct BatchSync: Sendable {
  /// Operations that fit a batch's count field.
  public static let maximumQueued = 65_535

  private var queued: [CRDTOperation] = []
  private var sent: [NodeID: [String: UInt64]] = [:]
  private var nextMessageID: UInt32 = 1
  private var reassembler = ChunkReassembler()

  /// Makes an empty state.
  public init() {}

  /// Operations that wait to be sent.
  public var queuedCount: Int { queued.count }

  /// Queues an operation; false when the queue is full.
  public mutating func add(_ operation: CRDTOperation) -> Bool {
    guard queued.count < BatchSync.maximumQueued else { return false }
    queued.append(operation)
    return true
  }

  /// Takes all queued operations, leaves out what the peer was sent in the same or a later state,
  /// and cuts the rest into chunks; none when nothing is left.
  public mutating func chunks(for peer: NodeID, mtu: Int) -> [Chunk] {
    let known = sent[peer] ?? [:]
    let news = queued.filter { operation in
      known[operation.key].map { operation.order > $0 } ?? true
    }
    queued = []
    guard !news.isEmpty else { return [] }
    for operation in news {
      let before = sent[peer]?[operation.key] ?? 0
      sent[peer, default: [:]][operation.key] = max(before, operation.order)
    }
    defer { nextMessageID &+= 1 }
    return Chunk.chunks(
      of: OperationBatch(operations: news).encoded, messageID: nextMessageID, mtu: mtu)
  }

  /// Takes a received chunk; the operations of the message that it completes.
  ///
  /// - Throws: ``FormatFault`` for a short chunk and for a message that is no batch.
  public mutating func receive(
    _ bytes: [UInt8], at now: UInt64
  ) throws(FormatFault) -> [CRDTOperation]? {
    guard let message = reassembler.receive(try Chunk(bytes: bytes), at: now) else { return nil }
    return try OperationBatch(bytes: message).operations
  }
}
