import CNcurses
package import SystemIO

/// The terminal in full-screen mode, through ncurses.
///
/// Only one can exist at a time, as the library has one screen; it is left with `stop()`.
package final class CursesTerminal {
  /// How long a drawing is waited for before other work goes on beside it.
  private static let patience: Int32 = 20
  /// How long the last drawing is waited for at the end.
  private static let lastPatience: Int32 = 300

  private let painter: ScreenPainter
  private var isRunning = false
  /// Draws, as a terminal that nobody reads holds up whoever writes to it.
  private var worker: BackgroundWorker<[ScreenLine]>?
  private var isDrawing = false

  private let keys: FileDescriptor
  /// The descriptor that keys come from, or while the terminal is busy, the end of that.
  package var keyDescriptor: Int32 {
    if isDrawing, let worker { return worker.doneDescriptor }
    return keys.rawValue
  }

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
    painter = ScreenPainter(usesColor: usesColor, isUTF8: peat_locale_is_utf8() != 0)
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
    peat_mouse_begin()
    curs_set(0)
    if painter.usesColor, has_colors() {
      start_color()
      use_default_colors()
      init_pair(1, Int16(COLOR_WHITE), Int16(COLOR_RED))
      init_pair(2, Int16(COLOR_YELLOW), -1)
      init_pair(3, Int16(COLOR_GREEN), -1)
      init_pair(4, Int16(COLOR_CYAN), -1)
    }
    // Without a thread, a terminal that nobody reads is waited for.
    worker = try? BackgroundWorker { [painter] in painter.draw($0) }
    isRunning = true
    return true
  }

  /// Gives the screen back.
  package func stop() {
    guard isRunning else { return }
    isRunning = false
    if isDrawing, let worker, !worker.wait(milliseconds: CursesTerminal.lastPatience) {
      // What the terminal did not take is thrown away, so that the drawing ends.
      TerminalGuard.discardOutput()
      _ = worker.wait(milliseconds: CursesTerminal.lastPatience)
    }
    endwin()
    TerminalGuard.end()
  }

  package var size: ScreenSize {
    ScreenSize(rows: Int(peat_rows()), columns: Int(peat_columns()))
  }

  /// The next key that was pressed; nil where none is left.
  package func key() -> ScreenKey? {
    guard isReady else { return nil }
    var character: wint_t = 0
    while true {
      let result = unsafe get_wch(&character)
      if result == ERR { return nil }
      if result == KEY_CODE_YES {
        if Int32(bitPattern: character) == KEY_MOUSE {
          if let key = CursesTerminal.mouse() { return key }
          continue
        }
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

  private static func mouse() -> ScreenKey? {
    var row: Int32 = 0
    var column: Int32 = 0
    let action: MouseAction
    switch unsafe peat_mouse(&row, &column) {
    case 1: action = .press
    case 2: action = .wheelUp
    case 3: action = .wheelDown
    default: return nil
    }
    return .mouse(action, row: Int(row), column: Int(column))
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

  /// Shows lines; the library sends only what changed. Nothing is shown while the terminal does not
  /// take what came before.
  package func draw(_ lines: [ScreenLine]) {
    guard isReady else { return }
    guard let worker else { return painter.draw(lines) }
    worker.start(lines)
    isDrawing = !worker.wait(milliseconds: CursesTerminal.patience)
  }

  /// Whether the terminal took all that was drawn.
  package var isReady: Bool {
    if isDrawing, let worker { isDrawing = !worker.wait(milliseconds: 0) }
    return !isDrawing
  }
}
