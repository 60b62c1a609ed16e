import PeatDissection
import PeatProtocol

/// Emergencies that no document's section carries: those of deltas (protocol.md 7.3), and the older
/// form that sets the peripheral's event only (protocol.md 8.6).
extension EmergencyLog {
  /// Why a delta's emergency is in no receiver's state.
  private static let deltaRule = "receivers of deltas raise an event and store no emergency"

  /// Takes in what a delta tells of emergencies.
  mutating func note(_ reading: DeltaReading, _ row: TimelineRow, _ receiver: End) {
    let origin = reading.origin
    guard origin.rawValue != 0 else { return }
    hear(origin)
    let sighted = Sighted(row, author: origin)
    switch reading.dialect {
    case .rust(let delta):
      for operation in delta.operations {
        switch operation {
        case .setEmergency(let source, let time, let known):
          set(source, time, known, row, sighted, receiver)
        case .acknowledgeEmergency(let node, let time): acknowledge(node, time, sighted)
        case .clearEmergency(let time): clear(time, sighted)
        case .peripheral(_, let peripheral):
          noteEvent(peripheral.event, of: origin, row, sighted, receiver)
        case .counter, .app: break
        }
      }
    case .kotlin(let delta):
      for operation in delta.operations {
        switch operation {
        case .setEmergency(let source, let time, let known):
          set(source, time, known, row, sighted, receiver)
        case .acknowledgeEmergency(let node, let time): acknowledge(node, time, sighted)
        case .clearEmergency(let time): clear(time, sighted)
        case .peripheral:
          noteEvent(operation.peripheral?.event, of: origin, row, sighted, receiver)
        case .event(let type, let time):
          noteEvent(
            PeripheralEvent(type: type, time: time), of: origin, row, sighted, receiver)
        case .counter, .location, .health, .callsign, .skipped: break
        }
      }
    }
  }

  private mutating func set(
    _ source: NodeID, _ time: UInt64, _ known: [NodeID], _ row: TimelineRow, _ sighted: Sighted,
    _ receiver: End
  ) {
    var acks = known.filter { $0 != source }.map { EmergencyEvent.Ack(node: $0, isAcked: false) }
    acks.append(EmergencyEvent.Ack(node: source, isAcked: true))
    let event = EmergencyEvent(source: source, time: time, acks: acks)
    unite(sighted.author, source)
    for node in known { unite(sighted.author, node) }
    note(
      Raising(event: event, rule: EmergencyLog.deltaRule, form: .delta), row, nil, sighted,
      receiver, isStale: false)
  }

  private mutating func acknowledge(_ node: NodeID, _ time: UInt64, _ sighted: Sighted) {
    for identity in entries.keys where identity.time == time {
      guard entries[identity]?.acked[node] == nil else { continue }
      entries[identity]?.named.insert(node)
      entries[identity]?.acked[node] = EmergencyNode.Ack(sighted: sighted, through: sighted.author)
    }
  }

  private mutating func clear(_ time: UInt64, _ sighted: Sighted) {
    for identity in entries.keys where identity.time == time {
      guard entries[identity]?.clears[sighted.author] == nil else { continue }
      entries[identity]?.clears[sighted.author] = EmergencyClear(sighted: sighted)
    }
  }

  /// Takes in an event of a peripheral beside which no section tells of an emergency.
  mutating func noteEvent(
    _ event: PeripheralEvent?, of node: NodeID, _ row: TimelineRow, _ sighted: Sighted,
    _ receiver: End
  ) {
    guard let event, event.time >= Document.earliestTime else { return }
    switch event.type {
    case .emergency:
      let identity = EmergencyIdentity(source: node, time: event.time)
      // Behind a clear, the event of an emergency with its own section stays (protocol.md 8.6).
      guard entries[identity].map({ $0.form == .event }) ?? true else { return }
      let raised = EmergencyEvent(
        source: node, time: event.time, acks: [EmergencyEvent.Ack(node: node, isAcked: true)])
      note(
        Raising(event: raised, rule: nil, form: .event), row, nil, sighted, receiver,
        isStale: false)
    case .ack:
      // It names no emergency: the latest before it is meant.
      let meant = entries.filter {
        $0.value.form == .event && $0.key.time <= event.time && $0.key.source != node
      }.keys.max { ($0.time, $0.source) < ($1.time, $1.source) }
      guard let meant, entries[meant]?.acked[node] == nil else { return }
      entries[meant]?.named.insert(node)
      entries[meant]?.acked[node] = EmergencyNode.Ack(sighted: sighted, through: node)
    default: break
    }
  }
}
