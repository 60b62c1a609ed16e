import WireBytes

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
