import PeatReports

/// What the keys do, of the table that the keyboard goes by, and the commands of the view's owner.
enum HelpView {
  static func lines(_ columns: Int, commands: [String]) -> [ScreenLine] {
    let bindings = KeyBinding.all.filter {
      !commands.isEmpty || $0.label != KeyBinding.command.label
    }
    var lines = bindings.map { binding in
      var line = ScreenLine()
      line.add("  " + binding.label.cells(20), .bold)
      line.add(" " + binding.meaning.cutToCells(columns - 23))
      return line
    }
    lines += commands.map { ScreenLine("  :" + $0.cutToCells(columns - 3)) }
    return lines
  }

  /// A text of others, in lines that fit.
  static func lines(_ columns: Int, text: [String]) -> [ScreenLine] {
    text.flatMap { wrapped($0.replacingUnsafeCharacters(), columns - 1) }
      .map { ScreenLine(" " + $0) }
  }

  private static func wrapped(_ text: String, _ columns: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = lines[lines.count - 1] + (lines[lines.count - 1].isEmpty ? "" : " ") + word
      if longer.cellCount <= columns {
        lines[lines.count - 1] = longer
      } else {
        lines.append(String(word).cutToCells(columns))
      }
    }
    return lines
  }
}
