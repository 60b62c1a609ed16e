import BluetoothHost
import BluetoothProtocols
import PeatProtocol
import PeatSecurity
import WireBytes

@testable import PeatNode

/// Live nodes on one virtual radio and one virtual clock.
struct Simulation {
  /// 2026-03-01T00:00:00Z: where the clock on the wall begins.
  static let epoch: UInt64 = 1_772_323_200_000

  var radio: VirtualRadio
  var nodes: [LiveNode] = []
  var notes: [[LiveNote]] = []
  var now: UInt64 = 0

  init(seed: UInt64) { radio = VirtualRadio(seed: seed) }

  static func id(_ index: Int) -> NodeID { NodeID(rawValue: 0x1000_0000 + UInt32(index)) }

  static func address(_ index: Int) -> DeviceAddress {
    DeviceAddress(value: 0xC0_00_00_00_00_00 | UInt64(index + 1))
  }

  /// Adds a node and starts it.
  mutating func add(
    _ live: LiveConfiguration = LiveConfiguration(), isExtended: Bool = false,
    isFast: Bool = true, aclLength: UInt16 = 251, secret: SecretKey? = nil, isStrict: Bool = false,
    count: UInt64 = 0, version: UInt32 = 1, linkLimit: Int = .max
  ) {
    let index = radio.addController(
      isExtended: isExtended, isFast: isFast, aclLength: aclLength, linkLimit: linkLimit)
    var live = live
    live.randomAddress = Simulation.address(index)
    var mesh = MeshConfiguration(
      node: Simulation.id(index), meshID: "SIM", callsign: Callsign("N\(index)"))
    mesh.encryptionSecret = secret
    mesh.isStrict = isStrict
    mesh.maximumPeers = 64
    nodes.append(LiveNode(live, mesh: mesh, count: count, version: version))
    notes.append([])
    nodes[index].start(now: now, wall: Simulation.epoch + now)
    flush(index)
  }

  @discardableResult
  mutating func perform(_ order: NodeOrder, by index: Int) -> [String] {
    defer { flush(index) }
    return nodes[index].perform(order, now: now, wall: Simulation.epoch + now)
  }

  /// The controller of a node goes, with its links, and is back at once.
  mutating func replaceController(of index: Int) {
    radio.breakLinks(of: index, now: now)
    nodes[index].loseController(now: now, wall: Simulation.epoch + now)
    _ = nodes[index].takeOutput()
    nodes[index].start(now: now, wall: Simulation.epoch + now)
    flush(index)
  }

  /// Lets virtual time pass; `isDone` ends it early.
  mutating func run(_ milliseconds: UInt64, until isDone: (Simulation) -> Bool = { _ in false }) {
    let end = now + milliseconds
    while now < end {
      let next = min(radio.nextDue ?? end, nodes.map(\.deadline).min() ?? end, end)
      now = max(now + 1, next)
      while let (index, packet) = radio.advance(to: now) {
        nodes[index].receive(packet, now: now, wall: Simulation.epoch + now)
        flush(index)
      }
      for index in nodes.indices where nodes[index].deadline <= now {
        nodes[index].tick(now: now, wall: Simulation.epoch + now)
        flush(index)
      }
      if isDone(self) { return }
    }
  }

  private mutating func flush(_ index: Int) {
    for packet in nodes[index].takeOutput() { radio.send(packet, from: index, now: now) }
    notes[index] += nodes[index].takeNotes()
  }

  /// Whether all nodes have the same counters and the same emergency.
  var isConverged: Bool {
    guard let first = nodes.first?.mesh.document else { return true }
    return nodes.allSatisfy {
      $0.mesh.document.counter == first.counter && $0.mesh.document.emergency == first.emergency
    }
  }
}
