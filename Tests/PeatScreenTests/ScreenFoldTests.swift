import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTestSupport
import PeatTimeline
import Testing
import WireBytes

@testable import PeatScreen

/// Folding, landmarks, the mouse and links, without a terminal.
struct ScreenFoldTests {
  private let layout = ScreenLayout(
    style: TextStyle(
      columns: 100, usesColor: false, clock: .utc, isVerbose: false, zone: { _ in 0 }))

  /// The 14 messages of the sample, none of which repeats another.
  private func rows() throws -> (rows: [TimelineRow], state: MeshState) {
    let path = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
    let stream = CaptureStream(
      file: path, reader: try CaptureReader(path: path), options: DissectionOptions())
    var timeline = Timeline(streams: [stream], opener: NoKeys())
    var rows: [TimelineRow] = []
    while let row = timeline.next() { rows.append(row) }
    return (rows, timeline.state)
  }

  /// A row as it comes again: it tells nothing new.
  private func repeated(_ row: TimelineRow) -> TimelineRow {
    var row = row
    row.effect = Effect(isChanged: false, firstSeen: [], meshTotal: row.effect.meshTotal)
    return row
  }

  private func screen(
    _ model: inout ScreenModel, _ status: ScreenStatus, rows: Int = 30
  ) -> [String] {
    layout.lines(&model, status, size: ScreenSize(rows: rows, columns: 100)).map(\.text)
  }

  @Test func `unchanged messages are one line, which u unfolds`() throws {
    let (rows, state) = try rows()
    var model = ScreenModel()
    for row in rows { model.append(row, state: state) }
    for _ in 0..<5 { model.append(repeated(rows[13]), state: state) }
    let status = ScreenStatus(source: "sample", state: state)
    #expect(screen(&model, status).contains { $0.contains("· 5 unchanged: BRAVO-2") })
    #expect(model.visible.count == 15)
    // What is folded is written all the same, and counted.
    #expect(model.saved(.shown).count == 19)
    #expect(screen(&model, status).contains { $0.contains("19 messages") })
    _ = model.press(.character("u"))
    #expect(model.visible.count == 19)
    #expect(!screen(&model, status).contains { $0.contains("5 unchanged") })
    _ = model.press(.character("u"))
    #expect(model.visible.count == 15)
  }

  @Test func `what is looked at, held or odd is not folded away`() throws {
    let (rows, state) = try rows()
    var model = ScreenModel()
    for row in rows { model.append(row, state: state) }
    model.append(repeated(rows[13]), state: state)
    _ = model.press(.character("p"))
    model.append(repeated(rows[13]), state: state)
    // Held: the fifteenth stays what it was.
    #expect(model.visible.map(\.number) == Array(1...15))
    _ = model.press(.character("p"))
    #expect(model.visible.map(\.number) == Array(1...16))
    var odd = repeated(rows[13])
    odd.findings = [Finding(.malformedMessage, "odd")]
    model.append(odd, state: state)
    model.append(repeated(rows[13]), state: state)
    #expect(model.visible.map(\.number) == Array(1...18))
    #expect(model.visible.allSatisfy { model.fold($0.number) == nil })
  }

  @Test func `n stops on warnings and errors, not on notes`() throws {
    let (rows, state) = try rows()
    var model = ScreenModel()
    let note = try #require(FindingCode.allCases.first { $0.severity == .note })
    let warning = try #require(FindingCode.allCases.first { $0.severity == .warning })
    for (index, row) in rows.enumerated() {
      var row = row
      let codes: [Int: FindingCode] = [2: note, 4: warning, 6: note, 8: .malformedMessage]
      row.findings = codes[index].map { [Finding($0, "odd")] } ?? []
      model.append(row, state: state)
    }
    _ = model.press(.home)
    var stops: [Int?] = []
    for _ in 0..<2 {
      _ = model.press(.character("n"))
      stops.append(model.selected)
    }
    #expect(stops == [5, 9])
    _ = model.press(.character("n"))
    #expect(model.notice == "no warning or error after this message")
    _ = model.press(.character("N"))
    #expect(model.selected == 5)
  }

