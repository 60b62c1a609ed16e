import BluetoothProtocols
import PeatProtocol
import Testing

@testable import PeatNode

@Suite struct NodeOrderTests {
  @Test("orders are read from their words")
  func orders() throws {
    let table: [(String, NodeOrder?)] = [
      ("", nil), ("  \r", nil), ("emergency", .emergency), (" ack ", .acknowledge),
      ("clear", .clear), ("event need_assist", .event(.needAssist)),
      ("position 46.5 -7.25", .position(Location(latitude: 46.5, longitude: -7.25))),
      (
        "position 46.5 7.25 400",
        .position(Location(latitude: 46.5, longitude: 7.25, altitude: 400))
      ),
      ("battery 100", .battery(100)), ("state", .state), ("peers", .peers),
      ("send 0a FF", .send([0x0A, 0xFF])),
      ("connect C0:00:00:00:00:01", .connect(DeviceAddress(value: 0xC0_00_00_00_00_01), nil)),
      (
        "connect 00:1B:DC:07:31:88 public",
        .connect(DeviceAddress(value: 0x00_1B_DC_07_31_88), .public)
      ),
      ("disconnect", .disconnect(nil)), ("quit", .quit), ("help", .help),
    ]
    for (line, expected) in table { #expect(try NodeOrder.parse(line) == expected, "\(line)") }
  }

  @Test("every order of the help is understood, with the words that complete it")
  func forms() throws {
    let examples = [
      "position ": "position 46.5 7.25", "battery ": "battery 50", "send ": "send 0a",
      "connect ": "connect C0:00:00:00:00:01", "disconnect ": "disconnect",
    ]
    for phrase in NodeOrder.forms.flatMap(\.phrases) {
      #expect(try NodeOrder.parse(examples[phrase] ?? phrase) != nil, "\(phrase)")
    }
  }

  @Test("what is no order is refused with a reason")
  func faults() {
    let lines = [
      "emergency now", "event", "event party", "position 91 0", "position 0 181", "position nan 0",
      "position 1", "battery 101", "battery -1", "send", "send 0", "send xy", "connect here",
      "connect C0:00:00:00:00:01 static",
      "disconnect 1 2", "jump",
    ]
    for line in lines {
      #expect(throws: NodeOrder.Fault.self, "\(line)") { try NodeOrder.parse(line) }
    }
  }
}
