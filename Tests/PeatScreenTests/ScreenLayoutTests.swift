import CaptureFormats
import Foundation
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTestSupport
import PeatTimeline
import Testing
import WireBytes

@testable import PeatScreen

/// What a person would see, without a terminal.
struct ScreenLayoutTests {
  private let layout = ScreenLayout(
    style: TextStyle(
      columns: 100, usesColor: false, clock: .utc, isVerbose: false, zone: { _ in 0 }))

  private struct Played {
    var model = ScreenModel()
    var status: ScreenStatus
  }

  /// The sample with two nodes, up to a number of messages.
  private func played(messages: Int = 14) throws -> Played {
    let path = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path
    let stream = CaptureStream(
      file: path, reader: try CaptureReader(path: path), options: DissectionOptions())
    var timeline = Timeline(streams: [stream], opener: NoKeys())
    var model = ScreenModel()
    let layout = layout
    model.clock = { row in row.value.time.map { layout.clock($0) } }
    var now: Timestamp?
    for _ in 0..<messages {
      guard let row = timeline.next() else { break }
      model.append(row, state: timeline.state)
      now = row.value.time
    }
    var status = ScreenStatus(source: "sample", state: timeline.state)
    status.now = now
    return Played(model: model, status: status)
  }

  private func screen(_ played: inout Played, _ columns: Int = 100, _ rows: Int = 30) -> [String] {
    layout.lines(
      &played.model, played.status, size: ScreenSize(rows: rows, columns: columns)
    ).map(\.text)
  }

  @Test("nodes, messages and keys are on the screen")
  func overview() throws {
    var played = try played()
    let lines = screen(&played)
    #expect(lines[0].contains("LIVE"))
    #expect(lines.contains { $0.contains("207F0E0F ALPHA-1      5") })
    #expect(lines.contains { $0.contains("207F0E2E BRAVO-2      7") })
    #expect(lines.contains { $0.hasPrefix("> ") && $0.contains("counter 6→7") })
    #expect(lines.last?.contains("q quit") == true)
  }

  @Test func `what the kernel lost and what was not recorded are told apart`() throws {
    var played = try played()
    #expect(!screen(&played).contains { $0.contains("LOST") || $0.contains("NOT RECORDED") })
    played.status.drops = 3
    played.status.unrecorded = 2
    #expect(screen(&played).contains { $0.contains("14 messages, 3 LOST, 2 NOT RECORDED;") })
  }

  @Test func `ages are those of a clock that is never put, where there is one`() throws {
    var played = try played()
    // The packets' clock was put a day ahead.
    played.status.now?.nanoseconds += 86_400_000_000_000
    let node = try #require(played.status.state.nodes.keys.first { "\($0)" == "207F0E2E" })
    played.status.ages[node] = 4_000_000_000
    let lines = screen(&played)
    #expect(lines.contains { $0.contains("BRAVO-2") && $0.contains("4 s ago") })
  }

  @Test("an emergency stands on top, with who has acknowledged it and who is waited for")
  func emergency() throws {
    // The sixth message shows it, the seventh acknowledges it.
    var before = try played(messages: 5)
    #expect(!screen(&before).contains { $0.contains("EMERGENCY") })
    var during = try played(messages: 6)
    let shown = screen(&during)
    #expect(shown[1].contains("EMERGENCY from BRAVO-2 for 0:0"))
    #expect(shown[1].contains("ACK 1 of 2  waiting for ALPHA-1  acked by BRAVO-2"))
    #expect(shown.contains { $0.contains("ALPHA-1") && $0.contains("WAITING") })
    #expect(shown.contains { $0.contains("207F0E2E BRAVO-2") && $0.contains(" acked ") })
    var after = try played(messages: 7)
    #expect(screen(&after)[1].contains("ACK 2 of 2, all acked"))
  }

  @Test("a message of the past shows the whole picture of its moment, and End goes back to now")
  func past() throws {
    var present = try played()
    var then = try played(messages: 6)
    let wanted = screen(&then).filter { $0.contains("207F0E") || $0.contains("!!! EMERGENCY") }
    _ = present.model.press(.home)
    for _ in 0..<5 { _ = present.model.press(.down) }
    let shown = screen(&present)
    #expect(shown[1].contains("PAST 11:34:0"))
    #expect(shown[1].contains("history starts at 11:33:57; End/G returns to live"))
    // Nodes, ages and banner are those that a screen of six messages shows.
    #expect(!wanted.isEmpty)
    for line in wanted where !line.hasPrefix(">") {
      #expect(shown.contains(line), "\(line)")
    }
    _ = present.model.press(.home)
    #expect(!screen(&present).contains { $0.contains("!!! EMERGENCY") && !$0.hasPrefix("  11") })
    _ = present.model.press(.end)
    #expect(screen(&present)[0].contains("LIVE"))
    #expect(!screen(&present).contains { $0.contains("PAST") })
  }

