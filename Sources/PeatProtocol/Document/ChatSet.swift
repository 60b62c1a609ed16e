public import WireBytes

/// The chat messages of a document: an add-only set, ascending by message id (protocol.md 4.5).
public struct ChatSet: Equatable, Sendable {
  /// Most messages that are kept after a merge.
  public static let maximumKept = 32

  /// The messages, ascending by id.
  public private(set) var messages: [ChatMessage]

  /// Makes a set; of several messages with one id the last counts.
  public init(_ messages: [ChatMessage] = []) {
    self.messages = []
    for message in messages {
      let place = place(of: message.id)
      if place < self.messages.count && self.messages[place].id == message.id {
        self.messages[place] = message
      } else {
        self.messages.insert(message, at: place)
      }
    }
  }

  /// Adds what is not known by id; tells whether anything was. Then the smallest ids go first
  /// until 32 remain. An empty set adopts the other one whole.
  @discardableResult
  public mutating func merge(_ other: ChatSet) -> Bool {
    if messages.isEmpty {
      messages = other.messages
      return !messages.isEmpty
    }
    var isChanged = false
    for message in other.messages {
      let place = place(of: message.id)
      if place < messages.count && messages[place].id == message.id { continue }
      messages.insert(message, at: place)
      isChanged = true
    }
    if isChanged && messages.count > ChatSet.maximumKept {
      messages.removeFirst(messages.count - ChatSet.maximumKept)
    }
    return isChanged
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int { messages.reduce(2) { $0 + $1.encodedSize } }

  /// Appends the body of section 0xAD, without the section's header.
  public func encode(into writer: inout ByteWriter) {
    writer.le16(UInt16(truncatingIfNeeded: messages.count))
    for message in messages { message.encode(into: &writer) }
  }

  private func place(of id: UInt64) -> Int {
    var low = 0
    var high = messages.count
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Reads the body in `start..<end`; nil and a note of why where the reference drops the section.
  static func read(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int, lengthOffset: Int,
    log: inout [Dropped]
  ) -> ChatSet? {
    guard end - start >= 2 else {
      log.append(
        Dropped(
          .chat, .drop, at: lengthOffset, "chat needs 2 bytes, \(end - start) present",
          raw: UInt64(max(0, end - start))))
      return nil
    }
    let claimed = Int(bytes.le16(start))
    var messages: [ChatMessage] = []
    var places: [UInt64: Int] = [:]
    var offset = start + 2
    while messages.count < claimed {
      if offset >= end {
        let reason = "chat claims \(claimed) messages, \(messages.count) present"
        log.append(Dropped(.chat, .stop, at: start, reason, raw: UInt64(claimed)))
        break
      }
      let place = offset
      switch ChatMessage.read(bytes, &offset, end) {
      case .success(let message):
        if let earlier = places.updateValue(place, forKey: message.id) {
          log.append(
            Dropped(
              .chat, .skip, at: earlier, "a later message has the same origin and time bits"))
        }
        messages.append(message)
      case .failure(let fault):
        log.append(Dropped(.chat, .stop, at: fault.offset, fault.reason, raw: fault.raw))
        return ChatSet(messages)
      }
    }
    if messages.count == claimed && offset < end {
      log.append(
        Dropped(.chat, .skip, at: offset, "\(end - offset) bytes behind the last chat message"))
    }
    return ChatSet(messages)
  }
}
