import BluetoothHost
import BluetoothProtocols
import PeatProtocol
import Testing

@testable import PeatNode

/// Many peers at one node, and controllers that take few links.
@Suite struct LinkTurnTests {
  /// A node in the middle and peers that only know it: that find it, or are found by it.
  private func star(
    _ count: Int, linkLimit: Int = .max, peersConnect: Bool
  ) -> Simulation {
    var simulation = Simulation(seed: 41)
    var middle = LiveConfiguration()
    middle.scans = !peersConnect
    middle.advertises = peersConnect
    simulation.add(middle, linkLimit: linkLimit)
    var outer = LiveConfiguration()
    outer.scans = peersConnect
    outer.advertises = !peersConnect
    for _ in 0..<count { simulation.add(outer) }
    return simulation
  }

  @Test("ten peers all have a link, whoever connects", arguments: [true, false])
  func tenPeers(_ peersConnect: Bool) {
    var simulation = star(10, peersConnect: peersConnect)
    simulation.run(60_000) { $0.nodes[0].linkCount == 10 }
    let count = simulation.nodes[0].linkCount
    #expect(count == 10)
  }

  @Test("where four links are all, ten peers that are found take turns", arguments: [false])
  func turns(_ peersConnect: Bool) {
    var simulation = star(10, linkLimit: 4, peersConnect: peersConnect)
    simulation.run(20_000)
    for index in 1...10 { simulation.perform(.event(.ping), by: index) }
    simulation.perform(.emergency, by: 3)
    // Six have to wait, one place is free every 10 s, and peers that did not get it wait up to a
    // minute before they try again.
    simulation.run(900_000) { $0.isConverged }
    let isConverged = simulation.isConverged
    #expect(isConverged)
    let heard = (1...10).filter { index in
      simulation.nodes[0].mesh.peripherals[Simulation.id(index)] != nil
    }
    #expect(heard.count == 10)
    let isTold = simulation.notes[0].contains { note in
      if case .full(links: 4) = note { true } else { false }
    }
    #expect(isTold || !peersConnect)
    let waiting = simulation.notes[0].contains { note in
      if case .waiting = note { true } else { false }
    }
    #expect(waiting == !peersConnect)
    let most = simulation.nodes[0].linkCount
    #expect(most <= 4)
  }

  @Test("where nobody else waits, links give way ever more seldom")
  func quiet() {
    var simulation = star(4, linkLimit: 4, peersConnect: true)
    simulation.run(1_800_000)
    let turns = simulation.notes[0].count { if case .gaveWay = $0 { true } else { false } }
    // 10 s, 20 s, 40 s, ... 320 s: half an hour has room for about ten.
    #expect((1...14).contains(turns))
  }

  @Test("a peer that is passed over is the one that has two links")
  func doubles() {
    var simulation = Simulation(seed: 43)
    simulation.add(linkLimit: 3)
    for _ in 0..<3 { simulation.add() }
    simulation.run(120_000) { simulation in
      Set(simulation.nodes[0].links.values.compactMap(\.node)).count == 3
    }
    let nodes = Set(simulation.nodes[0].links.values.compactMap(\.node))
    #expect(nodes == Set((1...3).map { Simulation.id($0) }))
  }
}
