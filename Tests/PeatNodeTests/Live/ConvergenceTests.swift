import BluetoothHost
import PeatProtocol
import PeatSecurity
import Testing

@testable import PeatNode

/// Whatever the radio does, nodes end with the same state.
@Suite struct ConvergenceTests {
  @Test("two nodes find each other and agree, with legacy and with extended controllers")
  func twoNodes() {
    for isExtended in [false, true] {
      var simulation = Simulation(seed: 1)
      simulation.add(isExtended: isExtended)
      simulation.add(isExtended: isExtended)
      simulation.run(20_000) { $0.nodes.allSatisfy { $0.linkCount > 0 } }
      simulation.run(2_000)
      simulation.perform(.emergency, by: 0)
      simulation.run(10_000) { $0.isConverged }
      let isConverged1 = simulation.isConverged
      #expect(isConverged1)
      simulation.perform(.acknowledge, by: 1)
      simulation.run(10_000) { $0.isConverged }
      let isConverged2 = simulation.isConverged
      #expect(isConverged2)
      let document = simulation.nodes[0].mesh.document
      #expect(document.emergency?.acked == [Simulation.id(0), Simulation.id(1)])
      #expect(document.counter.total == 2)
      #expect(!simulation.notes.joined().contains { if case .failed = $0 { true } else { false } })
    }
  }

  @Test("nodes of different controllers, small buffers, small MTU, in clear and encrypted")
  func mixtures() throws {
    let key = try #require(SecretKey([UInt8](repeating: 7, count: 32)))
    for (mtu, aclLength, secret) in [
      (23, 27, nil), (23, 27, key), (64, 27, nil), (185, 251, key), (517, 27, key),
    ] as [(UInt16, UInt16, SecretKey?)] {
      var simulation = Simulation(seed: UInt64(mtu))
      var live = LiveConfiguration()
      live.mtu = mtu
      for index in 0..<3 {
        simulation.add(live, isExtended: index == 1, aclLength: aclLength, secret: secret)
      }
      simulation.run(15_000)
      // Emergencies of one and the same millisecond never replace each other (protocol.md 4.3).
      for index in 0..<3 {
        simulation.perform(.emergency, by: index)
        simulation.run(5)
      }
      simulation.run(60_000) { $0.isConverged }
      let isConverged3 = simulation.isConverged
      #expect(isConverged3, "MTU \(mtu), ACL \(aclLength)")
      #expect(simulation.nodes[0].mesh.document.counter.total == 3)
    }
  }

  @Test(
    "lost, doubled and delayed packets and broken links do not keep five nodes apart",
    arguments: 1...6 as ClosedRange<UInt64>)
  func disturbances(_ seed: UInt64) {
    var simulation = Simulation(seed: seed)
    for index in 0..<5 {
      simulation.add(isExtended: seed % 2 == 0, isFast: index != 4)
    }
    simulation.radio.disturbance.lost = 30
    simulation.radio.disturbance.doubled = 30
    simulation.radio.disturbance.delay = 300
    var expected: UInt64 = 0
    for _ in 0..<12 {
      simulation.run(1_000 + simulation.radio.disturbance.next(below: 9_000))
      let index = Int(
        simulation.radio.disturbance.next(below: UInt64(simulation.nodes.count)))
      switch simulation.radio.disturbance.next(below: 3) {
      case 0: simulation.radio.breakLinks(of: index, now: simulation.now)
      case 1:
        simulation.perform(.emergency, by: index)
        expected += 1
      default: simulation.perform(.event(.ping), by: index)
      }
    }
    simulation.run(600_000) { $0.isConverged }
    let isConverged4 = simulation.isConverged
    #expect(isConverged4, "seed \(seed)")
    #expect(simulation.nodes[0].mesh.document.counter.total == expected, "seed \(seed)")
  }

  @Test("a day passes with links that break each hour, and memory stays bounded")
  func day() {
    var simulation = Simulation(seed: 24)
    // Less than the 10 s in which a connection has to come about.
    simulation.radio.advertisingInterval = 9_000
    var live = LiveConfiguration()
    live.period = 60_000
    for index in 0..<5 {
      // What scanners hear is most of the work: two that can be found are enough.
      live.advertises = index < 2
      simulation.add(live)
    }
    for hour in 0..<24 {
      simulation.run(3_600_000)
      simulation.perform(.emergency, by: hour % 5)
      simulation.radio.breakLinks(of: (hour + 1) % 5, now: simulation.now)
    }
    simulation.run(120_000) { $0.isConverged }
    let isConverged5 = simulation.isConverged
    #expect(isConverged5)
    #expect(simulation.nodes[0].mesh.document.counter.total == 24)
  }

  @Test("links use 2M and long packets where both ends have them, and nowhere else")
  func features() {
    var simulation = Simulation(seed: 8)
    for index in 0..<3 { simulation.add(isFast: index != 2) }
    simulation.run(20_000)
    for (index, node) in simulation.nodes.enumerated() {
      #expect(!node.links.isEmpty)
      for (handle, link) in node.links {
        let isFast = index != 2 && link.peer != Simulation.address(2)
        let radio = node.host.radioParameters(of: handle)
        #expect(radio.phy == (isFast ? (2, 2) : (1, 1)))
        #expect(radio.dataLength == (isFast ? (251, 251) : (27, 27)))
      }
    }
  }