  @Test("emergencies and marks are jumped to, both ways")
  func landmarks() throws {
    var played = try played()
    _ = played.model.press(.home)
    _ = played.model.press(.character("m"))
    _ = played.model.press(.character("e"))
    #expect(played.model.selectedEntry?.number == 6)
    _ = played.model.press(.character("e"))
    #expect(played.model.notice == "no emergency after this message")
    _ = played.model.press(.character("\""))
    #expect(played.model.selectedEntry?.number == 1)
    _ = played.model.press(.end)
    _ = played.model.press(.character("E"))
    #expect(played.model.selectedEntry?.number == 6)
  }

  @Test("the table is sorted by each column, and a node of it is singled out")
  func nodes() throws {
    var played = try played()
    for key in [ScreenKey.character("s"), .tab] {
      _ = played.model.press(key)
      _ = screen(&played)
    }
    let rows = screen(&played).filter { $0.contains("207F0E") }
    #expect(rows[0].contains("ALPHA-1"))
    #expect(rows[1].contains("BRAVO-2"))
    _ = played.model.press(.down)
    #expect(screen(&played).contains { $0.hasPrefix(">") && $0.contains("207F0E2E") })
    _ = played.model.press(.enter)
    #expect(played.model.visible.count == 8)
    #expect(played.model.visible.allSatisfy { $0.line.who == "BRAVO-2" })
  }

