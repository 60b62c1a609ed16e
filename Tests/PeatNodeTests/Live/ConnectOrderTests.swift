import BluetoothHost
import BluetoothProtocols
import PeatProtocol
import Testing

@testable import PeatNode

/// What comes of connections that the user asks for.
@Suite struct ConnectOrderTests {
  /// Nodes that look for nobody.
  private func simulation() -> Simulation {
    var live = LiveConfiguration()
    live.scans = false
    var simulation = Simulation(seed: 7)
    simulation.add(live)
    simulation.add(live)
    simulation.run(1_000)
    return simulation
  }

  @Test("an address that was not heard is connected to, and the outcome is told")
  func unheard() {
    var simulation = simulation()
    let address = Simulation.address(1)
    simulation.perform(.connect(address, nil), by: 0)
    simulation.run(5_000)
    #expect(simulation.notes[0].contains(.connectionEnded(peer: address, failure: nil)))
    let count = simulation.nodes[0].linkCount
    #expect(count == 1)
    let again = simulation.nodes[0].perform(
      .connect(address, nil), now: simulation.now, wall: Simulation.epoch)
    #expect(again == ["\(address) is connected already"])
  }

  @Test("where nobody answers, the outcome is told after a while, and another attempt is taken")
  func absent() {
    var simulation = simulation()
    let absent = DeviceAddress(value: 0xC0_00_00_00_00_77)
    simulation.perform(.connect(absent, nil), by: 0)
    let busy = simulation.nodes[0].perform(
      .connect(Simulation.address(1), nil), now: simulation.now, wall: Simulation.epoch)
    #expect(busy == ["still connecting to \(absent)"])
    // The host tries for ten seconds (protocol.md 8.1), and cancels.
    simulation.run(15_000)
    // 0x02: unknown connection identifier, as a cancelled attempt ends (Vol 4 Part E, 7.8.13).
    #expect(simulation.notes[0].contains(.connectionEnded(peer: absent, failure: 2)))
    simulation.perform(.connect(Simulation.address(1), nil), by: 0)
    simulation.run(5_000)
    let count = simulation.nodes[0].linkCount
    #expect(count == 1)
  }

}