  @Test func `a replay is not called live`() throws {
    let (rows, state) = try rows()
    var model = ScreenModel()
    model.append(rows[0], state: state)
    var status = ScreenStatus(source: "sample", state: state)
    #expect(screen(&model, status)[0].hasSuffix(" LIVE "))
    status.isReplay = true
    #expect(screen(&model, status)[0].hasSuffix(" REPLAY "))
    status.hasEnded = true
    #expect(screen(&model, status)[0].hasSuffix(" ENDED "))
  }

  @Test func `the mouse selects, opens, scrolls and sorts by the heads`() throws {
    let (rows, state) = try rows()
    var model = ScreenModel()
    for row in rows { model.append(row, state: state) }
    let status = ScreenStatus(source: "sample", state: state)
    func press(_ column: Int, _ holds: (String) -> Bool) throws {
      let place = screen(&model, status).firstIndex(where: holds)
      let row = try #require(place)
      _ = model.press(.mouse(.press, row: row, column: column))
    }
    try press(30) { $0.contains("11:33:58.026") }
    #expect(model.selected == 2)
    #expect(model.mode == .messages)
    _ = model.press(.mouse(.wheelDown, row: 20, column: 3))
    #expect(model.selected == 5)
    let head = try #require(screen(&model, status).first { $0.contains("COUNTER") })
    let title = try #require(head.firstRange(of: "BATTERY"))
    let battery = head.distance(from: head.startIndex, to: title.lowerBound)
    try press(battery + 1) { $0.contains("COUNTER") }
    #expect(model.sort == .battery)
    try press(5) { $0.contains("207F0E2E BRAVO-2") }
    #expect("\(try #require(model.selectedNode))" == "207F0E2E")
    try press(5) { $0.contains("207F0E2E BRAVO-2") }
    #expect(model.filter == "node 207F0E2E")
    // Beside all that, nothing happens.
    for row in [-1, 0, 29, 5000] { _ = model.press(.mouse(.press, row: row, column: -1)) }
    #expect(model.filter == "node 207F0E2E")
  }

  @Test func `links are bars of up and down time`() throws {
    var model = ScreenModel()
    var status = ScreenStatus(source: "sample", state: MeshState())
    _ = model.press(.character("l"))
    #expect(screen(&model, status).contains("  no link yet"))
    let second: Int64 = 1_000_000_000
    status.now = Timestamp(nanoseconds: 100 * second)
    // 100 columns leave 48 for the bar: a quarter of the 100 s is 12 of them.
    status.links = [
      ScreenLink(name: "ALPHA", opened: 0, closed: 25 * second, reason: "connection timeout"),
      ScreenLink(name: "BRAVO", opened: 0, closed: nil, reason: nil),
      ScreenLink(name: "ALPHA", opened: 75 * second, closed: nil, reason: nil),
    ]
    let lines = screen(&model, status)
    let quarter = String(repeating: "█", count: 12)
    let alpha = try #require(lines.first { $0.hasPrefix("  ALPHA") })
    #expect(alpha.contains(" up "))
    #expect(alpha.contains(" 2 "))
    #expect(alpha.contains(" 50% "))
    #expect(alpha.contains(" \(quarter)\(String(repeating: "·", count: 24))\(quarter) "))
    // The reason has what is left of the line.
    #expect(alpha.contains("connectio"))
    let bravo = try #require(lines.first { $0.hasPrefix("  BRAVO") })
    #expect(bravo.contains(" 100% "))
    // Hostile times and names do no harm.
    status.links += [
      ScreenLink(name: "\u{1B}[2J", opened: .min, closed: .max, reason: "x"),
      ScreenLink(name: "late", opened: .max, closed: .min, reason: "x"),
    ]
    for columns in [60, 100, 300] {
      let lines = layout.lines(
        &model, status, size: ScreenSize(rows: 15, columns: columns)
      ).map(\.text)
      #expect(lines.allSatisfy { $0.cellCount <= columns && !$0.contains("\u{1B}") })
    }
    _ = model.press(.character("l"))
    #expect(model.mode == .messages)
  }
}
