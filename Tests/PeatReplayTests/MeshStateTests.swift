import PeatProtocol
import PeatReplay
import PeatTestSupport
import Testing
import WireBytes

@Suite struct MeshStateTests {
  private let now = Timestamp(nanoseconds: 0)

  private func document(
    _ node: UInt32, _ counts: [(UInt32, UInt64)] = [], event: PeripheralEvent? = nil,
    emergency: EmergencyEvent? = nil
  ) -> Message {
    let id = NodeID(rawValue: node)
    let document = Document(
      node: id,
      counter: GCounter(counts.map { .init(node: NodeID(rawValue: $0.0), count: $0.1) }),
      peripheral: event.map { Peripheral(id: id, callsign: Callsign("X"), event: $0) },
      emergency: emergency)
    return Message(
      .document, node: id, body: .document(DecodedDocument(document: document)))
  }

  private func emergency(
    _ source: UInt32, _ time: UInt64, _ acks: [(UInt32, Bool)]
  ) -> EmergencyEvent {
    EmergencyEvent(
      source: NodeID(rawValue: source), time: time,
      acks: acks.map { .init(node: NodeID(rawValue: $0.0), isAcked: $0.1) })
  }

  private func seen(_ effect: Effect?) -> [String] { effect?.firstSeen.map(\.description) ?? [] }

