import PeatProtocol
import PeatReplay
import Testing
import WireBytes

@Suite struct KnowledgeTests {
  private static let a = NodeID(rawValue: 0xA)
  private static let b = NodeID(rawValue: 0xB)
  private static let c = NodeID(rawValue: 0xC)

  private func document(
    _ node: NodeID, _ counts: [(NodeID, UInt64)], emergency: EmergencyEvent? = nil
  ) -> Document {
    Document(
      node: node, counter: GCounter(counts.map { GCounter.Entry(node: $0.0, count: $0.1) }),
      emergency: emergency)
  }

  private func emergency(_ source: NodeID, acked: [NodeID]) -> EmergencyEvent {
    EmergencyEvent(
      source: source, time: 1_770_000_000_000,
      acks: acked.map { EmergencyEvent.Ack(node: $0, isAcked: true) })
  }

  private func replay(_ documents: [Document]) -> Knowledge {
    var knowledge = Knowledge()
    for (second, document) in documents.enumerated() {
      let time = Timestamp(nanoseconds: Int64(second) * 1_000_000_000)
      knowledge.take(
        document, isWhole: true, at: Stamp(time: time, capture: 0, frame: second + 1))
    }
    return knowledge
  }

  @Test func `a jump from 5 to 7 is one update that tells 6 too`() {
    let knowledge = replay([
      document(Self.a, [(Self.a, 5)]),
      document(Self.b, [(Self.a, 5)]),
      document(Self.a, [(Self.a, 7)]),
      document(Self.b, [(Self.a, 6)]),
      document(Self.b, [(Self.a, 7)]),
    ])
    #expect(knowledge.spreads.map(\.news) == [.counter(Self.a, 5), .counter(Self.a, 7)])
    #expect(knowledge.spreads[0].knowers.map(\.stamp.frame) == [2])
    // Six is less than the update's seven: B knows it with its own seven.
    #expect(knowledge.spreads[1].knowers.map(\.stamp.frame) == [5])
  }

  @Test func `one that shows a later step knows the earlier ones by then`() {
    let knowledge = replay([
      document(Self.a, [(Self.a, 1)]),
      document(Self.a, [(Self.a, 2)]),
      document(Self.c, []),
      document(Self.b, [(Self.a, 2)]),
    ])
    #expect(knowledge.spreads.map { $0.knowers.map(\.node) } == [[Self.b], [Self.b]])
    #expect(knowledge.spreads.map { $0.knowers.map(\.stamp.frame) } == [[4], [4]])
    #expect(knowledge.nodes == [Self.a, Self.c, Self.b])
    #expect(knowledge.spreads.map(\.nodesThen) == [1, 1])
  }

  @Test func `a clear that another document undoes is an update, a clear that holds is none`() {
    let event = emergency(Self.a, acked: [Self.a])
    let knowledge = replay([
      document(Self.a, [], emergency: event),
      document(Self.b, [], emergency: event),
      document(Self.a, []),
      document(Self.a, [], emergency: event),
      document(Self.b, [], emergency: event),
      document(Self.b, []),
    ])
    #expect(
      knowledge.spreads.map(\.news) == [
        .emergency(Self.a, time: event.time), .ack(Self.a, source: Self.a, time: event.time),
        .undoneClear(Self.a, source: Self.a, time: event.time),
      ])
    #expect(knowledge.spreads[2].first.frame == 4)
    #expect(knowledge.spreads[2].knowers.map(\.stamp.frame) == [5])
  }

  @Test func `a document that the MTU cut does not clear an emergency`() {
    var knowledge = Knowledge()
    let event = emergency(Self.a, acked: [])
    for (frame, whole, shown) in [(1, true, true), (2, false, false), (3, true, true)] {
      knowledge.take(
        document(Self.a, [], emergency: shown ? event : nil), isWhole: whole,
        at: Stamp(time: Timestamp(nanoseconds: 0), capture: 0, frame: frame))
    }
    #expect(knowledge.spreads.map(\.news) == [.emergency(Self.a, time: event.time)])
  }
}
