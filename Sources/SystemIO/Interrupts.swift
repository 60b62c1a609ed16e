import Glibc
import Synchronization

/// The signal that came last, 0 before one came. A handler can reach nothing but globals; these
/// three are atomic and are touched before any handler is installed.
private let lastSignal = Atomic<Int32>(0)
private let wakeUpWriteEnd = Atomic<Int32>(-1)
private let wakeUpReadEnd = Atomic<Int32>(-1)

/// Runs inside a signal handler: atomics and write(2) only, see signal-safety(7).
private func noteSignal(_ signal: Int32) {
  let saved = errno
  lastSignal.store(signal, ordering: .sequentiallyConsistent)
  var byte: UInt8 = 1
  _ = unsafe write(wakeUpWriteEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
  // The next one ends the process at once, which must not leave a full screen behind.
  TerminalGuard.guardNext(signal)
  errno = saved
}

/// SIGINT and SIGTERM as a flag that a loop looks at, and the quiet ends by a signal.
///
/// Without `watch()` both signals end the process as usual (status 130, cli.md "Exit status").
package enum Interrupts {
  /// The watched signal that came last, or nil.
  package static var received: Int32? {
    let signal = lastSignal.load(ordering: .sequentiallyConsistent)
    return signal == 0 ? nil : signal
  }

  /// A descriptor that becomes readable when a watched signal comes; -1 before `watch()`.
  package static var wakeUpDescriptor: Int32 {
    wakeUpReadEnd.load(ordering: .sequentiallyConsistent)
  }

  /// Turns SIGINT and SIGTERM into the flag `received`. The same signal a second time ends the
  /// process, so that a hung one can be stopped. The C function is sigaction(2).
  package static func watch() throws(Errno) {
    if wakeUpDescriptor < 0 {
      let (readEnd, writeEnd) = try Syscalls.wakeUpPipe()
      wakeUpReadEnd.store(readEnd, ordering: .sequentiallyConsistent)
      wakeUpWriteEnd.store(writeEnd, ordering: .sequentiallyConsistent)
    }
    lastSignal.store(0, ordering: .sequentiallyConsistent)
    for signal in [SIGINT, SIGTERM] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { noteSignal($0) }
      // No SA_RESTART: a blocked read must return. SA_RESETHAND: the second signal kills.
      action.sa_flags = oneShot
      if unsafe sigaction(signal, &action, nil) != 0 {
        throw Errno(code: errno, call: "sigaction")
      }
    }
    unblockEnding()
  }

  /// Whoever started us may have blocked the signals that end us; a child inherits that.
  private static func unblockEnding() {
    var mask = sigset_t()
    _ = unsafe sigemptyset(&mask)
    for signal in [SIGINT, SIGTERM] { _ = unsafe sigaddset(&mask, signal) }
    _ = unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
  }

  /// Whether a write to a closed pipe ends the process at once (the default, status 141), or comes
  /// back as an error whose `isBrokenPipe` is true: for commands that have something to save.
  package static func setBrokenPipeEndsProcess(_ ends: Bool) {
    _ = signal(SIGPIPE, ends ? SIG_DFL : SIG_IGN)
  }

  /// Ends the process as a closed pipe does by default (status 141): for where that signal was
  /// ignored by whoever started us.
  package static func endByBrokenPipe() -> Never { endProcess(by: SIGPIPE) }

  /// Ends the process by a signal, as if it had never been handled, so that a shell reports
  /// 128 + `number`. Returns never, whatever blocks the signal.
  package static func endProcess(by number: Int32) -> Never {
    _ = signal(number, SIG_DFL)
    var mask = sigset_t()
    _ = unsafe sigemptyset(&mask)
    _ = unsafe sigaddset(&mask, number)
    _ = unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
    exit(128 + number)
  }
}

/// SA_RESETHAND of sigaction(2), whose value is unsigned and `sa_flags` is not.
private let oneShot = Int32(bitPattern: 0x8000_0000)
