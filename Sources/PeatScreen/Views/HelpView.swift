import PeatReports

/// What the keys do.
enum HelpView {
  private static let keys: [(String, String)] = [
    ("up k, down j", "select a message"), ("page up b, page down", "a page at a time"),
    ("home g, end G", "the oldest, the newest (and follow)"),
    ("enter", "fields and bytes of the message; J and K scroll"),
    ("p, space", "pause and go on; nothing is lost"), ("f", "follow what comes"),
    ("/", "show only what holds a text; esc shows all"),
    ("t", "go to a time; [ and ] go 10 s back and forth"),
    ("m, '", "mark a message, go to the next mark"),
    ("s", "save the marked messages, or all, as NDJSON"), ("q", "quit; ctrl-z suspends"),
  ]

  static func lines(_ columns: Int) -> [ScreenLine] {
    keys.map { key, meaning in
      var line = ScreenLine()
      line.add("  " + key.cells(22), .bold)
      line.add(meaning.cutToCells(columns - 24))
      return line
    }
  }
}
