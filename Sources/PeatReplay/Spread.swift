package import PeatProtocol
package import WireBytes

/// Where and when a message was seen.
package struct Stamp: Sendable, Equatable, BitwiseCopyable {
  /// When, by the run's common clock.
  package var time: Timestamp
  /// Which of the captures, from 0.
  package var capture: Int32
  /// The packet, counted in its capture from 1.
  package var frame: Int32
  /// Whether the packet has a time; else `time` is that of a packet before it.
  package var isTimed: Bool

  /// Makes a stamp from its parts.
  package init(time: Timestamp, capture: Int, frame: Int, isTimed: Bool = true) {
    self.time = time
    self.isTimed = isTimed
    self.capture = Int32(clamping: capture)
    self.frame = Int32(clamping: frame)
  }
}

/// What a mesh spreads, of which convergence tells how far it came.
package enum News: Hashable, Sendable, BitwiseCopyable {
  /// A node's counter rose to a value; a jump from 5 to 7 is one piece of news that tells 6 too.
  case counter(NodeID, UInt64)
  /// A node is in distress since a time.
  case emergency(NodeID, time: UInt64)
  /// A node acknowledged the emergency of a source and time.
  case ack(NodeID, source: NodeID, time: UInt64)
  /// A node that had cleared an emergency shows it again, since clears are never sent
  /// (protocol.md 4.3).
  case undoneClear(NodeID, source: NodeID, time: UInt64)

  /// The node that the news is of: it knows by itself.
  package var origin: NodeID {
    switch self {
    case .counter(let node, _), .emergency(let node, time: _), .ack(let node, source: _, time: _),
      .undoneClear(let node, source: _, time: _):
      node
    }
  }
}

extension News: CustomStringConvertible {
  /// The spelling in records, as in `first_seen`; `undone-clear:NODE=SOURCE@MS` besides.
  package var description: String {
    switch self {
    case .counter(let node, let count): "counter:\(node)=\(count)"
    case .emergency(let node, let time): "emergency:\(node)@\(time)"
    case .ack(let node, let source, let time): "ack:\(node)=\(source)@\(time)"
    case .undoneClear(let node, let source, let time): "undone-clear:\(node)=\(source)@\(time)"
    }
  }
}

/// How one piece of news spread.
package struct Spread: Sendable {
  /// A node that was seen to know, by the first of its own messages that contains the news.
  package struct Knower: Sendable, Equatable, BitwiseCopyable {
    package var node: NodeID
    package var stamp: Stamp
  }

  package let news: News
  /// The first message that contains it.
  package let first: Stamp
  /// Who wrote that message.
  package let author: NodeID
  /// How many nodes had been seen by then: the first so many of `Knowledge.nodes`.
  package let nodesThen: Int
  /// Every other node that was seen to know, by time. Each knew by then at the latest.
  package internal(set) var knowers: [Knower] = []
}
