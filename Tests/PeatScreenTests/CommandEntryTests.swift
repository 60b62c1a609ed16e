import Testing

@testable import PeatScreen

/// The line in which commands are typed.
struct CommandEntryTests {
  private var entry = CommandEntry(phrases: [
    "emergency", "event none", "event moving", "event need_assist", "connect ", "connect C0:01",
  ])

  private mutating func type(_ text: String) -> [CommandEntry.Outcome] {
    var parser = KeyParser()
    return parser.take(Array(text.utf8)).map { entry.take($0) }
  }

  @Test("what was typed is given whole, and the next line is empty")
  mutating func enter() {
    #expect(type("ack\r").last == .entered("ack"))
    #expect(entry.line.text == "")
  }

  @Test("up and down go through the history and back to the line that was begun")
  mutating func history() {
    _ = type("ack\rstate\rstate\r \rpee")
    // The same line twice is kept once, an empty one not at all.
    var seen: [String] = []
    for key in [ScreenKey.up, .up, .up, .down, .down, .down] {
      _ = entry.take(key)
      seen.append(entry.line.text)
    }
    #expect(seen == ["state", "ack", "ack", "state", "pee", "pee"])
    _ = type("\u{1B}[A\u{1B}[Ax")
    #expect(entry.line.text == "ackx")
  }

  @Test("tab completes as far as all candidates agree, then names them")
  mutating func completion() {
    #expect(type("e\t").last == .candidates(["emergency", "event"]))
    #expect(type("v\t").last == .edited)
    #expect(entry.line.text == "event ")
    #expect(type("\t").last == .candidates(["none", "moving", "need_assist"]))
    _ = type("nee\t")
    #expect(entry.line.text == "event need_assist")
    #expect(type("\u{15}zz\t").last == .ignored)
    _ = type("\u{15}con\t")
    #expect(entry.line.text == "connect ")
  }

  @Test("what stands behind the cursor is kept when what is before it is completed")
  mutating func completionInside() {
    _ = type("em now\u{01}\u{1B}[C\u{1B}[C\t")
    #expect(entry.line.text == "emergency now")
    #expect(entry.line.cursor == 9)
  }

  @Test("ctrl-d ends on an empty line, and removes a character on another")
  mutating func end() {
    #expect(type("ab\u{01}\u{04}") == [.edited, .edited, .edited, .edited])
    #expect(entry.line.text == "b")
    #expect(type("\u{1B}[3~\u{04}").last == .ended)
  }

  @Test("control keys move and remove as in other line editors")
  mutating func controls() {
    _ = type("battery 50\u{17}")
    #expect(entry.line.text == "battery ")
    _ = type("7\u{02}\u{02}\u{0B}")
    #expect(entry.line.text == "battery")
    _ = type("\u{01}\u{06}x\u{05}y")
    #expect(entry.line.text == "bxatteryy")
    #expect(type("\u{0C}").last == .redraw)
  }
}

/// The line itself.
struct LineEditorTests {
  private func typed(_ scalars: String) -> LineEditor {
    var editor = LineEditor()
    for scalar in scalars.unicodeScalars { _ = editor.take(.character(Character(scalar))) }
    return editor
  }

  @Test("an accent that comes by itself joins its letter, and both go at once")
  func accents() {
    var editor = typed("e\u{301}👩\u{200D}🚀")
    #expect(editor.cursor == 2)
    _ = editor.take(.backspace)
    #expect(editor.text == "e\u{301}")
    _ = editor.take(.backspace)
    #expect(editor.text == "")
  }

  @Test("neither accents nor characters without end make it grow")
  func bounds() {
    let heaped = typed("e" + String(repeating: "\u{301}", count: 1_000))
    #expect(heaped.text.unicodeScalars.count <= 16)
    #expect(typed(String(repeating: "x", count: 5_000)).text.count == 1_024)
  }

  @Test("a long or wide line is shown around the cursor, in the columns that there are")
  func window() {
    var editor = typed("日本語とかな and more")
    for columns in [1, 2, 5, 12, 80] {
      let (head, tail) = editor.window(columns: columns)
      #expect(head.cellCount + tail.cellCount < max(columns, 2), "\(columns)")
    }
    #expect(editor.window(columns: 80) == ("日本語とかな and more", ""))
    _ = editor.take(.home)
    #expect(editor.window(columns: 80) == ("", "日本語とかな and more"))
  }

  @Test("control characters that were typed change nothing on the terminal")
  func hostile() {
    #expect(LineEditor("a\u{1B}[2J\u{202E}b").window(columns: 80).head.contains("\u{1B}") == false)
  }
}
