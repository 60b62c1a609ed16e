import PeatProtocol
import Testing
import WireBytes

@testable import PeatReplay

/// The laws that make the merge of a fleet right, on documents made by chance.
struct SnapshotTests {
  /// Numbers that are the same in every run (Knuth's MMIX generator).
  private struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private typealias Heard = (document: Document, time: Int64)

  /// Few nodes, times and versions, so that the same ones meet often.
  private func documents(_ chance: inout Chance) -> [Heard] {
    (0..<Int.random(in: 1...24, using: &chance)).map { _ in
      let node = NodeID(rawValue: UInt32.random(in: 1...4, using: &chance))
      let entries = (0..<Int.random(in: 0...3, using: &chance)).map { _ in
        GCounter.Entry(
          node: NodeID(rawValue: UInt32.random(in: 1...5, using: &chance)),
          count: UInt64.random(in: 0...3, using: &chance))
      }
      var emergency: EmergencyEvent?
      if Bool.random(using: &chance) {
        emergency = EmergencyEvent(
          source: NodeID(rawValue: UInt32.random(in: 1...3, using: &chance)),
          time: Document.earliestTime + UInt64.random(in: 0...1, using: &chance),
          acks: (0..<Int.random(in: 0...3, using: &chance)).map { _ in
            EmergencyEvent.Ack(
              node: NodeID(rawValue: UInt32.random(in: 1...5, using: &chance)),
              isAcked: Bool.random(using: &chance))
          })
      }
      var peripheral: Peripheral?
      if Bool.random(using: &chance) {
        peripheral = Peripheral(
          id: node, callsign: Callsign("A"),
          time: Document.earliestTime + UInt64.random(in: 0...3, using: &chance))
      }
      return (
        Document(
          version: UInt32.random(in: 1...3, using: &chance), node: node,
          counter: GCounter(entries), peripheral: peripheral, emergency: emergency),
        Int64.random(in: 0...4, using: &chance)
      )
    }
  }

  private func snapshot(_ heard: some Sequence<Heard>) -> Snapshot {
    var snapshot = Snapshot()
    for (document, time) in heard {
      snapshot.join(
        Message(
          .document, node: document.node,
          body: .document(DecodedDocument(document: document))),
        at: Timestamp(nanoseconds: time))
      snapshot.reach(time)
    }
    return snapshot
  }

  private func merged(_ parts: Snapshot...) -> Snapshot {
    var all = Snapshot()
    for part in parts { all.merge(part) }
    return all
  }

  @Test("merging is associative, commutative, idempotent and neutral, and equal to one run")
  func laws() {
    var chance = Chance(state: 19)
    for _ in 0..<1_000 {
      let heard = documents(&chance)
      var parts: [[Heard]] = [[], [], []]
      for one in heard.shuffled(using: &chance) {
        parts[Int.random(in: 0...2, using: &chance)].append(one)
      }
      let (a, b, c) = (snapshot(parts[0]), snapshot(parts[1]), snapshot(parts[2]))
      let whole = snapshot(heard)
      #expect(merged(merged(a, b), c) == whole)
      #expect(merged(a, merged(b, c)) == whole)
      #expect(merged(c, b, a) == whole)
      #expect(merged(whole, whole, a) == whole)
      #expect(merged(Snapshot(), whole) == whole)
      #expect(merged(whole, Snapshot()) == whole)
    }
  }

  @Test("two emergencies of one time are both kept, and that of the lowest source is shown")
  func rivals() {
    let time = Document.earliestTime
    let (low, high) = (NodeID(rawValue: 1), NodeID(rawValue: 2))
    func one(_ source: NodeID) -> Snapshot {
      let event = EmergencyEvent(
        source: source, time: time, acks: [.init(node: source, isAcked: true)])
      let heard: Heard = (Document(node: source, emergency: event), 0)
      return snapshot([heard])
    }
    for both in [merged(one(low), one(high)), merged(one(high), one(low))] {
      #expect(both.emergencies.count == 2)
      #expect(both.shown?.source == low)
      #expect(both.rivals.map(\.source) == [high])
    }
  }

  @Test("counters of 64 bits do not wrap, and a count of 0 is an entry")
  func counters() {
    var snapshot = Snapshot()
    let node = NodeID(rawValue: 7)
    snapshot.raise(node, to: 0)
    #expect(snapshot.counts == [node: 0])
    snapshot.raise(node, to: .max)
    snapshot.raise(node, to: 1)
    #expect(snapshot.counts == [node: .max])
  }
}
