import CommandLineOptions
import PeatReports
import SystemIO
import WireBytes

/// `--each`: a command on every capture for itself, by processes that read one after the other.
///
/// A process that reads captures can crash or hang on one; then this one says so, and another
/// process goes on with the next.
struct EachCommand {
  private let configuration: InspectConfiguration
  private let words: [String]
  private let label: CaptureLabel
  private static let patience = 900

  /// Checks the options; nothing is started yet.
  ///
  /// - Parameter words: the words behind the program's name, which workers are given too.
  init(
    _ configuration: InspectConfiguration, command: String, words: [String]
  ) throws {
    self.configuration = configuration
    let raw = configuration.raw
    if raw.follows { throw UsageError("--each: a capture that is followed has no end") }
    if raw.fileFormat != nil || raw.sharedFormat != nil {
      throw UsageError("--each prints text, csv or ndjson")
    }
    if !raw.offsets.isEmpty {
      throw UsageError("--each: --offset is for captures that are one mesh")
    }
    if raw.bondCache != nil, raw.fleet.jobs ?? 1 > 1 {
      throw UsageError("--jobs: several processes cannot keep one bond cache")
    }
    // Faults of a keys file are told once and not of every capture.
    let keys = try KeyLoading(raw)
    let diagnostics = Diagnostics(isQuiet: raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
    try OutputGuard(configuration).check(configuration.output, option: "--output")
    label = CaptureLabel(
      format: configuration.format, isNamed: command == "inspect" || command == "check")
    self.words =
      ["--each-worker", "--progress=never"]
      + (raw.color == .auto
        ? ["--color=\(configuration.style.usesColor ? "always" : "never")"] : []) + words
  }

  func run() throws -> ExitStatus {
    let target = try OutputTarget(path: configuration.output)
    var status = ExitStatus.done
    var lanes: [Lane] = []
    for _ in 0..<min(configuration.raw.fleet.jobs ?? 1, configuration.files.count) {
      lanes.append(Lane())
    }
    defer { for lane in lanes { lane.worker?.kill() } }
    var printer = label
    var left = configuration.files[...]
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      for lane in lanes where lane.file == nil {
        guard let file = left.popFirst() else { break }
        try start(lane, file)
      }
      let busy = lanes.filter { $0.file != nil }
      if busy.isEmpty { break }
      // Text of one capture stays together: the others wait, once their pipes are full.
      let heard = printer.holdsFloor(busy) ?? busy
      let ready = try WorkerProcess.ready(
        heard.compactMap(\.worker), milliseconds: waitTime(busy))
      for (lane, isReady) in zip(heard, ready) where isReady {
        guard let worker = lane.worker, let count = try worker.read(into: &buffer) else { continue }
        if count == 0 {
          status = max(status, try end(lane, .crashed, &printer, target.sink))
        } else {
          lane.buffer += buffer[..<count]
          let isDone = try printer.print(lane, to: target.sink)
          if isDone { status = max(status, lane.status) }
        }
      }
      let now = MonotonicClock.nanoseconds()
      for lane in busy where lane.file != nil && now >= lane.deadline {
        lane.worker?.kill()
        status = max(status, try end(lane, .timedOut, &printer, target.sink))
      }
    }
    try target.finish()
    return status
  }

  /// Hands a capture over, to a new process where there is none.
  private func start(_ lane: Lane, _ file: String) throws(Errno) {
    lane.begin(
      file, shown: configuration.shownName(file),
      limit: configuration.raw.fleet.timeLimit ?? EachCommand.patience)
    if lane.worker == nil { lane.worker = try WorkerProcess(words) }
    // One that has gone meanwhile is seen when its answer is read.
    do throws(Errno) {
      try lane.worker?.hand(Array(file.utf8) + [0])
    } catch {
      if !error.isBrokenPipe { throw error }
    }
  }

  /// Says that a process ended before its capture did, or was ended.
  private func end(
    _ lane: Lane, _ outcome: CaptureRecord.Outcome, _ printer: inout CaptureLabel,
    _ sink: OutputSink
  ) throws(Errno) -> ExitStatus {
    guard let file = lane.file, let worker = lane.worker else { return .done }
    let ending = worker.wait()
    lane.worker = nil
    var record = CaptureRecord(file: configuration.shownName(file), outcome: outcome)
    record.reason =
      switch (outcome, ending) {
      case (.timedOut, _):
        "was not read within \(counted(configuration.raw.fleet.timeLimit ?? EachCommand.patience, "second"))"
      case (_, .killed(let signal)): "the process that read it was ended by signal \(signal)"
      case (_, .exited(let code)): "the process that read it ended with status \(code)"
      }
    let diagnostics = Diagnostics(isQuiet: false, style: configuration.style)
    diagnostics.say("\(record.file): \(record.reason ?? "")")
    var text = OutputText(capacity: 256)
    if configuration.raw.fleet.hasFacts {
      let print = CaptureFingerprint(file: file)
      record.sha256 = print.sha256
      record.bytes = print.bytes
      record.append(to: &text)
    }
    try printer.abandon(lane, closing: text, to: sink)
    return .damaged
  }

  /// Milliseconds until the first capture has had its time.
  private func waitTime(_ lanes: [Lane]) -> Int32 {
    guard let first = lanes.map(\.deadline).min(), first < .max else { return -1 }
    let now = MonotonicClock.nanoseconds()
    return first <= now ? 0 : Int32(clamping: (first - now) / 1_000_000 + 1)
  }
}

/// A process that reads captures, and what of its answer is not printed yet.
final class Lane {
  var worker: WorkerProcess?
  /// The capture that it reads.
  private(set) var file: String?
  /// What records call it.
  private(set) var shown = ""
  var deadline = UInt64.max
  var buffer: [UInt8] = []
  /// What the capture that was read last means for the exit status.
  private(set) var status = ExitStatus.done
  /// Whether something of the capture was printed.
  var isBegun = false

  func begin(_ file: String, shown: String, limit: Int) {
    self.file = file
    self.shown = shown
    isBegun = false
    buffer.removeAll(keepingCapacity: true)
    deadline =
      limit == 0 ? .max : MonotonicClock.nanoseconds() &+ UInt64(limit) &* 1_000_000_000
  }

  func end(_ status: ExitStatus) {
    self.status = status
    file = nil
    deadline = .max
  }
}