  @Test("a node that restarts goes on with its count")
  func restart() {
    var simulation = Simulation(seed: 3)
    simulation.add()
    simulation.add(count: 41, version: 0xAB)
    simulation.run(10_000)
    simulation.perform(.emergency, by: 1)
    simulation.run(10_000) { $0.isConverged }
    #expect(simulation.nodes[0].mesh.document.counter[Simulation.id(1)] == 42)
    // Versions 0xAC to 0xB2 begin other frames (protocol.md 2.9).
    #expect(simulation.nodes[1].version == 0xB3)
  }

  @Test("an observer serves what it heard and adds nothing to it")
  func observer() {
    var simulation = Simulation(seed: 5)
    simulation.add()
    var live = LiveConfiguration()
    live.role = .observe
    simulation.add(live)
    simulation.run(10_000)
    simulation.perform(.emergency, by: 0)
    simulation.perform(.emergency, by: 1)
    simulation.run(10_000)
    let isConverged6 = simulation.isConverged
    #expect(isConverged6)
    let document = simulation.nodes[0].mesh.document
    #expect(document.counter.entries.map(\.node) == [Simulation.id(0)])
    #expect(
      document.emergency?.acks.contains { $0.node == Simulation.id(1) && $0.isAcked } == false)
    #expect(simulation.nodes[0].mesh.peripherals[Simulation.id(1)] == nil)
  }

  @Test("forged counts, counters without end and floods change nothing that matters")
  func hostile() {
    var simulation = Simulation(seed: 9)
    simulation.add()
    simulation.add()
    simulation.run(10_000)
    var forged = Document(node: Simulation.id(7))
    forged.counter.raise(Simulation.id(0), to: .max)
    simulation.perform(.send(forged.encoded()), by: 1)
    simulation.run(2_000)
    #expect(simulation.nodes[0].ownCount == 0)
    for round in 0..<40 as Range<UInt32> {
      var many = Document(node: Simulation.id(8))
      for entry in 0..<20 as Range<UInt32> {
        many.counter.raise(NodeID(rawValue: 0x2000_0000 + round * 20 + entry), to: 1)
      }
      simulation.perform(.send(many.encoded()), by: 1)
      simulation.run(1_000)
    }
    #expect(simulation.nodes[0].mesh.document.counter.entries.count <= 256)
    #expect(
      simulation.notes[0].contains {
        if case .refused = $0 { true } else { false }
      })
    for length in [0, 1, 11, 12, 200, 512] {
      simulation.perform(.send([UInt8](repeating: 0xFF, count: length)), by: 1)
      simulation.run(1_000)
    }
    let areLinked = simulation.nodes.allSatisfy { $0.linkCount > 0 }
    #expect(areLinked)
  }

  @Test("a delta's counters and emergency are taken; in a strict mesh not in clear")
  func deltas() throws {
    let key = try #require(SecretKey([UInt8](repeating: 9, count: 32)))
    for isStrict in [false, true] {
      var simulation = Simulation(seed: 13)
      simulation.add(secret: isStrict ? key : nil, isStrict: isStrict)
      simulation.add(secret: isStrict ? key : nil, isStrict: isStrict)
      simulation.run(10_000)
      let source = Simulation.id(5)
      let delta = DeltaDocument(
        origin: source, timestamp: Simulation.epoch,
        operations: [
          .counter(id: 0, node: source, amount: 7, timestamp: Simulation.epoch),
          .setEmergency(
            source: source, timestamp: Simulation.epoch, knownPeers: [Simulation.id(0)]),
        ])
      simulation.perform(.send(delta.encoded), by: 1)
      simulation.run(5_000)
      let document = simulation.nodes[0].mesh.document
      #expect(document.counter[source] == (isStrict ? 0 : 7))
      #expect(document.emergency?.source == (isStrict ? nil : source))
      #expect(document.emergency?.pending == (isStrict ? nil : [Simulation.id(0)]))
    }
  }

  @Test("a relay passes envelopes on once, and nobody else does")
  func relaying() throws {
    for role in [NodeRole.participate, .relay] {
      var simulation = Simulation(seed: 21)
      var live = LiveConfiguration()
      live.role = role
      for _ in 0..<3 { simulation.add(live) }
      simulation.run(15_000)
      var inner = Document(node: Simulation.id(6))
      inner.counter.raise(Simulation.id(6), to: 3)
      let envelope = RelayEnvelope(
        origin: Simulation.id(6), messageID: RelayMessageID(low: 1, high: 2),
        payload: inner.encoded())
      simulation.perform(.send(envelope.encoded), by: 0)
      simulation.run(20_000)
      let isConverged = simulation.isConverged
      #expect(isConverged)
      #expect(simulation.nodes[1].mesh.document.counter[Simulation.id(6)] == 3)
      // Every link is quiet again: a message that went round and round would still be under way.
      let areQuiet = simulation.nodes.allSatisfy { node in
        node.links.values.allSatisfy(\.passing.isEmpty)
      }
      #expect(areQuiet)
    }
  }
}
