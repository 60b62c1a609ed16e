import Testing

@testable import PeatInspectCommands

/// How refusals of strangers are told without filling a log.
@Suite struct RefusalLogTests {
  @Test("each kind is told once in a while, with the number of those in between")
  func kinds() {
    var log = RefusalLog()
    var lines: [String] = []
    for second in 0..<25 as Range<UInt64> {
      for peer in 0..<100 {
        let reason = "C0:00:00:00:00:\(10 + peer % 90): more than 256 counters"
        if let line = log.line(for: reason, now: second * 1_000) { lines.append(line) }
      }
      if let line = log.line(for: "C0:00:00:00:00:01: invalid PDU", now: second * 1_000) {
        lines.append(line)
      }
    }
    // Of the first kind 999 between lines at 0 s and 10 s, of the second 9.
    #expect(
      lines == [
        "C0:00:00:00:00:10: more than 256 counters", "C0:00:00:00:00:01: invalid PDU",
        "C0:00:00:00:00:10: more than 256 counters (and 999 more like it)",
        "C0:00:00:00:00:01: invalid PDU (and 9 more like it)",
        "C0:00:00:00:00:10: more than 256 counters (and 999 more like it)",
        "C0:00:00:00:00:01: invalid PDU (and 9 more like it)",
      ])
    #expect(log.rest().count == 2)
  }

  @Test("kinds without end share one line")
  func bound() {
    var log = RefusalLog()
    let lines = (0..<1_000).compactMap { index in
      log.line(for: String(repeating: "x", count: index + 1), now: 0)
    }
    #expect(lines.count == RefusalLog.kindLimit + 1)
  }
}