  @Test("an empty document is only a new node")
  func emptyDocument() {
    var mesh = MeshState()
    let effect = mesh.join(document(0x207F_0E0F), at: now)
    #expect(
      effect
        == Effect(
          isChanged: false, firstSeen: [.node(NodeID(rawValue: 0x207F_0E0F))], meshTotal: 0))
  }

  @Test("news is listed in the order node, counter, event, emergency, ack")
  func order() {
    var mesh = MeshState()
    let time: UInt64 = 1_770_000_000_000
    let effect = mesh.join(
      document(
        2, [(1, 5), (2, 3)], event: PeripheralEvent(type: .ping, time: time),
        emergency: emergency(1, time, [(1, true), (2, false)])), at: now)
    #expect(
      seen(effect) == [
        "node:00000002", "counter:00000001=5", "counter:00000002=3",
        "event:00000002=ping@1770000000000", "emergency:00000001@1770000000000",
        "ack:00000001=00000001@1770000000000",
      ])
    #expect(effect?.isChanged == true)
    #expect(effect?.meshTotal == 8)
  }

  @Test("the same document again is no news; a lower count neither")
  func idempotent() {
    var mesh = MeshState()
    _ = mesh.join(document(1, [(1, 5)]), at: now)
    let again = mesh.join(document(1, [(1, 5)]), at: now)
    #expect(again == Effect(isChanged: false, firstSeen: [], meshTotal: 5))
    let lower = mesh.join(document(1, [(1, 4)]), at: now)
    #expect(lower == Effect(isChanged: false, firstSeen: [], meshTotal: 5))
  }

  @Test("a new false ack does not count as a change, a true one does")
  func acks() {
    var mesh = MeshState()
    let time: UInt64 = 1_770_000_000_000
    _ = mesh.join(document(1, emergency: emergency(1, time, [(1, true)])), at: now)
    let pending = mesh.join(
      document(1, emergency: emergency(1, time, [(1, true), (2, false)])), at: now)
    #expect(pending?.isChanged == false)
    #expect(mesh.emergency?.pending == [NodeID(rawValue: 2)])
    let acked = mesh.join(document(2, emergency: emergency(1, time, [(2, true)])), at: now)
    #expect(acked?.isChanged == true)
    #expect(seen(acked) == ["node:00000002", "ack:00000002=00000001@1770000000000"])
    #expect(mesh.emergency?.isAckedByAll == true)
  }

  @Test("a later emergency replaces, an earlier one and an equally late one do not")
  func emergencies() {
    var mesh = MeshState()
    let time: UInt64 = 1_770_000_000_000
    _ = mesh.join(document(1, emergency: emergency(1, time, [(1, true)])), at: now)
    let tie = mesh.join(document(2, emergency: emergency(2, time, [(2, true)])), at: now)
    #expect(tie?.isChanged == false)
    #expect(mesh.emergency?.source == NodeID(rawValue: 1))
    let later = mesh.join(document(2, emergency: emergency(2, time + 1, [(2, true)])), at: now)
    #expect(later?.isChanged == true)
    #expect(mesh.emergency == emergency(2, time + 1, [(2, true)]))
    let earlier = mesh.join(document(1, emergency: emergency(1, time, [(1, true)])), at: now)
    #expect(earlier?.isChanged == false)
    #expect(seen(earlier) == [])
  }

  @Test("the mesh total wraps at 2^64")
  func wraps() {
    var mesh = MeshState()
    _ = mesh.join(document(1, [(1, .max)]), at: now)
    #expect(mesh.join(document(2, [(2, 3)]), at: now)?.meshTotal == 2)
    #expect(mesh.counter.total == 2)
  }

  @Test("what is wrapped deeper than the reference dispatches is not joined")
  func dispatch() throws {
    var mesh = MeshState()
    let plain = document(1, [(1, 1)])
    var envelope = Message(.relay, node: plain.node)
    envelope.inner = plain
    #expect(mesh.join(envelope, at: now) != nil)
    var twice = Message(.relay, node: plain.node)
    twice.inner = envelope
    #expect(mesh.join(twice, at: now) == nil)
    var sealed = Message(.encrypted, node: plain.node)
    sealed.inner = envelope
    #expect(mesh.join(sealed, at: now) == nil)
    sealed.inner = plain
    #expect(mesh.join(sealed, at: now) != nil)
    envelope.inner = sealed
    #expect(mesh.join(envelope, at: now) != nil)
    #expect(mesh.join(.malformed(FormatFault(reason: "", offset: 0)), at: now) == nil)
    #expect(mesh.messages == 3)
  }

  @Test("deltas are joined only on request, with the totals they carry")
  func deltas() throws {
    let delta = DeltaDocument(
      origin: NodeID(rawValue: 1), timestamp: 1,
      operations: [.counter(id: 0, node: NodeID(rawValue: 1), amount: 4, timestamp: 1)])
    var decoder = MessageDecoder()
    let message = decoder.decode(delta.encoded)
    var reference = MeshState()
    #expect(reference.join(message, at: now) == nil)
    var applying = MeshState(appliesDeltas: true)
    #expect(applying.join(message, at: now)?.meshTotal == 4)
    #expect(applying.join(message, at: now)?.meshTotal == 4)
  }

  @Test("nodes beyond the limit are left out")
  func bounded() {
    var mesh = MeshState()
    for part in 0..<257 {
      let first = UInt32(part * 256 + 1)
      _ = mesh.join(document(1, (first..<first + 256).map { ($0, 1) }), at: now)
    }
    #expect(mesh.isFull)
    #expect(mesh.total == UInt64(MeshState.maximumNodes))
  }

  @Test("counters of many nodes' documents are kept up to a bound, each node's own always")
  func manyCounters() {
    var mesh = MeshState()
    let others = (1...256).map { (UInt32($0), UInt64(1)) }
    // 2048 documents of 256 counters fill the room of 524,288.
    for node in 1...2100 as ClosedRange<UInt32> {
      _ = mesh.join(
        document(0x1000 + node, Array(others.dropLast()) + [(0x1000 + node, 7)]), at: now)
    }
    let kept = mesh.nodes.values.reduce(0) { $0 + $1.document.counter.entries.count }
    #expect(kept == MeshState.maximumEntries + 52)
    #expect(mesh.nodes.values.filter(\.isReduced).count == 52)
    #expect(mesh.nodes.allSatisfy { $0.value.document.counter[$0.key] == 7 })
  }

  @Test("acks of many emergencies are remembered up to a bound")
  func manyAcks() {
    var emergencies = JoinedEmergency()
    for time in 1...20 as ClosedRange<UInt64> {
      var updates: [Update] = []
      let acks = (1...30_000).map { (UInt32($0), true) }
      _ = emergencies.join(emergency(1, time, acks), firstSeen: &updates)
      #expect(updates.count == 30_001)
    }
    #expect(emergencies.shownCount <= JoinedEmergency.maximumShown)
  }
}
