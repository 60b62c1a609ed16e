/// Puts segmented messages together (Mesh Protocol 1.1, 3.5.3).
public struct SegmentAssembler: Sendable {
  /// Messages in the making at a time; of more, the one that has waited longest is given up.
  private static let limit = 256

  /// What tells one message from the others.
  public struct Key: Sendable, Hashable {
    /// The sender.
    public var source: MeshAddress
    /// The receiver.
    public var destination: MeshAddress
    /// The IV index that its PDUs are sealed under.
    public var ivIndex: UInt32
    /// Its sequence number (SeqAuth).
    public var sequence: UInt32
    /// What it is.
    public var content: Segment.Content

    /// Makes the key of the message that a segment is part of; nil for an impossible SeqZero.
    public init?(_ segment: Segment, of pdu: NetworkPDU, ivIndex: UInt32) {
      guard let sequence = segment.messageSequence(of: pdu.header.sequence) else { return nil }
      source = pdu.header.source
      destination = pdu.destination
      self.ivIndex = ivIndex
      self.sequence = sequence
      content = segment.content
    }
  }

  /// What a segment brought.
  public enum Step: Sendable, Equatable {
    case waiting
    /// The message's upper transport PDU.
    case whole([UInt8])
    /// The same segment was there before.
    case repeated
    /// It contradicts what was there: another number of segments, or other bytes.
    case contradiction
  }

  private struct Message: Sendable {
    var last: UInt8
    var parts: [UInt8: [UInt8]] = [:]
    var isWhole = false
    var age: Int
  }

  private var messages: [Key: Message] = [:]
  private var clock = 0

  /// Makes an assembler that holds nothing.
  public init() {}

  /// Takes the next segment.
  public mutating func take(_ segment: Segment, of key: Key) -> Step {
    clock += 1
    if messages[key] == nil, messages.count >= SegmentAssembler.limit,
      let oldest = messages.min(by: { $0.value.age < $1.value.age })?.key
    {
      messages[oldest] = nil
    }
    var message = messages[key] ?? Message(last: segment.last, age: clock)
    message.age = clock
    guard message.last == segment.last, !segment.isCut else { return .contradiction }
    if message.isWhole { return .repeated }
    if let known = message.parts[segment.index] {
      return known == segment.data ? .repeated : .contradiction
    }
    message.parts[segment.index] = segment.data
    guard message.parts.count == Int(segment.last) + 1 else {
      messages[key] = message
      return .waiting
    }
    let bytes = (0...segment.last).flatMap { message.parts[$0] ?? [] }
    // Kept without its bytes, so that a segment that comes again begins nothing.
    message.parts = [:]
    message.isWhole = true
    messages[key] = message
    return .whole(bytes)
  }

  /// The segments of a message that have come, ascending; empty once it is whole.
  public func received(_ key: Key) -> [UInt8] { messages[key]?.parts.keys.sorted() ?? [] }
}
