import BluetoothHost
import BluetoothProtocols
import PeatProtocol
import Testing

@testable import PeatNode

/// How soon, and to whom, a node's word gets; and what it keeps when its controller goes.
@Suite struct ReachTests {
  /// Three nodes in a row: the outer ones know the middle one only.
  private func row(_ configuration: LiveConfiguration = LiveConfiguration()) -> Simulation {
    var simulation = Simulation(seed: 51)
    var outer = configuration
    outer.advertises = false
    simulation.add(outer)
    var middle = configuration
    middle.scans = false
    simulation.add(middle)
    simulation.add(outer)
    simulation.run(20_000) { $0.nodes[1].linkCount == 2 }
    simulation.run(5_000)
    return simulation
  }

  @Test("a change reaches the node after next at once, also when nothing went on before")
  func latency() {
    var simulation = row()
    for _ in 0..<8 {
      // The period is 3 s: whatever was sent last, it was not long ago in some of the rounds.
      simulation.run(2_600)
      let count = simulation.nodes[0].ownCount
      let start = simulation.now
      simulation.perform(.emergency, by: 0)
      simulation.run(1_000) {
        $0.nodes[2].mesh.document.counter[Simulation.id(0)] == count + 1
      }
      // Two hops, each a write or notification of a few milliseconds.
      #expect(simulation.now - start < 60)
    }
  }

  @Test("changes one after the other are passed on twice a second, and twice at once at first")
  func throttle() {
    var budget = SendBudget()
    var sent = 0
    for now in stride(from: UInt64(100_000), to: 110_000, by: 10) {
      if budget.isFree(at: now, interval: 500) {
        budget.spend()
        sent += 1
      }
    }
    #expect((20...22).contains(sent))
  }

  @Test("who is heard through a neighbour is not taken for it, and its ack is asked for")
  func relayedAuthor() {
    for isEnvelope in [true, false] {
      var simulation = Simulation(seed: 52)
      simulation.add()
      simulation.add()
      simulation.run(10_000)
      let author = Simulation.id(6)
      var inner = Document(node: author)
      inner.counter.raise(author, to: 3)
      let envelope = RelayEnvelope(
        origin: author, messageID: RelayMessageID(low: 1, high: 2), payload: inner.encoded())
      simulation.perform(.send(isEnvelope ? envelope.encoded : inner.encoded()), by: 1)
      simulation.run(2_000)
      let node = simulation.nodes[0]
      #expect(node.mesh.document.counter[author] == 3)
      #expect(node.mesh.peers.node(of: Simulation.address(1).description) == Simulation.id(1))
      #expect(node.mesh.peers[author] == nil)
      #expect(node.links.values.allSatisfy { $0.node == Simulation.id(1) })
      // The neighbour's advertising, a minute later, does not make the author forgotten.
      simulation.run(60_000)
      simulation.perform(.emergency, by: 0)
      let pending = simulation.nodes[0].mesh.document.emergency?.pending ?? []
      #expect(pending == [Simulation.id(1), author])
      // After two minutes of silence it is (protocol.md 8.5).
      simulation.run(120_000)
      simulation.perform(.emergency, by: 0)
      #expect(simulation.nodes[0].mesh.document.emergency?.pending == [Simulation.id(1)])
    }
  }

  @Test("authors without end leave room in an emergency")
  func manyAuthors() {
    var simulation = Simulation(seed: 53)
    simulation.add()
    simulation.add()
    simulation.run(10_000)
    for index in 0..<200 {
      simulation.perform(.send(Document(node: Simulation.id(100 + index)).encoded()), by: 1)
      simulation.run(100)
    }
    simulation.perform(.emergency, by: 0)
    let pending = simulation.nodes[0].mesh.document.emergency?.pending.count ?? 0
    #expect(pending == 1 + LiveNode.authorLimit)
  }

  @Test("an order that nobody hears of says so")
  func unheard() {
    var simulation = Simulation(seed: 54)
    simulation.add()
    simulation.run(1_000)
    let alone = "nobody has it yet: there is no link"
    #expect(simulation.perform(.emergency, by: 0) == ["emergency started; \(alone)"])
    #expect(simulation.perform(.acknowledge, by: 0) == ["acknowledged; \(alone)"])
    #expect(simulation.perform(.battery(50), by: 0) == ["battery 50%; \(alone)"])
    #expect(
      simulation.perform(.position(Location(latitude: 1, longitude: 2, altitude: 3)), by: 0)
        == ["position 1.0 2.0 3.0; \(alone)"])
    #expect(simulation.perform(.send([1]), by: 0) == ["no links"])
    _ = simulation.perform(.clear, by: 0)
    #expect(simulation.perform(.clear, by: 0) == ["there is no emergency"])
    simulation.add()
    simulation.run(20_000)
    #expect(simulation.perform(.emergency, by: 0) == ["emergency started"])
    #expect(simulation.perform(.send([1]), by: 0).first?.hasPrefix("1 bytes for ") == true)
  }

  @Test("a node whose controller went goes on with what it knew, and its peers find it again")
  func lostController() {
    var simulation = Simulation(seed: 55)
    simulation.add()
    simulation.add()
    simulation.run(10_000)
    simulation.perform(.emergency, by: 0)
    simulation.run(2_000)
    simulation.perform(.battery(70), by: 0)
    simulation.replaceController(of: 0)
    #expect(simulation.nodes[0].linkCount == 0)
    simulation.perform(.acknowledge, by: 1)
    simulation.run(30_000) { $0.isConverged && $0.nodes[0].linkCount > 0 }
    let isConverged = simulation.isConverged
    #expect(isConverged)
    let document = simulation.nodes[0].mesh.document
    #expect(document.emergency?.acked == [Simulation.id(0), Simulation.id(1)])
    #expect(simulation.nodes[0].battery == 70)
    #expect(simulation.nodes[1].mesh.peripherals[Simulation.id(0)]?.health.battery == 70)
    let starts = simulation.notes[0].count { if case .started = $0 { true } else { false } }
    #expect(starts == 2)
  }
}
