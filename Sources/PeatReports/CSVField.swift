package import WireBytes

/// Fields of a CSV line: quoted as RFC 4180 asks, and harmless in a spreadsheet.
extension OutputText {
  /// Appends text from anywhere as one field.
  ///
  /// What begins like a formula and is no number gets an apostrophe in front, and characters that
  /// would act on a terminal are replaced.
  package mutating func append(csv text: String) {
    let shown = text.replacingUnsafeCharacters()
    let isFormula = OutputText.beginsLikeFormula(text) && !OutputText.isNumber(text)
    let needsQuotes = shown.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    if needsQuotes { append("\"") }
    if isFormula { append("'") }
    for byte in shown.utf8 {
      if byte == 0x22 { append("\"") }
      append(ascii: byte)
    }
    if needsQuotes { append("\"") }
  }

  private static func beginsLikeFormula(_ text: String) -> Bool {
    switch text.unicodeScalars.first {
    case "=", "+", "-", "@", "\t", "\r", "\n": true
    default: false
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    let isPlain = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 == 0x65
        || $0 == 0x45
    }
    let endsWithDigit = (0x30...0x39).contains(last)
    return isPlain && endsWithDigit && first != 0x45 && first != 0x65 && Double(text) != nil
  }
}

extension String {
  /// The text with every character replaced that could act on a terminal (controls, bidi and other
  /// format characters, line separators); U+FFFD stands in.
  package func replacingUnsafeCharacters() -> String {
    guard unicodeScalars.contains(where: OutputText.isNeutralised) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      result.append(OutputText.isNeutralised(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
