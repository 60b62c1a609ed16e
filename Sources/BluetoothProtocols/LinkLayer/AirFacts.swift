public import WireBytes

/// A connection that was asked for on the air, and of which no packet was heard.
public struct UnfollowedRequest: Sendable, Equatable {
  /// Who asked whom.
  public let request: ConnectionRequest
  /// The packet that asked.
  public let frame: Int
  /// When it was recorded.
  public let time: Timestamp?
}

/// A link of which packets could not be read.
public struct UnreadableLink: Sendable, Equatable {
  /// The link.
  public let accessAddress: UInt32
  /// Packets that could not be read, repeated ones left out.
  public let packets: Int
  /// The first of them.
  public let firstFrame: Int
  /// When that was recorded.
  public let firstTime: Timestamp?
}

/// The first of many things, and how many there were.
struct BoundedList<Element: Sendable>: Sendable {
  private let limit: Int
  private(set) var first: [Element] = []
  private(set) var count = 0

  init(limit: Int = 64) { self.limit = limit }

  mutating func add(_ element: Element) {
    count += 1
    if first.count < limit { first.append(element) }
  }
}
