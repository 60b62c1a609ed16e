/// Text for a terminal whose locale has no UTF-8: each character beyond ASCII as one that looks
/// alike, of one column too, so that tables stay straight.
package enum ASCIISpelling {
  /// Whether the environment asks for it: the first of LC_ALL, LC_CTYPE and LANG that is set names
  /// a locale of another character set than UTF-8 (setlocale(3)).
  ///
  /// Where none is set nothing is known, and UTF-8 is what terminals of this day take.
  package static func isAsked(by environment: Environment) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
    else { return false }
    let lower = locale.lowercased()
    return !lower.contains("utf-8") && !lower.contains("utf8")
  }

  /// The bytes with every character beyond ASCII replaced; what is no UTF-8 becomes `?`.
  package static func spell(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var spelled: [UInt8] = []
    spelled.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.isASCII {
        spelled.append(UInt8(scalar.value))
      } else if !scalar.properties.isJoining {
        spelled.append(lookalike(scalar))
      }
    }
    return spelled
  }

  private static func lookalike(_ scalar: Unicode.Scalar) -> UInt8 {
    switch scalar {
    case "→", "›", "»", "▶", "⟶": ascii(">")
    case "←", "‹", "«", "◀", "⟵": ascii("<")
    case "⇄", "↔", "⇆", "═": ascii("=")
    case "·", "•", "●", "◆": ascii("*")
    case "…": ascii("~")
    case "–", "—", "−", "─", "╌", "┄": ascii("-")
    case "│", "┃", "▏", "▕", "╎": ascii("|")
    case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "╭", "╮", "╰", "╯": ascii("+")
    case "×", "✗", "✘": ascii("x")
    case "✓", "✔": ascii("v")
    case "▲", "△", "↑": ascii("^")
    case "▼", "▽", "↓": ascii("v")
    case "≥": ascii(">")
    case "≤": ascii("<")
    case "≈", "∼": ascii("~")
    case "°": ascii("o")
    case "±": ascii("+")
    case "µ", "μ": ascii("u")
    case "‘", "’": ascii("'")
    case "“", "”": ascii("\"")
    case "\u{2580}"..."\u{259F}": ascii("#")
    case "\u{A0}", "\u{2000}"..."\u{200A}", "\u{202F}": ascii(" ")
    default: ascii("?")
    }
  }

  private static func ascii(_ character: Unicode.Scalar) -> UInt8 {
    UInt8(truncatingIfNeeded: character.value)
  }
}

extension Unicode.Scalar.Properties {
  /// Whether the scalar takes no column of its own.
  fileprivate var isJoining: Bool {
    generalCategory == .nonspacingMark || generalCategory == .enclosingMark
      || generalCategory == .format
  }
}
