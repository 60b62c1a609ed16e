import Glibc
import Synchronization

/// Where the terminal's settings lie, as they were and as a prompt wants them; 0 while there is no
/// prompt. A signal handler can reach nothing but globals.
private let usualSettings = Atomic<UInt>(0)
private let promptSettings = Atomic<UInt>(0)
/// Whether the process was suspended since somebody asked.
private let wasSuspended = Atomic<Bool>(false)

private func apply(_ settings: borrowing Atomic<UInt>) {
  let address = settings.load(ordering: .sequentiallyConsistent)
  if let settings = unsafe UnsafePointer<termios>(bitPattern: address) {
    // The settings were never freed.
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, settings)
  }
}

/// Runs inside a signal handler: tcsetattr(3), signal(2), sigprocmask(2), raise(3) and atomics only,
/// see signal-safety(7).
private func suspend(_ number: Int32) {
  let saved = errno
  apply(usualSettings)
  _ = signal(SIGTSTP, SIG_DFL)
  var mask = sigset_t()
  _ = unsafe sigemptyset(&mask)
  _ = unsafe sigaddset(&mask, SIGTSTP)
  _ = unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
  raise(SIGTSTP)
  // Here the process goes on.
  _ = signal(SIGTSTP, { suspend($0) })
  apply(promptSettings)
  wasSuspended.store(true, ordering: .sequentiallyConsistent)
  errno = saved
}

/// The terminal on standard input set so that keys come one by one and are not shown by it; the keys
/// that send signals still do.
package enum PromptMode {
  /// Begins; false where there is no terminal. A crash and a suspension give the terminal back.
  package static func begin() -> Bool {
    let usual = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    guard unsafe tcgetattr(STDIN_FILENO, usual) == 0 else {
      unsafe usual.deallocate()
      return false
    }
    // Neither is ever freed: a handler may be reading it.
    let prompt = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    var settings = unsafe usual.pointee
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    unsafe prompt.initialize(to: settings)
    TerminalGuard.begin(leavesScreen: false)
    usualSettings.store(UInt(bitPattern: usual), ordering: .sequentiallyConsistent)
    promptSettings.store(UInt(bitPattern: prompt), ordering: .sequentiallyConsistent)
    _ = signal(SIGTSTP, { suspend($0) })
    apply(promptSettings)
    return true
  }

  /// Whether the process was suspended since the last call, so that the prompt is to be drawn again.
  package static func takeSuspension() -> Bool {
    wasSuspended.exchange(false, ordering: .sequentiallyConsistent)
  }

  /// Gives the terminal back as it was.
  package static func end() {
    _ = signal(SIGTSTP, SIG_DFL)
    apply(usualSettings)
    usualSettings.store(0, ordering: .sequentiallyConsistent)
    promptSettings.store(0, ordering: .sequentiallyConsistent)
    TerminalGuard.end()
  }
}