  @Test("a filter expression is compiled, its fault is shown with the line kept for editing")
  func expression() throws {
    var played = try played()
    for key in "/node == 207f0e0f" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.enter)
    #expect(played.model.visible.count == 6)
    for key in " ==" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.escape)
    #expect(played.model.visible.count == 14)
    for key in "/node ==" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.enter)
    #expect(screen(&played).last?.hasPrefix("filter: node ==_ (column ") == true)
    _ = played.model.press(.control("u"))
    _ = played.model.press(.character("x"))
    #expect(screen(&played).last?.hasPrefix("filter: x_") == true)
  }

  @Test("the help fits 60 columns uncut, and every key of it does something")
  func help() throws {
    var played = try played()
    _ = played.model.press(.character("?"))
    #expect(!screen(&played, 60, 40).contains { $0.contains("…") })
    _ = screen(&played, 60, 15)
    _ = played.model.press(.end)
    #expect(screen(&played, 60, 15).contains { $0.contains("ctrl-z suspends") })
  }

  @Test("a colon begins a command where the owner takes them, and a long answer is scrolled")
  func commands() throws {
    var played = try played()
    _ = played.model.press(.character(":"))
    #expect(played.model.mode == .messages)
    #expect(!screen(&played).contains { $0.contains(": command") })
    played.model.takeCommands(["peers", "battery "], help: ["peers  show the links"])
    #expect(screen(&played).last?.contains(": command") == true)
    for key in [ScreenKey.character(":"), .character("p"), .tab] { _ = played.model.press(key) }
    #expect(screen(&played).last == ":peers_")
    #expect(played.model.press(.enter) == .command("peers"))
    played.model.answer(["one line"])
    #expect(screen(&played).last == "one line")
    played.model.answer((1...40).map { "link \($0)" })
    #expect(screen(&played).contains(" link 1"))
    #expect(!screen(&played).contains(" link 40"))
    _ = played.model.press(.end)
    #expect(screen(&played).contains(" link 40"))
    // What was typed comes back with the arrow; an empty line that is shortened is left.
    for key in [ScreenKey.character(":"), .up] { _ = played.model.press(key) }
    #expect(screen(&played).last == ":peers_")
    for key in [ScreenKey.control("u"), .backspace] { _ = played.model.press(key) }
    #expect(played.model.mode == .messages)
    _ = played.model.press(.character("?"))
    #expect(screen(&played, 60, 60).contains("  :peers  show the links"))
  }

  @Test("a hostile or wide callsign moves no column")
  func wideNames() throws {
    let editor = LineEditor("日本e\u{301}\u{1B}[2J")
    #expect(editor.text.count == 7)
    #expect("日本e\u{301}".cellCount == 5)
    #expect("日本e\u{301}".cells(4).cellCount == 4)
    #expect("日本e\u{301}".cells(9).cellCount == 9)
  }

  @Test("every size from 60x15 up is filled, and nothing is wider than the screen")
  func sizes() throws {
    var played = try played()
    for key in [nil, ScreenKey.enter, .character("?")] {
      if let key { _ = played.model.press(key) }
      for (columns, rows) in [(60, 15), (61, 16), (79, 24), (80, 25), (90, 40), (200, 60)] {
        let lines = screen(&played, columns, rows)
        #expect(lines.count == rows, "\(columns)x\(rows)")
        for line in lines { #expect(line.cellCount <= columns, "\(columns)x\(rows): \(line)") }
      }
    }
    #expect(screen(&played, 50, 10)[0].contains("60x15"))
  }

  @Test("the selected message shows its fields and bytes")
  func detail() throws {
    var played = try played()
    for key in [ScreenKey.home, .enter] { _ = played.model.press(key) }
    let lines = screen(&played)
    #expect(lines.contains { $0.contains("write_request handle 16") })
    // The document's first bytes: version 2, then the node, least significant byte first.
    #expect(lines.contains { $0.hasPrefix("     0  02 00 00 00              version") })
    #expect(lines.contains { $0.hasPrefix("     4  0f 0e 7f 20              node") })
    // On a narrow screen the bytes stand below their field, and the end is scrolled to.
    var narrow = screen(&played, 60, 15)
    #expect(narrow.contains { $0.hasPrefix("0    version  2") })
    _ = played.model.press(.pageDown)
    narrow = screen(&played, 60, 15)
    #expect(narrow.contains { $0.hasPrefix("12   counter[0] node  207F0E0F") })
  }

  @Test("a filter, a pause and a mark change what is shown")
  func keys() throws {
    var played = try played(messages: 10)
    for key in "/207F0e0f" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.enter)
    #expect(played.model.visible.allSatisfy { $0.line.who == "ALPHA-1" })
    _ = played.model.press(.escape)
    #expect(played.model.visible.count == 10)
    _ = played.model.press(.character("p"))
    #expect(screen(&played)[0].contains("PAUSED"))
    _ = played.model.press(.character("m"))
    #expect(screen(&played).contains { $0.hasPrefix(">*") })
    #expect(played.model.saved(.shown).count == 1)
    #expect(played.model.press(.character("q")) == .quit)
  }

  @Test("time is gone to by clock and by seconds back")
  func time() throws {
    var played = try played()
    for key in "t11:34:03" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.enter)
    #expect(played.model.selectedEntry?.number == 6)
    // The newest is of 11:34:13.416, ten seconds before it none is later than 11:34:03.276.
    _ = played.model.press(.end)
    for key in "t-10s" { _ = played.model.press(.character(key)) }
    _ = played.model.press(.enter)
    #expect(played.model.selectedEntry?.number == 6)
    _ = played.model.press(.character("]"))
    #expect(played.model.selectedEntry?.number == 14)
  }

  @Test("the history is bounded, and the selection stays inside it")
  func bounded() throws {
    let one = try played(messages: 1)
    let row = try #require(one.model.history.entries.first?.row)
    var model = ScreenModel()
    model.append(row, state: MeshState())
    _ = model.press(.home)
    for _ in 0..<10_000 { model.append(row, state: MeshState()) }
    #expect(model.history.entries.count < ScreenHistory.limit + 513)
    #expect(model.selectedEntry != nil)
    #expect(model.history.total == 10_001)
    // A pause ends where all that it held has left the history.
    _ = model.press(.character("p"))
    for _ in 0..<10_000 { model.append(row, state: MeshState()) }
    #expect(!model.isPaused)
    #expect(model.notice?.contains("left the history") == true)
    #expect(model.isPast)
  }

  @Test("the state after each message is the one that came with it, whichever are kept")
  func everyMoment() throws {
    let path = TestData.captures.appendingPathComponent("l-mesh.h4.btsnoop").path
    let stream = CaptureStream(
      file: path, reader: try CaptureReader(path: path), options: DissectionOptions())
    var timeline = Timeline(streams: [stream], opener: NoKeys())
    var model = ScreenModel()
    var totals: [UInt64] = []
    while let row = timeline.next() {
      model.append(row, state: timeline.state)
      totals.append(timeline.state.total)
    }
    // More than two of those that are kept whole.
    #expect(totals.count == 1040)
    for number in [1, 2, 511, 512, 513, 1023, 1024, 1025, 1040] {
      #expect(model.history.known(after: number).state.total == totals[number - 1], "\(number)")
    }
  }
}
