/// What is odd about the counter of a per-peer message (protocol.md 6.3).
public enum PeerCounterNote: Hashable, Sendable, BitwiseCopyable {
  /// The counter is below the next expected one: a replay, or a message out of order. The
  /// receiver of the reference drops it.
  case replayed(counter: UInt64, expected: UInt64)
  /// Counters were left out: lost or unseen messages, or a forged one that locks the session.
  case jumped(counter: UInt64, expected: UInt64)
}

/// Follows the counters of per-peer messages as their receivers do, without any key.
///
/// A key exchange of either node lets the next lower counter start anew, because it may have
/// begun another session (protocol.md 6.2). An established receiver ignores it, which an
/// observer cannot see.
public struct PeerCounters: Sendable {
  private struct Direction: Hashable {
    var sender: NodeID
    var recipient: NodeID
  }

  private struct State {
    var expected: UInt64
    /// Key exchanges of both nodes at the last message.
    var exchanges: Int
  }

  /// Directions and nodes that are followed at most; one more forgets all, so that memory stays
  /// bounded.
  private static let limit = 65_536

  private var states: [Direction: State] = [:]
  private var exchanges: [NodeID: Int] = [:]

  /// Starts without any session.
  public init() {}

  /// Takes notice of a key exchange.
  public mutating func observe(_ exchange: KeyExchange) {
    if exchanges.count >= Self.limit, exchanges[exchange.sender] == nil {
      states.removeAll()
      exchanges.removeAll()
    }
    exchanges[exchange.sender, default: 0] &+= 1
  }

  /// Takes notice of a message; gives what is odd about its counter.
  ///
  /// The first counter that is seen in a direction is never odd: the capture may have begun late.
  public mutating func observe(_ message: PeerMessage) -> PeerCounterNote? {
    let direction = Direction(sender: message.sender, recipient: message.recipient)
    let counter = message.counter
    let next = State(
      expected: counter == .max ? .max : counter + 1,
      exchanges: exchanges[message.sender, default: 0] &+ exchanges[message.recipient, default: 0])
    guard let known = states[direction] else {
      if states.count >= Self.limit { states.removeAll() }
      states[direction] = next
      return nil
    }
    if counter < known.expected {
      guard known.exchanges != next.exchanges else {
        return .replayed(counter: counter, expected: known.expected)
      }
      states[direction] = next
      return nil
    }
    states[direction] = next
    return counter > known.expected ? .jumped(counter: counter, expected: known.expected) : nil
  }
}
