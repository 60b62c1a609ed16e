import BluetoothProtocols
import Foundation
import PeatProtocol
import SystemIO
import Testing

@testable import PeatNode

@Suite struct NodeStateFileTests {
  private func withFolder(_ body: (Environment, String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "peat-state-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(Environment(["XDG_STATE_HOME": folder]), folder)
  }

  @Test("what is saved is there in the next life")
  func roundTrip() throws {
    try withFolder { environment, _ in
      var state = NodeState.random()
      state.count = .max
      state.version = 7
      state.location = Location(latitude: 46.5, longitude: -7.1234567, altitude: 0.1)
      state.battery = 0
      do {
        var file = try NodeStateFile.open(name: "node-tcp:h:1-DEMO", environment: environment)
        #expect(file.state == nil)
        try file.save(state)
      }
      let file = try NodeStateFile.open(name: "node-tcp:h:1-DEMO", environment: environment)
      #expect(file.state == state)
      #expect(file.path.hasSuffix("/peat-inspect/node-tcp%3Ah%3A1-DEMO"))
    }
  }

  @Test("a node lives once at a time")
  func lock() throws {
    try withFolder { environment, _ in
      let first = try NodeStateFile.open(name: "a", environment: environment)
      #expect(throws: NodeStateFile.Failure.inUse(first.path)) {
        _ = try NodeStateFile.open(name: "a", environment: environment)
      }
    }
  }

  @Test("a damaged state is told, not replaced")
  func damage() throws {
    try withFolder { environment, folder in
      do { _ = try NodeStateFile.open(name: "a", environment: environment) }
      let path = folder + "/peat-inspect/a"
      for text in [
        "", "peat-inspect node 2\n", "peat-inspect node 1\nnode 1\n", "\u{0}",
        "\(NodeState.random().text)battery 101\n", "\(NodeState.random().text)position 91 0\n",
      ] {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: NodeStateFile.Failure.unreadable(path)) {
          _ = try NodeStateFile.open(name: "a", environment: environment)
        }
      }
    }
  }

  @Test("a new address is a static random one, and ids are not 0")
  func random() {
    for _ in 0..<100 {
      let state = NodeState.random()
      #expect(state.address.value >> 46 == 3)
      #expect(state.node.rawValue != 0)
    }
  }
}
