// What strangers' radios sent on its way to a terminal, a spreadsheet or a page: the one place that
// knows what must not get there as it is.

extension OutputText {
  /// Marks that a letter may carry; no writing stacks more (Unicode 2.11, "Combining Characters").
  public static let marksPerLetter = 4

  /// Whether a character must not reach a terminal, a spreadsheet or a page as it is: controls,
  /// format and bidi controls, line separators, surrogates' stand-ins and private use.
  public static func isNeutralised(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x20 || scalar.value == 0x7F { return true }
    if scalar.value < 0x80 { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      true
    default: false
    }
  }

  /// The text with U+FFFD in the place of what must not be shown: what `isNeutralised` tells, and
  /// marks that have no letter before them or come after `marksPerLetter` others on one.
  public static func neutral(_ text: String) -> String {
    var neutraliser = Neutraliser()
    // Nearly all text passes as it is, and is not copied then.
    guard text.unicodeScalars.contains(where: { neutraliser.replaces($0) }) else { return text }
    neutraliser = Neutraliser()
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(neutraliser.replaces(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }

  /// Tells of one character after the other whether it is replaced.
  struct Neutraliser {
    /// Marks that may still follow; none before the first letter, as they would sit on what we print.
    private var marksLeft = 0

    mutating func replaces(_ scalar: Unicode.Scalar) -> Bool {
      if scalar.value < 0x300 {
        marksLeft = OutputText.marksPerLetter
        return OutputText.isNeutralised(scalar)
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .spacingMark:
        if marksLeft == 0 { return true }
        marksLeft -= 1
        return false
      default:
        marksLeft = OutputText.marksPerLetter
        return OutputText.isNeutralised(scalar)
      }
    }
  }
}

// MARK: - CSV fields

extension OutputText {
  /// Appends text as one CSV field that neither a terminal nor a spreadsheet acts on.
  ///
  /// Quoted as RFC 4180 asks; what a spreadsheet would run gets an apostrophe in front; characters
  /// that must not be shown are replaced.
  public mutating func append(csvField text: String) {
    let needsQuotes = text.utf8.contains {
      $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D
    }
    if needsQuotes { append("\"") }
    if OutputText.isFormula(text) { append("'") }
    var neutraliser = Neutraliser()
    for scalar in text.unicodeScalars {
      if scalar == "\"" {
        append("\"\"")
        _ = neutraliser.replaces(scalar)
      } else if neutraliser.replaces(scalar) {
        append("\u{FFFD}")
      } else {
        append(raw: String(scalar))
      }
    }
    if needsQuotes { append("\"") }
  }

  /// Whether some spreadsheet runs a field: it begins with `=`, `+`, `-` or `@`, also in their full
  /// and small widths, which some programs fold, and behind spaces, which some cut off.
  private static func isFormula(_ text: String) -> Bool {
    let first = text.unicodeScalars.first {
      !($0 == " " || $0.value > 0x7F && $0.properties.generalCategory == .spaceSeparator)
    }
    switch first {
    case "\t", "\r", "\n": return true
    case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{FE66}", "\u{FE62}",
      "\u{FE63}", "\u{FE6B}":
      return !isNumber(text)
    default: return false
    }
  }

  /// Whether a text is a number in digits, and nothing that reads as one (`-inf`, `+nan(...)`).
  private static func isNumber(_ text: String) -> Bool {
    Double(text) != nil
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
      }
  }
}
