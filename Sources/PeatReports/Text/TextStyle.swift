package import WireBytes

/// How text output looks: width, colour, and the way time is shown.
package struct TextStyle: Sendable {
  /// How a row's time is printed.
  package enum Clock: Sendable {
    case utc
    case local
    /// Seconds from the first packet.
    case relative
  }

  /// Columns that a line may take.
  package var columns: Int
  package var usesColor: Bool
  package var clock: Clock
  /// Whether nothing is folded and more is told.
  package var isVerbose: Bool
  /// Whether each message names the Wireshark filter that shows its packets.
  package var namesFilter = false
  /// Whether the locale's characters are ASCII's.
  package var isASCII = false
  /// Seconds east of Greenwich for an instant, for local time.
  package var zone: @Sendable (Timestamp) -> Int

  package init(
    columns: Int, usesColor: Bool, clock: Clock, isVerbose: Bool,
    zone: @escaping @Sendable (Timestamp) -> Int
  ) {
    self.columns = max(40, columns)
    self.usesColor = usesColor
    self.clock = clock
    self.isVerbose = isVerbose
    self.zone = zone
  }

  /// The civil time that is shown for an instant.
  func civil(_ time: Timestamp) -> CivilTime {
    CivilTime(time, offsetSeconds: clock == .local ? zone(time) : 0)
  }

  /// The zone's name behind times: `UTC`, `+01:00`.
  func zoneName(_ time: Timestamp) -> String {
    let offset = clock == .local ? zone(time) : 0
    if offset == 0 { return "UTC" }
    let minutes = abs(offset) / 60
    var text = OutputText(capacity: 8)
    text.append(raw: offset < 0 ? "-" : "+")
    text.append(decimal: minutes / 60, width: 2)
    text.append(":")
    text.append(decimal: minutes % 60, width: 2)
    return String(decoding: text.slice, as: UTF8.self)
  }

  /// Paints text, where colour is wanted; the meaning never hangs on colour alone.
  func paint(_ text: String, _ paint: Paint) -> String {
    usesColor ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// SGR codes that read on a light and on a dark background.
  enum Paint: String {
    case bold = "1"
    case faint = "2"
    case alarm = "1;97;41"
    case good = "32"
    case warning = "33"
    case bad = "1;31"
    case name = "36"
  }
}

extension String {
  /// Columns that the text takes in a terminal: two for wide East Asian characters and emoji,
  /// none for combining marks (Unicode Standard Annex 11).
  var columns: Int {
    var columns = 0
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x300: columns += 1
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        columns += 2
      default:
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: break
        default: columns += 1
        }
      }
    }
    return columns
  }

  /// The text filled with spaces to a number of columns.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The text behind as many spaces as fill a number of columns.
  func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }

  /// The text in lines of at most so many columns, broken between words where that is possible.
  func broken(to width: Int) -> [String] {
    guard columns > width else { return [self] }
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if !line.isEmpty, line.columns + String(word).columns + 1 > width {
        lines.append(line)
        line = "  "
      }
      line += (line.isEmpty || line == "  " ? "" : " ") + word
    }
    return lines + [line]
  }

  /// The text cut to a number of columns, with an ellipsis where something is missing.
  func cut(to width: Int) -> String {
    guard columns > width else { return self }
    var result = ""
    var used = 0
    for character in self {
      let size = String(character).columns
      if used + size > width - 1 { break }
      used += size
      result.append(character)
    }
    return result + "…"
  }
}

extension OutputText {
  /// Appends an instant in the zone of a style: `2026-03-01T12:33:57.481068+01:00`.
  package mutating func append(instant time: Timestamp, style: TextStyle) {
    guard style.clock == .local, style.zone(time) != 0 else {
      append(utc: time)
      return
    }
    let civil = style.civil(time)
    append(date: civil)
    append("T")
    append(clock: civil, decimals: time.isNanosecondPrecise ? 9 : 6)
    append(raw: style.zoneName(time))
  }
}
