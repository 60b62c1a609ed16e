import PeatReports

/// What the keys do, of the table that the keyboard goes by.
enum HelpView {
  static func lines(_ columns: Int) -> [ScreenLine] {
    KeyBinding.all.map { binding in
      var line = ScreenLine()
      line.add("  " + binding.label.cells(20), .bold)
      line.add(" " + binding.meaning.cutToCells(columns - 23))
      return line
    }
  }
}
