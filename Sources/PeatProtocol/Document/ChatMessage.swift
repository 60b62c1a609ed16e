public import WireBytes

/// A text message of the legacy chat section (protocol.md 2.8).
public struct ChatMessage: Equatable, Sendable {
  /// The message that another one answers.
  public struct Reference: Hashable, Sendable, BitwiseCopyable {
    /// The answered message's origin.
    public var node: NodeID
    /// The answered message's time.
    public var time: UInt64

    /// Makes a reference from its parts.
    public init(node: NodeID, time: UInt64) {
      self.node = node
      self.time = time
    }
  }

  /// Longest sender in bytes.
  public static let maximumSenderLength = 12
  /// Longest text in bytes.
  public static let maximumTextLength = 128

  /// The node that wrote it, never 0.
  public var origin: NodeID
  /// Milliseconds since 1970 as the sender wrote them.
  public var time: UInt64
  /// The writer's name, 1 to 12 bytes.
  public var sender: String
  /// What it says, at most 128 bytes.
  public var text: String
  /// Whether it is for everyone.
  public var isBroadcast: Bool
  /// Whether an acknowledgement is asked for.
  public var wantsAck: Bool
  /// What it answers; node 0 = nothing, whose time is kept all the same.
  public var replyTo: Reference

  /// Makes a message from its parts.
  public init(
    origin: NodeID, time: UInt64, sender: String, text: String, isBroadcast: Bool = true,
    wantsAck: Bool = false, replyTo: Reference = Reference(node: NodeID(rawValue: 0), time: 0)
  ) {
    self.origin = origin
    self.time = time
    self.sender = sender
    self.text = text
    self.isBroadcast = isBroadcast
    self.wantsAck = wantsAck
    self.replyTo = replyTo
  }

  /// The key by which sets tell messages apart: origin, and the low half of the time.
  public var id: UInt64 {
    UInt64(origin.rawValue) << 32 | UInt64(UInt32(truncatingIfNeeded: time))
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int {
    27 + min(sender.utf8.count, ChatMessage.maximumSenderLength)
      + min(text.utf8.count, ChatMessage.maximumTextLength)
  }

  /// Appends the message; sender and text are cut to their limits in bytes.
  public func encode(into writer: inout ByteWriter) {
    let sender = Array(sender.utf8.prefix(ChatMessage.maximumSenderLength))
    let text = Array(text.utf8.prefix(ChatMessage.maximumTextLength))
    writer.le32(origin.rawValue)
    writer.le64(time)
    writer.u8(UInt8(truncatingIfNeeded: sender.count))
    writer.append(sender)
    writer.u8(UInt8(truncatingIfNeeded: text.count))
    writer.append(text)
    writer.u8((isBroadcast ? 1 : 0) | (wantsAck ? 2 : 0))
    writer.le32(replyTo.node.rawValue)
    writer.le64(replyTo.time)
  }

  /// Why a message ends the list that it stands in.
  struct Fault {
    var offset: Int
    var reason: String
    var raw: UInt64?
  }

  /// Reads a message at `offset` and moves over it; the fault where the reference stops at it.
  static func read(
    _ bytes: borrowing DocumentBytes, _ offset: inout Int, _ end: Int
  ) -> Result<ChatMessage, Fault> {
    let start = offset
    guard end - start >= 14 else {
      return .failure(Fault(start, "chat message needs 14 bytes, \(end - start) present"))
    }
    let origin = bytes.node(start)
    guard origin.rawValue != 0 else { return .failure(Fault(start, "chat origin is 0", 0)) }
    let time = bytes.le64(start + 4)
    guard time >= Document.earliestTime else {
      return .failure(Fault(start + 4, "chat time \(time) is before 2020", time))
    }
    let senderLength = Int(bytes.u8(start + 12))
    guard (1...maximumSenderLength).contains(senderLength) else {
      let reason = "chat sender of \(senderLength) bytes is not 1 to 12"
      return .failure(Fault(start + 12, reason, UInt64(senderLength)))
    }
    let textStart = start + 13 + senderLength
    guard textStart < end else {
      return .failure(Fault(start + 12, "chat sender is cut", UInt64(senderLength)))
    }
    guard let sender = String(validating: bytes.array(start + 13, textStart), as: UTF8.self)
    else { return .failure(Fault(start + 13, "chat sender is not UTF-8")) }
    let textLength = Int(bytes.u8(textStart))
    guard textLength <= maximumTextLength else {
      let reason = "chat text of \(textLength) bytes is above 128"
      return .failure(Fault(textStart, reason, UInt64(textLength)))
    }
    let flagsOffset = textStart + 1 + textLength
    guard flagsOffset < end else {
      return .failure(Fault(textStart, "chat text is cut", UInt64(textLength)))
    }
    guard let text = String(validating: bytes.array(textStart + 1, flagsOffset), as: UTF8.self)
    else { return .failure(Fault(textStart + 1, "chat text is not UTF-8")) }
    let flags = bytes.u8(flagsOffset)
    var message = ChatMessage(
      origin: origin, time: time, sender: sender, text: text, isBroadcast: flags & 1 != 0,
      wantsAck: flags & 2 != 0)
    offset = flagsOffset + 1
    if end - offset >= 12 {
      message.replyTo = Reference(node: bytes.node(offset), time: bytes.le64(offset + 4))
      offset += 12
    }
    return .success(message)
  }
}

extension ChatMessage.Fault: Error {
  init(_ offset: Int, _ reason: String, _ raw: UInt64? = nil) {
    self.init(offset: offset, reason: reason, raw: raw)
  }
}
