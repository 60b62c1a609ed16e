import Testing

@testable import PeatScreen

/// Keys as xterm and its like send them.
struct KeyParserTests {
  private func keys(_ text: String) -> [ScreenKey] {
    var parser = KeyParser()
    return parser.take(Array(text.utf8))
  }

  @Test("characters of one to four bytes are keys, however the bytes are parted")
  func characters() {
    let expected: [ScreenKey] = [
      .character("a"), .character("é"), .character("日"), .character("🚑"),
    ]
    #expect(keys("aé日🚑") == expected)
    var parser = KeyParser()
    #expect(Array("aé日🚑".utf8).flatMap { parser.take([$0]) } == expected)
  }

  @Test("control characters and sequences of cursor keys are keys")
  func sequences() {
    // xterm's ctlseqs, "PC-Style Function Keys"; SS3 forms are those of application cursor mode.
    let table: [(String, ScreenKey)] = [
      ("\r", .enter), ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace), ("\u{08}", .backspace),
      ("\u{01}", .control("a")), ("\u{17}", .control("w")), ("\u{1B}[A", .up), ("\u{1B}OB", .down),
      ("\u{1B}[C", .right), ("\u{1B}OD", .left), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
      ("\u{1B}[1~", .home), ("\u{1B}OF", .end), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
      ("\u{1B}[6;5~", .pageDown), ("\u{1B}[1;5C", .right), ("\u{1B}[Z", .tab),
    ]
    for (text, key) in table { #expect(keys(text) == [key], "\(text.debugDescription)") }
  }

  @Test("what is no key is passed over, and what follows it is understood")
  func strangers() {
    #expect(keys("\u{1B}[200~x") == [.character("x")])
    #expect(keys("\u{1B}fx") == [.character("x")])
    #expect(
      keys("\u{1B}[" + String(repeating: "1", count: 10_000) + "Ax") == [.up, .character("x")])
    var parser = KeyParser()
    // A cut character, a continuation without a start, a byte that UTF-8 has not, a surrogate.
    #expect(parser.take([0xE6, 0x97, 0x61]) == [.character("a")])
    #expect(parser.take([0x80, 0xFF, 0xED, 0xA0, 0x80, 0x62]) == [.character("b")])
  }
}
