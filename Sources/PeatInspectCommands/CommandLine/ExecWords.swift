import CommandLineOptions

/// `--exec CMD ARG... ;`: an option whose value is several words, up to a lone semicolon.
///
/// They are folded into one word before the command line is read. No word of a command line holds
/// a zero byte, so that one can stand between them.
enum ExecWords {
  private static let separator: Character = "\0"

  /// The command line with each `--exec` and its words made one.
  static func fold(_ arguments: [String]) throws(UsageError) -> [String] {
    var result: [String] = []
    var place = 0
    while place < arguments.count {
      let word = arguments[place]
      place += 1
      if word == "--" { return result + arguments[(place - 1)...] }
      guard word == "--exec" else {
        result.append(word)
        continue
      }
      guard let end = arguments[place...].firstIndex(of: ";"), end > place else {
        throw UsageError("--exec needs a program, its arguments and a lone ;", advice: "typed \\;")
      }
      let words = arguments[place..<end].joined(separator: String(separator))
      result.append("--exec=\(words)")
      place = end + 1
    }
    return result
  }

  /// The words of a folded value.
  static func unfold(_ value: String) throws(InvalidValue) -> [String] {
    let words = value.split(separator: separator, omittingEmptySubsequences: false)
    guard let program = words.first, !program.isEmpty else {
      throw InvalidValue("expected a program")
    }
    return words.map(String.init)
  }
}
