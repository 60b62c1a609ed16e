/// The latest canned message of each source and code (protocol.md 7.5).
///
/// A full store makes room before each message it takes, even for one that only replaces another,
/// as the reference does; the oldest goes.
public struct CannedMessageStore: Sendable {
  /// Messages kept.
  public let capacity: Int
  // In the order of the reference's table: a removal puts the last message in the gap.
  private var messages: [CannedMessage] = []

  /// Makes an empty store for at least one message.
  public init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Messages in the store.
  public var count: Int { messages.count }

  /// The message of a source and code.
  public func message(source: NodeID, code: CannedCode) -> CannedMessage? {
    index(source, code).map { messages[$0] }
  }

  /// Takes a message that is newer than the one of its source and code, by time, then sequence;
  /// true when it was taken.
  public mutating func insert(_ message: CannedMessage) -> Bool {
    if let index = index(message.source, message.code) {
      let known = messages[index]
      guard (message.timestamp, message.sequence) > (known.timestamp, known.sequence) else {
        return false
      }
    }
    if messages.count >= capacity { removeOldest() }
    if let index = index(message.source, message.code) {
      messages[index] = message
    } else {
      messages.append(message)
    }
    return true
  }

  private func index(_ source: NodeID, _ code: CannedCode) -> Int? {
    messages.firstIndex { $0.source == source && $0.code == code }
  }

  private mutating func removeOldest() {
    guard
      let oldest = messages.indices.min(by: { messages[$0].timestamp < messages[$1].timestamp })
    else { return }
    messages.swapAt(oldest, messages.count - 1)
    messages.removeLast()
  }
}
