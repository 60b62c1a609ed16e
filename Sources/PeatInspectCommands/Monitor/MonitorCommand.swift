import CaptureFormats
import CaptureSharing
import CommandLineOptions
import LiveCapture
import PeatDissection
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect monitor`: what is on the air now, decoded and replayed.
struct MonitorCommand<Clock: MonitorClock> {
  /// Rows that only repeat what is known are told at least so often.
  private static var unfoldInterval: UInt64 { 5_000_000_000 }

  /// The loop looks around at least so often.
  private static var longestWait: UInt64 { 200_000_000 }

  /// What is held back while the screen is shown; of more, the oldest is forgotten.
  private static var heldLimit: Int { 64 }

  private let configuration: MonitorConfiguration
  private let clock: Clock
  private let input: any MonitorInput
  private var engine: MonitorEngine
  private var diagnostics: Diagnostics
  private var counts = RunCounts()
  /// Opens once more what the screen shows the bytes of.
  private let keyring: Keyring
  /// Which rows are shown, and which ends the run; times are known only with the first packet.
  private var selection = RowSelection()
  private var until: UntilCondition?
  private var hasSelection = false
  private var recording: Recording?
  /// What is told of messages in the recording; nil tells nothing.
  private var comment: PacketComment?
  private var alarm: Alarm
  private var turns = TurnWatch()
  private let cache: BondCache?
  private var screen: ScreenView?
  private var metrics = MonitorMetrics()
  private var server: MetricsServer?
  /// What cannot be said while the screen is shown.
  private var heldErrors: [CaptureError] = []
  private var heldWarnings: [String] = []
  private var hasFailed = false
  /// Values that the capture cut.
  private var cuts: CutValues?
  /// Whether the input's end was told to the engine.
  private var hasEnded = false
  private var end: End?
  /// The input's moment when the run began.
  private var start: UInt64 = 0

  /// Why the run ends.
  private enum End: Equatable {
    case inputEnded, interrupted, counted, untilMet, timeIsUp
  }

  /// Reads the keys and opens the input, unless one is given.
  init(
    _ configuration: MonitorConfiguration, clock: Clock, input given: (any MonitorInput)? = nil
  ) throws {
    self.configuration = configuration
    self.clock = clock
    try configuration.checkRecording()
    let keys = try KeyLoading(configuration.raw)
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
    cache = try configuration.raw.bondCache.map { try BondCache(path: $0) }
    var dissection = configuration.dissection
    dissection.remembered = cache?.handles ?? []
    input = try given ?? configuration.openInput()
    keyring = keys.keyring
    engine = MonitorEngine(
      file: configuration.inputName, sources: configuration.sources.map(\.name),
      options: dissection, keyring: keys.keyring)
    alarm = Alarm(configuration)
    if let address = configuration.raw.monitor.metrics {
      do throws(Errno) {
        let opened = try MetricsServer(address)
        if address.port == 0 { diagnostics.say("metrics: port \(opened.port)") }
        server = opened
      } catch {
        throw DeviceError(device: "--metrics", reason: "\(error)")
      }
    }
    // A screen that nobody reads any more is no reason to leave the terminal as it is.
    if configuration.wantsScreen { Interrupts.setBrokenPipeEndsProcess(false) }
    guard let options = configuration.recording else { return }
    engine.recorder = RecordEncoder(
      format: options.format, application: "peat-inspect \(ToolDefinition.version)")
    if configuration.raw.monitor.comments {
      comment = PacketComment(opened: keyring)
      engine.held = HeldRecords()
    }
    // What was recorded is saved even when nobody reads the output any more.
    Interrupts.setBrokenPipeEndsProcess(false)
    let wall = Timestamp(nanoseconds: Int64(clamping: MonotonicClock.wallNanoseconds()))
    recording = try Recording(options, at: clock.now(), wall: wall)
  }

  mutating func run() throws(Errno) -> ExitStatus {
    let sink = OutputSink.standardOutput(mode: .lines)
    return try run(sink: sink)
  }

  mutating func run(sink: OutputSink) throws(Errno) -> ExitStatus {
    var writer = RowWriter(
      format: configuration.format, sink: sink, style: configuration.style,
      hasSeveralFiles: configuration.sources.count > 1)
    if configuration.wantsScreen {
      screen = ScreenView(
        title: "monitor  \(engine.file)", style: configuration.style,
        recordingPath: configuration.recording?.path, keyring: keyring, environment: Environment(),
        isReplay: configuration.isReplay)
    }
    defer { screen?.stop() }
    alarm.isSilent = screen != nil
    if screen == nil { try writer.begin() }
    try sink.flush()
    start = input.moment(at: clock.now())
    var unfoldAt = clock.now() &+ Self.unfoldInterval
    alarm.begin(at: start)
    while end == nil {
      let now = clock.now()
      noticeGap(at: now)
      let state = pump(at: now)
      for text in input.takeNews() { tell(text) }
      try record(at: now)
      if Interrupts.takeRequest() { try beginNextRecording(at: now) }
      engine.advance(to: input.moment(at: now))
      if state == .ended, !hasEnded {
        engine.finish()
        hasEnded = true
      }
      if isTimeUp { end = .timeIsUp }
      try write(&writer)
      if end == nil { alarm.look(at: engine.now, engine: engine, &diagnostics) }
      screen?.drawIfDue(at: now, engine: engine, hasEnded: state == .ended)
      if screen == nil, now >= unfoldAt {
        try writer.unfold()
        unfoldAt = now &+ Self.unfoldInterval
      }
      try sink.flush()
      serveMetrics(at: now)
      if Interrupts.received != nil { end = end ?? .interrupted }
      // On a screen, what came can still be looked at.
      if state == .ended, screen == nil { end = end ?? .inputEnded }
      if end == nil, state != .ready { try wait(until: unfoldAt, from: now) }
      if screen?.takeKeys() == true { end = end ?? (hasEnded ? .inputEnded : .interrupted) }
    }
    screen?.stop()
    for text in heldWarnings { diagnostics.warn(text) }
    for error in heldErrors { diagnostics.report(error) }
    try finish(&writer)
    try sink.flush()
    return status
  }

  /// What nobody listened to is no silence; a replay's own time knows nothing of it.
  private mutating func noticeGap(at now: UInt64) {
    guard let gap = turns.begin(at: now, slept: clock.slept()) else { return }
    if configuration.isReplay { return }
    alarm.begin(at: input.moment(at: now))
    tell("nothing was read for \(gap / 1_000_000_000) s: the machine slept, or this was held up")
  }

  /// Says something of the run itself.
  private mutating func tell(_ text: String) {
    guard let screen else { return diagnostics.warn(text) }
    screen.tell(text)
    heldWarnings.append(text)
    if heldWarnings.count > Self.heldLimit { heldWarnings.removeFirst() }
  }

  private mutating func pump(at now: UInt64) -> InputState {
    if hasFailed { return .ended }
    do throws(CaptureError) {
      let state = try input.pump(into: &engine, at: now)
      for error in input.takeFailures() { report(error) }
      return state
    } catch {
      hasFailed = true
      report(error)
      return .ended
    }
  }

  private mutating func report(_ error: CaptureError) {
    guard let screen else { return diagnostics.report(error) }
    heldErrors.append(error)
    screen.tell("\(error)")
  }

  /// Hands the packets of this turn to their file.
  private mutating func record(at now: UInt64) throws(Errno) {
    guard var encoder = engine.recorder else { return }
    engine.recorder = nil
    defer { engine.recorder = encoder }
    try recording?.write(&encoder, at: now)
  }

  /// SIGUSR1 asks for a new file.
  private mutating func beginNextRecording(at now: UInt64) throws(Errno) {
    guard var encoder = engine.recorder, let recording else {
      return tell("SIGUSR1 begins a new file of a recording; there is none (see -w)")
    }
    engine.recorder = nil
    defer { engine.recorder = encoder }
    try recording.beginNext(&encoder, at: now)
  }

  private mutating func write(_ writer: inout RowWriter) throws(Errno) {
    defer { engine.releaseHeld() }
    for notice in engine.takeNotices() {
      counts.countProblem(notice.code.rawValue)
      alarm.hear(notice, engine: engine, &diagnostics)
      metrics.countFinding(notice.code.rawValue)
      if let screen {
        screen.tell("frame \(notice.frame): \(notice.text) [\(notice.code.rawValue)]")
      } else {
        diagnostics.warn(notice, file: engine.file, start: engine.first)
      }
    }
    if engine.hasRows { prepareSelection() }
    for row in engine.takeRows() {
      if end != nil { return }
      counts.count(row)
      if let comment {
        engine.held?.note(
          comment.text(of: row), frame: row.value.frame, adapter: row.value.link.adapter)
      }
      if server != nil { metrics.take(row, at: engine.now) }
      if row.cutBy == .capture {
        var cut = cuts ?? CutValues(first: row)
        cut.count += 1
        cuts = cut
      }
      alarm.hear(row, at: engine.now, engine: engine, &diagnostics)
      let isShown = selection.contains(row)
      screen?.show(row, engine, isShown: isShown)
      if isShown {
        counts.shown += 1
        if screen != nil {
          writer.observe(row)
        } else {
          try writer.write(row)
        }
        if counts.shown == configuration.raw.monitor.count { end = .counted }
      }
      if let until,
        until.holds(after: row, state: engine.timeline.state)
      {
        end = .untilMet
      }
    }
  }

  /// Understands the expressions, whose times count from the first packet.
  private mutating func prepareSelection() {
    guard !hasSelection else { return }
    hasSelection = true
    let times = MonitorConfiguration.filterTimes(
      first: engine.first ?? Timestamp(nanoseconds: 0), isUTC: configuration.raw.clock == .utc)
    do throws(FilterError) {
      selection = try RowSelection(configuration.raw, times: times)
      if let text = configuration.raw.monitor.until {
        until = try UntilCondition(text, times: times)
      }
    } catch {
      diagnostics.say("\(error)")
      diagnostics.raise(to: .usage)
      hasFailed = true
      selection.isImpossible = true
    }
  }

  private mutating func serveMetrics(at now: UInt64) {
    guard server != nil else { return }
    let (metrics, engine, alerts) = (metrics, engine, alertCount)
    server?.serve(at: now) { metrics.exposition(of: engine, alerts: alerts) }
  }

  /// Alerts so far.
  var alertCount: Int { alarm.count }

  private var isTimeUp: Bool {
    guard let duration = configuration.raw.monitor.duration else { return false }
    return engine.now &- start >= duration
  }

  /// Waits for packets, but no longer than anything else allows.
  private func wait(until other: UInt64, from now: UInt64) throws(Errno) {
    // What failed or ended would be ready at once, for ever.
    let isRead = !hasFailed && !hasEnded
    var due = min(screen == nil ? other : .max, now &+ Self.longestWait)
    if isRead, let look = input.nextLook { due = min(due, look) }
    let moment = input.moment(at: now)
    if let deadline = engine.deadline {
      due = min(due, now &+ (deadline > moment ? deadline &- moment : 0))
    }
    if let deadline = alarm.deadline {
      due = min(due, now &+ (deadline > moment ? deadline &- moment : 0))
    }
    if let screen { due = min(due, screen.deadline) }
    if let deadline = server?.deadline(at: now) { due = min(due, deadline) }
    let descriptors =
      (isRead ? input.descriptors : []) + [screen?.keyDescriptor].compactMap { $0 }
      + (server?.descriptors ?? [])
    _ = try clock.wait(for: descriptors, until: due)
  }

  private mutating func finish(_ writer: inout RowWriter) throws(Errno) {
    engine.releaseHeld(isEnd: true)
    try record(at: clock.now())
    for note in input.notes(of: engine.file) { diagnostics.warn(note.text, file: note.file) }
    for damage in input.damages { diagnostics.report(damage) }
    if let cuts { diagnostics.report(cuts, file: engine.file) }
    if engine.facts.unresolved > 0 {
      diagnostics.warn(
        "\(counted(engine.facts.unresolved, "value")) not shown, on handles that nothing names",
        file: engine.file)
    }
    // Before what is printed, as a terminal that was hung up takes nothing more.
    let leftOut = try cache?.update(
      with: engine.rememberedHandles, isOutdated: engine.isOutdated)
    if let leftOut, leftOut > 0 { diagnostics.warn(BondCache.warning(of: leftOut)) }
    let summary = TextSummary(style: configuration.style, counts: counts, facts: engine.facts)
    try writer.end(summary, state: engine.timeline.state)
    if engine.unrecorded > 0 {
      diagnostics.warn(
        "\(counted(engine.unrecorded, "packet")) could not be written to the recording; .pcapng holds the most"
      )
    }
    alarm.finish(clock, &diagnostics)
    diagnostics.finish()
  }

  /// An unmet `--until` is told by the status, unless the user ended the run (cli.md).
  private var status: ExitStatus {
    let isUnmet =
      configuration.raw.monitor.until != nil && end != .untilMet && end != .interrupted
    return max(diagnostics.status, isUnmet ? .findings : .done)
  }
}
