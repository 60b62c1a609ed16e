import PeatProtocol
import PeatTestSupport
import PeatTimeline
import Testing

@Suite struct RowFilterTests {
  /// Which of the rows of a small conversation an expression selects, by place.
  private func selected(_ expression: String) throws -> [Int] {
    let run = try FindingRun {
      $0.open()
      // 0: alpha's document of 36 bytes, with an event
      $0.notify(
        document(
          alpha, 7, [alpha: 5, bravo: 2],
          peripheral: peripheral(
            alpha, health: Health(battery: 85, activity: .walking, heartRate: 72),
            event: PeripheralEvent(type: EventType(rawValue: 1), time: 1_770_000_000_000),
            location: Location(latitude: 37.5, longitude: -122.25))))
      // 1: bravo's, with an emergency
      $0.write(
        document(
          bravo, 3, [bravo: 2],
          emergency: emergency(charlie, 1_770_000_000_500, [alpha: true, bravo: false])))
      // 2: encrypted, by charlie
      $0.notify(encrypted(document(charlie, 9)))
      // 3: malformed
      $0.notify([1, 2, 3])
      // 4: a refused write
      $0.att([0x12, 0x12, 0] + document(bravo, 3), from: .host)
      $0.att([0x01, 0x12, 0x12, 0, 0x0D], from: .peer)
    }
    let filter = try RowFilter(expression) { text in
      text == "12:00" ? 1_770_000_000_000_000_000 : Int64(text).map { $0 * 1_000_000_000 }
    }
    return run.rows.indices.filter { filter.matches(run.rows[$0]) }
  }

  @Test(arguments: [
    ("node == 0xA1A1A1A1", [0]), ("node == a1a1a1a1", [0]), ("node != A1A1A1A1", [1, 2, 4]),
    ("kind == document", [0, 1, 2, 4]), ("kind == encrypted", [2]), ("!node", [3]),
    ("direction == sent", [1, 4]), ("bytes == 3", [3]), ("bytes < 10", [3]),
    ("bytes >= 3 && bytes <= 3", [3]), ("payload == 010203", [3]), ("payload contains 0203", [3]),
    ("event == ping", [0]), ("event == emergency", [1]), ("event", [0, 1]),
    ("document.version > 3", [0, 2]), ("document.counter.A1A1A1A1 == 5", [0]),
    ("document.counter == 2", [0, 1]), ("document.emergency.source == C3C3C3C3", [1]),
    ("emergency.acked == A1A1A1A1", [1]), ("emergency.pending == B2B2B2B2", [1]),
    ("emergency.time >= 12:00", [1]), ("document.emergency", [1]),
    ("peripheral.health.battery > 80", [0]), ("document.peripheral.callsign == TEST", [0]),
    ("peripheral.health.activity == walking", [0]), ("peripheral.location.latitude > 37", [0]),
    ("peripheral.location.longitude < -122", [0]), ("peripheral.event.time == 12:00", [0]),
    ("decrypted_with == mesh:TEST", [2]), ("encrypted.ciphertext_bytes == 12", [2]),
    ("att.opcode == write_request", [4]), ("att.outcome == refused && att.error == 0x0d", [4]),
    ("att.characteristic == f47b", [0, 1, 2, 3, 4]), ("att.mtu == 517", [0, 1, 2, 3, 4]),
    ("link.peer == C0:00:00:00:00:01", [0, 1, 2, 3, 4]), ("finding == malformed-message", [3]),
    ("finding.severity == error", [3, 4]), ("reason contains \"12 bytes\"", [3]),
    ("effect.changed", [0, 1]), ("effect.first_seen == 'counter:A1A1A1A1=5'", [0]),
    ("receivers.rust contains drops", [3]), ("file contains x && !(bytes > 3)", [3]),
    ("bytes == 3 || node == C3C3C3C3 && kind == encrypted", [2, 3]),
    ("elapsed < 100", [0, 1, 2, 3, 4]),
    ("direction_guessed == false && bytes == 3", [3]), ("node == c3c3c3c3 && inner", [2]),
  ])
  func `an expression selects its rows`(_ expression: String, _ rows: [Int]) throws {
    #expect(try selected(expression) == rows)
  }

  @Test(arguments: [
    ("", 1), ("nod == 1", 1), ("node = 1", 6), ("node == ", 9), ("node == xyz", 9),
    ("(node", 1), ("node)", 5), ("bytes > 3 &", 11), ("bytes > 3 bytes", 11),
    ("kind < document", 6), ("kind == documnt", 9), ("bytes contains 3", 7), ("payload == 0g", 12),
    ("file == \"x", 9), ("bytes > 3 && ", 14), ("time > yesterday", 8), ("&& node", 1),
  ])
  func `a fault is told with its column`(_ expression: String, _ column: Int) throws {
    let error = #expect(throws: FilterError.self) { _ = try selected(expression) }
    #expect(error?.column == column, "\(String(describing: error))")
  }

  @Test func `a deep expression is refused and not crashed on`() throws {
    let deep = String(repeating: "(", count: 100_000) + "node"
    #expect(throws: FilterError.self) { _ = try RowFilter(deep) { _ in nil } }
    let long = Array(repeating: "node", count: 100_000).joined(separator: "||")
    #expect(throws: FilterError.self) { _ = try RowFilter(long) { _ in nil } }
  }

  @Test func `help lists fields that a filter takes`() throws {
    let names = FilterHelp.text.split(separator: "\n").dropFirst(6).compactMap {
      $0.hasPrefix("  ") && !$0.hasPrefix("    ") ? $0.split(separator: " ").first : nil
    }
    #expect(names.count > 100)
    for name in names { _ = try RowFilter(String(name)) { _ in nil } }
  }
}
