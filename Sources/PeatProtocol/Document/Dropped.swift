/// Something that the reference decoder silently leaves out of a document, or changes in it
/// (protocol.md 2).
public struct Dropped: Equatable, Sendable {
  /// The part of the document that is affected.
  public enum Section: String, Sendable, BitwiseCopyable {
    case counter, peripheral, event, location, emergency, ack, chat, section
  }

  /// What the reference does (protocol.md 0.1).
  public enum Rule: String, Sendable, BitwiseCopyable {
    case drop, stop, skip, clamp
  }

  /// The part of the document that is affected.
  public var section: Section
  /// Offset of the first wrong field in the message's bytes.
  public var offset: Int
  /// What the reference does.
  public var rule: Rule
  /// One clause for a person, such as "activity 4 is above 3".
  public var reason: String
  /// The number found in the wrong field, where it holds an integer.
  public var raw: UInt64?
  /// A best-effort reading of the part that is left out; empty when there is nothing to read.
  public var content: [ContentField]

  /// Makes an entry from its parts.
  public init(
    _ section: Section, _ rule: Rule, at offset: Int, _ reason: String, raw: UInt64? = nil,
    content: [ContentField] = []
  ) {
    self.section = section
    self.offset = offset
    self.rule = rule
    self.reason = reason
    self.raw = raw
    self.content = content
  }
}

/// One named value of a best-effort reading.
public struct ContentField: Equatable, Sendable {
  /// The name that the field has in a sound document's record.
  public var name: String
  /// What the bytes say there.
  public var value: ContentValue

  /// Makes a field from its parts.
  public init(_ name: String, _ value: ContentValue) {
    self.name = name
    self.value = value
  }
}

/// A value of a best-effort reading; unlike a document's, it may be out of range.
public indirect enum ContentValue: Equatable, Sendable {
  case integer(UInt64)
  case float(Float)
  case text(String)
  case flag(Bool)
  case list([ContentValue])
  case fields([ContentField])

  /// A node id as its 8 digits.
  static func node(_ id: NodeID) -> ContentValue { .text(id.description) }
}
