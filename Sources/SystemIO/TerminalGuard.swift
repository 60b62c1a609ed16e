import Glibc
import Synchronization

/// Where the settings of the terminal lie that a crash gives back; 0 while none is guarded.
private let savedSettings = Atomic<UInt>(0)
/// Whether the alternate screen is in use.
private let isFullScreen = Atomic<Bool>(false)

/// Lets go of the mouse, leaves the alternate screen, shows the cursor, plain colours, keypad off: as xterm and all that
/// follow it understand (`rmcup`, `cnorm`, `sgr0`, `rmkx` of terminfo(5)).
private let restoring: StaticString =
  "\u{1B}[?1006;1000l\u{1B}[?1049l\u{1B}[?25h\u{1B}[0m\u{1B}[?1l\u{1B}>\r\n"

/// Begins a line behind a prompt.
private let lineEnd: StaticString = "\r\n"

/// Runs inside a signal handler: write(2), tcsetattr(3), tcflush(3), tcflow(3), signal(2), raise(3)
/// only, see signal-safety(7).
private func restoreAndDie(_ number: Int32) {
  let address = savedSettings.exchange(0, ordering: .sequentiallyConsistent)
  if let settings = unsafe UnsafePointer<termios>(bitPattern: address) {
    // A terminal that nobody reads would hold up the process for ever.
    TerminalGuard.discardOutput()
    // The texts are constant and the settings were never freed.
    let text = isFullScreen.load(ordering: .sequentiallyConsistent) ? restoring : lineEnd
    unsafe write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    unsafe tcsetattr(STDOUT_FILENO, TCSANOW, settings)
  }
  _ = signal(number, SIG_DFL)
  raise(number)
}

/// Gives the terminal back as it was, even where the process crashes in full-screen mode or at a
/// prompt.
package enum TerminalGuard {
  /// Signals that end a process and that nothing else handles here.
  private static let fatal = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGHUP, SIGQUIT]

  /// Remembers the terminal's settings and watches for what would end the process.
  ///
  /// - Parameter leavesScreen: whether the alternate screen is to be left then.
  package static func begin(leavesScreen: Bool = true) {
    let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    guard unsafe tcgetattr(STDOUT_FILENO, settings) == 0 else {
      unsafe settings.deallocate()
      return
    }
    isFullScreen.store(leavesScreen, ordering: .sequentiallyConsistent)
    // Never freed: a handler may be reading it.
    savedSettings.store(UInt(bitPattern: settings), ordering: .sequentiallyConsistent)
    for number in fatal where !Interrupts.watches(number) {
      _ = signal(number, { restoreAndDie($0) })
    }
  }

  /// Gives the terminal back at the next signal of this number, where it is guarded. Safe inside a
  /// signal handler.
  static func guardNext(_ number: Int32) {
    guard savedSettings.load(ordering: .sequentiallyConsistent) != 0 else { return }
    _ = signal(number, { restoreAndDie($0) })
  }

  /// Throws away what was written to the terminal and not taken yet, and lets writers go on. The C
  /// functions are tcflush(3) and tcflow(3).
  package static func discardOutput() {
    tcflush(STDOUT_FILENO, TCOFLUSH)
    // A pseudo-terminal wakes those who wait for room only when its output is started again.
    tcflow(STDOUT_FILENO, TCOOFF)
    tcflow(STDOUT_FILENO, TCOON)
  }

  /// The terminal was given back in the usual way.
  package static func end() {
    savedSettings.store(0, ordering: .sequentiallyConsistent)
    for number in fatal where !Interrupts.watches(number) { _ = signal(number, SIG_DFL) }
  }
}
