import CNcurses
import PeatReports
package import SystemIO

/// The terminal in full-screen mode, through ncurses.
///
/// Only one can exist at a time, as the library has one screen; it is left with `stop()`.
package final class CursesTerminal {
  private let usesColor: Bool
  private let isUTF8: Bool
  private var isRunning = false

  private let keys: FileDescriptor
  /// The descriptor that keys come from.
  package var keyDescriptor: Int32 { keys.rawValue }

  /// Prepares for the screen; nil where the terminal cannot have one (`TERM=dumb`, not set).
  ///
  /// ncurses puts handlers for SIGWINCH and SIGTSTP, so that size and suspension are its care; the
  /// signals that `Interrupts` watches stay watched.
  package init?(usesColor: Bool, environment: Environment) {
    guard let term = environment["TERM"], !term.isEmpty, term != "dumb", term != "unknown" else {
      return nil
    }
    // Standard input may be the capture; keys come from the terminal itself then.
    if FileDescriptor.standardInput.isTerminal {
      keys = FileDescriptor.standardInput
    } else {
      guard let terminal = try? FileDescriptor.open(readOnly: "/dev/tty") else { return nil }
      keys = terminal
    }
    self.usesColor = usesColor
    isUTF8 = peat_locale_is_utf8() != 0
  }

  /// Takes the screen over; false where terminfo(5) does not know the terminal.
  package func start() -> Bool {
    TerminalGuard.begin()
    guard peat_begin(keys.rawValue) != 0 else {
      TerminalGuard.end()
      return false
    }
    cbreak()
    noecho()
    nonl()
    unsafe keypad(peat_screen(), true)
    unsafe nodelay(peat_screen(), true)
    set_escdelay(25)
    curs_set(0)
    if usesColor, has_colors() {
      start_color()
      use_default_colors()
      init_pair(1, Int16(COLOR_WHITE), Int16(COLOR_RED))
      init_pair(2, Int16(COLOR_YELLOW), -1)
      init_pair(3, Int16(COLOR_GREEN), -1)
      init_pair(4, Int16(COLOR_CYAN), -1)
    }
    isRunning = true
    return true
  }

  /// Gives the screen back.
  package func stop() {
    guard isRunning else { return }
    isRunning = false
    endwin()
    TerminalGuard.end()
  }

  package var size: ScreenSize {
    ScreenSize(rows: Int(peat_rows()), columns: Int(peat_columns()))
  }

  /// The next key that was pressed; nil where none is left.
  package func key() -> ScreenKey? {
    var character: wint_t = 0
    while true {
      let result = unsafe get_wch(&character)
      if result == ERR { return nil }
      if result == KEY_CODE_YES {
        if let key = CursesTerminal.special(Int32(bitPattern: character)) { return key }
        continue
      }
      switch character {
      case 10, 13: return .enter
      case 27: return .escape
      case 8, 127: return .backspace
      case 9: return .tab
      case 1...26: return .control(Character(Unicode.Scalar(UInt8(96 + character))))
      case 0..<32: continue
      default:
        if let scalar = Unicode.Scalar(character) { return .character(Character(scalar)) }
      }
    }
  }

  private static func special(_ code: Int32) -> ScreenKey? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_DC: .delete
    case KEY_BTAB: .tab
    case KEY_F0 + 1: .help
    case KEY_RESIZE: .resize
    default: nil
    }
  }

  /// Has everything drawn anew, whatever the terminal shows.
  package func redraw() { unsafe clearok(peat_screen(), true) }

  /// Shows lines; the library sends only what changed.
  package func draw(_ lines: [ScreenLine]) {
    unsafe werase(peat_screen())
    for (row, line) in lines.enumerated() {
      var column = 0
      for part in line.parts {
        // Where the terminal counts a character otherwise, the next part still begins in its place.
        move(Int32(row), Int32(clamping: column))
        column += part.text.cellCount
        let attributes = attributes(part.style, isSelected: line.isSelected)
        turnOn(attributes)
        unsafe addstr(isUTF8 ? part.text : CursesTerminal.plain(part.text))
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
        case "○": "."
        default: "?"
        }
      })
  }
}
