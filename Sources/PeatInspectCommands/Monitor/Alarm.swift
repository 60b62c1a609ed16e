import CommandLineOptions
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// Watches for alerts, rings, and runs the user's programs.
struct Alarm {
  /// Programs that run at a time; a flood of alerts starts no more.
  private static let processLimit = 16
  /// Alerts whose program was not started that are told one by one.
  private static let complaintLimit = 20
  /// How long the programs of the last alerts are waited for at the end.
  private static let patience: UInt64 = 5_000_000_000

  private let conditions: [AlertCondition]
  private let commands: [[String]]
  /// Where the bell is rung: a terminal, as in a file it would be noise; nil where there is none.
  private let bell: OutputSink?
  private var running: [ChildProcess] = []
  /// Programs that were not started, and what a screen keeps from being said of them.
  private var complaints = 0
  private var held: [String] = []
  private var lastMessage: UInt64 = 0
  /// The silences told since the last message.
  private var told: [UInt64] = []
  /// Alerts so far.
  private(set) var count = 0
  /// Whether the programs' own output would disturb a screen.
  var isSilent = false

  init(_ configuration: MonitorConfiguration) {
    conditions = configuration.alerts
    commands = configuration.raw.monitor.commands
    bell = configuration.raw.monitor.rings ? Alarm.terminal() : nil
  }

  /// The run begins at a moment of the input.
  mutating func begin(at moment: UInt64) { lastMessage = moment }

  /// Takes notice of a message.
  mutating func hear(
    _ row: TimelineRow, at moment: UInt64, engine: MonitorEngine, _ diagnostics: inout Diagnostics
  ) {
    // A replay without pauses does not look around during a silence.
    look(at: moment, engine: engine, &diagnostics)
    lastMessage = moment
    told = []
    for condition in conditions where condition.holds(for: row) {
      var text = OutputText(capacity: 2048)
      text.append(record: row)
      act(condition, text.bytes, &diagnostics)
    }
  }

  /// Takes notice of a finding that belongs to no message.
  mutating func hear(
    _ notice: Notice, engine: MonitorEngine, _ diagnostics: inout Diagnostics
  ) {
    guard let code = FindingCode(rawValue: notice.code.rawValue) else { return }
    for condition in conditions where condition.holds(for: code) {
      var text = OutputText(capacity: 256)
      text.append("{\"schema\":1,\"alert\":\"finding\",\"file\":")
      text.append(jsonString: engine.file)
      text.append(",\"frame\":")
      text.append(raw: "\(notice.frame)")
      text.append(",\"code\":")
      text.append(jsonString: code.rawValue)
      text.append(",\"severity\":")
      text.append(jsonString: code.severity.rawValue)
      text.append(",\"message\":")
      text.append(jsonString: notice.text)
      text.append("}\n")
      act(condition, text.bytes, &diagnostics)
    }
  }

  /// Looks whether it was silent for too long.
  mutating func look(
    at moment: UInt64, engine: MonitorEngine, _ diagnostics: inout Diagnostics
  ) {
    running.removeAll { $0.hasEnded() }
    for condition in conditions {
      guard case .silence(let span) = condition, !told.contains(span),
        moment &- lastMessage >= span
      else { continue }
      told.append(span)
      var text = OutputText(capacity: 128)
      text.append("{\"schema\":1,\"alert\":\"silence\",\"file\":")
      text.append(jsonString: engine.file)
      text.append(",\"seconds\":")
      text.append(seconds: Int64(clamping: moment &- lastMessage), decimals: 3)
      text.append("}\n")
      act(condition, text.bytes, &diagnostics)
    }
  }

  /// When a silence will have lasted long enough, by the input's moment.
  var deadline: UInt64? {
    conditions.compactMap { condition in
      guard case .silence(let span) = condition, !told.contains(span) else { return nil }
      return lastMessage &+ span
    }.min()
  }

  /// Says what could not be said before, and waits a little for programs that still run.
  mutating func finish(_ clock: some MonitorClock, _ diagnostics: inout Diagnostics) {
    for text in held { diagnostics.warn(text) }
    if complaints > Alarm.complaintLimit {
      diagnostics.warn(
        counted(complaints - Alarm.complaintLimit, "more alert") + " without their program")
    }
    let end = clock.now() &+ Alarm.patience
    running.removeAll { $0.hasEnded() }
    while !running.isEmpty, clock.now() < end {
      _ = try? clock.wait(for: [], until: clock.now() &+ 10_000_000)
      running.removeAll { $0.hasEnded() }
    }
    if !running.isEmpty { diagnostics.warn("programs of alerts go on: \(running.count)") }
  }

  private static func terminal() -> OutputSink? {
    if FileDescriptor.standardError.isTerminal {
      return OutputSink(.standardError, mode: .blocks)
    }
    guard FileDescriptor.standardOutput.isTerminal else { return nil }
    return OutputSink(.standardOutput, mode: .blocks)
  }

  private mutating func act(
    _ condition: AlertCondition, _ record: [UInt8], _ diagnostics: inout Diagnostics
  ) {
    count += 1
    try? bell?.append([0x07])
    try? bell?.flush()
    for words in commands {
      running.removeAll { $0.hasEnded() }
      guard running.count < Alarm.processLimit else {
        complain(
          "\(Alarm.processLimit) programs of alerts still run; one more was not started",
          &diagnostics)
        continue
      }
      do throws(Errno) {
        running.append(
          try ChildProcess(
            words, input: record, environment: ["PEAT_ALERT=\(condition.name)"],
            isSilent: isSilent))
      } catch {
        complain("--exec \(words.first ?? ""): \(error.reason)", &diagnostics)
      }
    }
  }

  /// Says what went wrong, the first times; behind a screen, when that is gone.
  private mutating func complain(_ text: String, _ diagnostics: inout Diagnostics) {
    complaints += 1
    guard complaints <= Alarm.complaintLimit else { return }
    if isSilent { held.append(text) } else { diagnostics.warn(text) }
  }
}
