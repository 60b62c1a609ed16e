import Foundation
import Testing

@testable import SystemIO

@Suite struct TerminalTests {
  @Test("auto colours a terminal unless the environment says no")
  func color() {
    let table: [([String: String], Bool, Bool)] = [
      (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false),
      (["TERM": "dumb"], true, false), ([:], true, false),
      (["TERM": "xterm", "NO_COLOR": "1"], true, false),
      (["TERM": "xterm", "NO_COLOR": ""], true, true),
    ]
    for (variables, isTerminal, expected) in table {
      let environment = Environment(variables)
      let uses = Terminal.usesColor(.auto, isTerminal: isTerminal, environment: environment)
      #expect(uses == expected, "\(variables), terminal: \(isTerminal)")
      #expect(Terminal.usesColor(.always, isTerminal: isTerminal, environment: environment))
      #expect(!Terminal.usesColor(.never, isTerminal: isTerminal, environment: environment))
    }
  }

  @Test("without a terminal COLUMNS gives the width, else 80")
  func columnsElsewhere() throws {
    let file = try FileDescriptor.open(readOnly: "/dev/null")
    let table = [("132", 132), ("0", 80), ("-5", 80), ("wide", 80), ("99999999999", 80)]
    for (value, expected) in table {
      let environment = Environment(["COLUMNS": value])
      #expect(Terminal.columns(of: file, environment: environment) == expected)
    }
    #expect(Terminal.columns(of: file, environment: Environment([:])) == 80)
    let isTerminal = file.isTerminal
    #expect(!isTerminal)
  }

  @Test("a terminal tells its width")
  func terminalColumns() throws {
    let owner = FileDescriptor(open("/dev/ptmx", O_RDWR | O_NOCTTY))
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): unlock the other side and learn its number.
    var lock: Int32 = 0
    var number: UInt32 = 0
    guard ioctl(owner.rawValue, 0x4004_5431, &lock) == 0,
      ioctl(owner.rawValue, 0x8004_5430, &number) == 0
    else { return }
    let terminal = FileDescriptor(open("/dev/pts/\(number)", O_RDWR | O_NOCTTY))
    var size = winsize(ws_row: 24, ws_col: 123, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(owner.rawValue, UInt(TIOCSWINSZ), &size) == 0)
    let isTerminal = terminal.isTerminal
    #expect(isTerminal)
    #expect(
      Terminal.columns(of: terminal, environment: Environment(["COLUMNS": "50"])) == 123)
  }

  @Test("the process's own variables are found")
  func processEnvironment() {
    #expect(Environment()["PATH"] == ProcessInfo.processInfo.environment["PATH"])
    #expect(Environment()["NO_SUCH_VARIABLE_HERE"] == nil)
  }
}

/// In processes of their own: the C library reads `TZ` for all of a process.
@Suite struct LocalTimeZoneTests {
  @Test("offsets follow summer time")
  func offsets() async {
    await #expect(processExitsWith: .success) {
      // The rule of central Europe in POSIX notation, independent of installed zone files.
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      let zone = LocalTimeZone()
      // 2026-01-15 12:00 UTC and 2026-07-15 12:00 UTC.
      #expect(zone.offset(at: 1_768_478_400) == 3600)
      #expect(zone.offset(at: 1_784_116_800) == 7200)
      #expect(zone.offset(at: Int64.max) == 0)
    }
  }

  @Test("civil times are found, and those that the clock jumped over or no calendar has are not")
  func instants() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      let zone = LocalTimeZone()
      func instant(_ y: Int, _ m: Int, _ d: Int, _ h: Int, _ min: Int, _ s: Int) -> Int64? {
        zone.instant(of: .init(year: y, month: m, day: d, hour: h, minute: min, second: s))
      }
      #expect(instant(2026, 1, 15, 13, 0, 0) == 1_768_478_400)
      #expect(instant(2026, 7, 15, 14, 0, 0) == 1_784_116_800)
      // One second before 1970 UTC, where mktime's answer is the one that also means an error.
      #expect(instant(1970, 1, 1, 0, 59, 59) == -1)
      // On 29 March 2026 the clock goes from 02:00 to 03:00.
      #expect(instant(2026, 3, 29, 2, 30, 0) == nil)
      #expect(instant(2026, 2, 29, 12, 0, 0) == nil)
      #expect(instant(2026, 4, 31, 12, 0, 0) == nil)
      #expect(instant(2026, 13, 1, 12, 0, 0) == nil)
      #expect(instant(Int.max, 1, 1, 0, 0, 0) == nil)
      #expect(instant(2026, 1, 1, 24, 0, 0) == nil)
    }
  }
}

@Suite struct MonotonicClockTests {
  @Test("the clock does not run backwards, and the wall clock is in this century")
  func order() {
    let first = MonotonicClock.nanoseconds()
    #expect(MonotonicClock.nanoseconds() >= first)
    #expect(MonotonicClock.wallNanoseconds() > 946_684_800_000_000_000)
  }
}

/// Lets this thread take the signals, which the threads that run tests block.
private func takeSignals() {
  var mask = sigset_t()
  sigemptyset(&mask)
  sigaddset(&mask, SIGINT)
  sigaddset(&mask, SIGTERM)
  pthread_sigmask(SIG_UNBLOCK, &mask, nil)
}

/// In processes of their own: signals reach all of a process.
@Suite struct InterruptsTests {
  @Test("a watched signal becomes a flag and ends waits and reads")
  func flag() async {
    await #expect(processExitsWith: .success) {
      takeSignals()
      try Interrupts.watch()
      #expect(Interrupts.received == nil)
      let pipe = Pipe()
      let reader = FileDescriptor(pipe.fileHandleForReading.fileDescriptor, closesAtEnd: false)
      #expect(try reader.wait(milliseconds: 0) == .timedOut)
      raise(SIGTERM)
      #expect(Interrupts.received == SIGTERM)
      #expect(try reader.wait(milliseconds: nil) == .interrupted)
      var entry = pollfd(fd: Interrupts.wakeUpDescriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&entry, 1, 0) == 1)
      withExtendedLifetime(pipe) {}
    }
  }

  @Test("a call that a watched signal broke into is not tried again")
  func interruptedCall() async {
    await #expect(processExitsWith: .success) {
      takeSignals()
      try Interrupts.watch()
      raise(SIGINT)
      #expect(throws: Errno(code: EINTR, call: "read")) {
        try Syscalls.retrying("read", path: nil) {
          errno = EINTR
          return -1
        }
      }
    }
  }

  @Test("the same signal a second time ends the process")
  func second() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      takeSignals()
      try Interrupts.watch()
      raise(SIGINT)
      raise(SIGINT)
    }
  }

  @Test("ending by a signal is what the parent sees", arguments: [SIGPIPE, SIGINT])
  func ending(number: Int32) async {
    await #expect(processExitsWith: .signal(number)) { [number] in
      signal(number, SIG_IGN)
      Interrupts.endProcess(by: number)
    }
  }
}
