package import PeatProtocol

/// One piece of news that a mesh spreads: what `first_seen` of a record lists.
package enum Update: Hashable, Sendable, BitwiseCopyable {
  /// A node was heard of as the author of a document.
  case node(NodeID)
  /// A node's counter reached a value.
  case counter(NodeID, UInt64)
  /// A node told of an event at a time.
  case event(NodeID, EventType, time: UInt64)
  /// A node is in distress since a time.
  case emergency(NodeID, time: UInt64)
  /// A node acknowledged the emergency of a source and time.
  case ack(NodeID, source: NodeID, time: UInt64)
}

extension Update: CustomStringConvertible {
  /// The spelling in records, such as `counter:12345678=5`.
  package var description: String {
    switch self {
    case .node(let node): "node:\(node)"
    case .counter(let node, let count): "counter:\(node)=\(count)"
    case .event(let node, let type, let time): "event:\(node)=\(type.name)@\(time)"
    case .emergency(let node, let time): "emergency:\(node)@\(time)"
    case .ack(let node, let source, let time): "ack:\(node)=\(source)@\(time)"
    }
  }
}

/// What a message did to the joined state of the mesh.
package struct Effect: Equatable, Sendable {
  /// Whether joined counters or emergency changed; a new false ack entry does not count.
  package var isChanged: Bool
  /// What no earlier message had shown: nodes, counters, events, emergencies, acks.
  package var firstSeen: [Update]
  /// The sum of all joined counters after the message, modulo 2^64.
  package var meshTotal: UInt64

  /// Makes an effect from its parts.
  package init(isChanged: Bool, firstSeen: [Update], meshTotal: UInt64) {
    self.isChanged = isChanged
    self.firstSeen = firstSeen
    self.meshTotal = meshTotal
  }
}
