import CNcurses
import PeatReports

/// Puts lines on the library's screen.
struct ScreenPainter: Sendable {
  let usesColor: Bool
  let isUTF8: Bool

  func draw(_ lines: [ScreenLine]) {
    unsafe werase(peat_screen())
    for (row, line) in lines.enumerated() {
      var column = 0
      for part in line.parts {
        // Where the terminal counts a character otherwise, the next part still begins in its place.
        move(Int32(row), Int32(clamping: column))
        column += part.text.cellCount
        let attributes = attributes(part.style, isSelected: line.isSelected)
        turnOn(attributes)
        unsafe addstr(isUTF8 ? part.text : ScreenPainter.plain(part.text))
        turnOff(attributes)
      }
    }
    refresh()
  }

  private func turnOn(_ attributes: attr_t) { _ = unsafe wattr_on(peat_screen(), attributes, nil) }

  private func turnOff(_ attributes: attr_t) {
    _ = unsafe wattr_off(peat_screen(), attributes, nil)
  }

  private func attributes(_ style: ScreenStyle, isSelected: Bool) -> attr_t {
    var result: attr_t = isSelected ? peat_attribute_reverse() : 0
    switch style {
    case .plain: break
    case .bold: result |= peat_attribute_bold()
    case .faint: result |= isSelected ? 0 : peat_attribute_dim()
    case .title: result |= peat_attribute_reverse()
    case .alarm:
      result |= peat_attribute_bold() | (usesColor ? peat_color_pair(1) : peat_attribute_reverse())
    case .warning: result |= peat_attribute_bold() | color(2)
    case .good: result |= color(3)
    case .name: result |= color(4)
    }
    return result
  }

  private func color(_ pair: Int32) -> attr_t { usesColor ? peat_color_pair(pair) : 0 }

  /// What a terminal without UTF-8 can show.
  private static func plain(_ text: String) -> String {
    String(
      text.map { character in
        if character.isASCII { return character }
        return switch character {
        case "→": ">"
        case "←": "<"
        case "…": "~"
        case "●": "*"
        case "◐": "o"
        case "○", "·": "."
        case "█": "#"
        case "▄": "+"
        default: "?"
        }
      })
  }
}
