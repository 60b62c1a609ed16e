package import PeatProtocol

/// Emergencies as an observer that starts empty joins them (protocol.md 4.3).
package struct JoinedEmergency: Sendable {
  /// Most acks that are kept of one emergency, and most emergencies that are remembered.
  package static let maximumAcks = 65_536
  private static let maximumRemembered = 256
  /// Most acks that are remembered of all emergencies together.
  package static let maximumShown = 262_144

  /// One emergency, by source and time.
  private struct Identity: Hashable {
    var source: NodeID
    var time: UInt64
  }

  /// The active emergency.
  private var active: Identity?
  private var acks: [NodeID: Bool] = [:]
  // What was shown of emergencies other than the active one, which may be older ones.
  private var shown: [Identity: Set<NodeID>] = [:]
  private var order: [Identity] = []
  /// Acks in `shown`.
  package private(set) var shownCount = 0

  /// Makes an observer that knows of none.
  package init() {}

  /// The active emergency with its acks ascending, nil where there was none.
  package var event: EmergencyEvent? {
    active.map { identity in
      EmergencyEvent(
        source: identity.source, time: identity.time,
        acks: acks.map { EmergencyEvent.Ack(node: $0.key, isAcked: $0.value) })
    }
  }

  /// The source of the active emergency, where it is of that time.
  package func source(ofTime time: UInt64) -> NodeID? {
    active?.time == time ? active?.source : nil
  }

  /// Takes an emergency in; tells whether the state changed, and adds what was never shown.
  package mutating func join(_ event: EmergencyEvent, firstSeen: inout [Update]) -> Bool {
    let identity = Identity(source: event.source, time: event.time)
    note(identity, event, &firstSeen)
    if let active, active != identity {
      guard identity.time > active.time else { return false }
      return adopt(identity, event)
    }
    if active == nil { return adopt(identity, event) }
    var isChanged = false
    for ack in event.acks {
      let known = acks[ack.node]
      if known == nil && acks.count >= JoinedEmergency.maximumAcks { continue }
      if ack.isAcked {
        if known != true {
          acks[ack.node] = true
          isChanged = true
        }
      } else if known == nil {
        acks[ack.node] = false
      }
    }
    return isChanged
  }

  /// Ends the active emergency of a time, as a delta's clear asks.
  package mutating func clear(time: UInt64) -> Bool {
    guard active?.time == time else { return false }
    active = nil
    acks = [:]
    return true
  }

  private mutating func adopt(_ identity: Identity, _ event: EmergencyEvent) -> Bool {
    active = identity
    acks = [:]
    for ack in event.acks.prefix(JoinedEmergency.maximumAcks) { acks[ack.node] = ack.isAcked }
    return true
  }

  private mutating func note(
    _ identity: Identity, _ event: EmergencyEvent, _ firstSeen: inout [Update]
  ) {
    if shown[identity] == nil {
      if order.count == JoinedEmergency.maximumRemembered { forgetOldest() }
      order.append(identity)
      shown[identity] = []
      firstSeen.append(.emergency(identity.source, time: identity.time))
    }
    for ack in event.acks where ack.isAcked {
      guard (shown[identity]?.count ?? 0) < JoinedEmergency.maximumAcks,
        shown[identity]?.insert(ack.node).inserted == true
      else { continue }
      shownCount += 1
      firstSeen.append(.ack(ack.node, source: identity.source, time: identity.time))
    }
    while shownCount > JoinedEmergency.maximumShown, order.count > 1 {
      forgetOldest(except: identity)
    }
  }

  private mutating func forgetOldest(except kept: Identity? = nil) {
    guard let place = order.firstIndex(where: { $0 != kept }) else { return }
    shownCount -= shown.removeValue(forKey: order.remove(at: place))?.count ?? 0
  }
}
