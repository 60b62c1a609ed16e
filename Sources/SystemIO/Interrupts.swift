import Glibc
import Synchronization

/// The signal that came last, 0 before one came. A handler can reach nothing but globals; these
/// are atomic and are touched before any handler is installed.
private let lastSignal = Atomic<Int32>(0)
/// Whether SIGUSR1 came and was not taken yet.
private let hasRequest = Atomic<Bool>(false)
/// Whether SIGHUP is watched.
private let watchesHangUp = Atomic<Bool>(false)
private let wakeUpWriteEnd = Atomic<Int32>(-1)
private let wakeUpReadEnd = Atomic<Int32>(-1)

/// Runs inside a signal handler: atomics and write(2) only, see signal-safety(7).
private func noteSignal(_ signal: Int32) {
  let saved = errno
  lastSignal.store(signal, ordering: .sequentiallyConsistent)
  wakeUp()
  // The next one ends the process at once, which must not leave a full screen behind.
  TerminalGuard.guardNext(signal)
  errno = saved
}

/// Ends a wait in poll(2); safe inside a signal handler.
private func wakeUp() {
  var byte: UInt8 = 1
  _ = unsafe write(wakeUpWriteEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
}

/// SIGINT, SIGTERM and SIGHUP as a flag that a loop looks at, SIGUSR1 as a request, and the quiet
/// ends by a signal.
///
/// Without `watch()` these signals end the process as usual (status 130, cli.md "Exit status").
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

  /// Turns SIGINT, SIGTERM and SIGHUP into the flag `received`. The same signal a second time ends
  /// the process, so that a hung one can be stopped. SIGHUP stays ignored where whoever started us
  /// wants that (nohup(1)). The C function is sigaction(2).
  package static func watch() throws(Errno) {
    if wakeUpDescriptor < 0 {
      let (readEnd, writeEnd) = try Syscalls.wakeUpPipe()
      wakeUpReadEnd.store(readEnd, ordering: .sequentiallyConsistent)
      wakeUpWriteEnd.store(writeEnd, ordering: .sequentiallyConsistent)
    }
    lastSignal.store(0, ordering: .sequentiallyConsistent)
    watchesHangUp.store(!isIgnored(SIGHUP), ordering: .sequentiallyConsistent)
    for signal in [SIGINT, SIGTERM, SIGHUP] where signal != SIGHUP || watches(SIGHUP) {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { noteSignal($0) }
      // No SA_RESTART: a blocked read must return. SA_RESETHAND: the second signal kills.
      action.sa_flags = oneShot
      if unsafe sigaction(signal, &action, nil) != 0 {
        throw Errno(code: errno, call: "sigaction")
      }
    }
    unblock([SIGINT, SIGTERM, SIGHUP])
  }

  /// Whoever started us may have blocked the signals that are for us; a child inherits that.
  private static func unblock(_ signals: [Int32]) {
    var mask = sigset_t()
    _ = unsafe sigemptyset(&mask)
    for signal in signals { _ = unsafe sigaddset(&mask, signal) }
    _ = unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
  }

  /// Whether a signal is one that would end the process and is a flag instead.
  static func watches(_ signal: Int32) -> Bool {
    signal == SIGHUP && watchesHangUp.load(ordering: .sequentiallyConsistent)
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    // SIG_IGN is the number 1 in the place of a function.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Turns SIGUSR1 into a request that `takeRequest` gives; after `watch()`, whose descriptor it
  /// wakes. The C function is sigaction(2).
  package static func watchRequests() throws(Errno) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      let saved = errno
      hasRequest.store(true, ordering: .sequentiallyConsistent)
      wakeUp()
      errno = saved
    }
    action.sa_flags = SA_RESTART
    if unsafe sigaction(SIGUSR1, &action, nil) != 0 { throw Errno(code: errno, call: "sigaction") }
    unblock([SIGUSR1])
  }

  /// Whether SIGUSR1 came since the last call.
  package static func takeRequest() -> Bool {
    guard hasRequest.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    // A signal that ends is seen by its flag, so that its byte may go too.
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(wakeUpDescriptor, &bytes, bytes.count) > 0 {}
    return true
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
