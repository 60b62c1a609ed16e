import CommandLineOptions
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO

/// `peat-inspect [inspect] FILE...`: the timeline of every Peat message.
struct InspectCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    var configuration = configuration
    configuration.dissection.wanted = [.mesh, .smp]
    EventFeed.prepare(&configuration)
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    if configuration.raw.follows {
      try Interrupts.watch()
      let isThere = CaptureFollower.waitForFile(configuration.files[0]) { reason in
        session.diagnostics.say("\(configuration.files[0]): \(reason)")
      }
      guard isThere else { return .done }
    }
    guard try session.open(engine: engine, keepsNotices: true) else {
      return try session.finishUnopened()
    }
    let target = try session.output()
    if configuration.raw.follows { session.follow(target.sink) }
    var counts = RunCounts()
    var writer = RowWriter(
      format: configuration.format, sink: target.sink, style: configuration.style,
      hasSeveralFiles: session.streams.count > 1)
    try writer.begin()
    var feed = EventFeed(configuration)
    while let item = session.nextItem() {
      if case .peat(let row) = item { counts.count(row) }
      for (notice, _) in session.takeNotices() { counts.countProblem(notice.code.rawValue) }
      for event in feed.due(before: item, session) { try writer.write(event) }
      let isSelected = session.selects(item)
      if isSelected { counts.shown += 1 }
      switch item {
      case .peat(let row):
        if isSelected { try writer.write(row) } else { writer.observe(row) }
      case .mesh(let row):
        counts.count(row)
        if isSelected { try writer.write(row) }
      case .smp(let row):
        counts.count(row)
        if isSelected { try writer.write(row) }
      }
    }
    for event in feed.due(before: nil, session) { try writer.write(event) }
    session.conclude(tellsSilence: !isReadOnTerminal)
    for (notice, _) in session.takeNotices() { counts.countProblem(notice.code.rawValue) }
    if configuration.format != .text, counts.shown == 0, counts.messages > 0 {
      session.diagnostics.warn(
        "nothing matches the options; \(counted(counts.messages, "message")) "
          + (counts.messages == 1 ? "is" : "are") + " in the captures")
    }
    let summary = TextSummary(style: configuration.style, counts: counts, facts: facts)
    try writer.end(summary, state: session.state)
    return try session.finish(target)
  }

  /// Whether the summary, which says why nothing was found, stands where stderr does.
  private var isReadOnTerminal: Bool {
    configuration.format == .text && configuration.output == nil
      && FileDescriptor.standardOutput.isTerminal
  }

  /// Text tells faults in its own words; `check` reports what only the whole capture shows.
  private var engine: FindingEngine? {
    configuration.format == .text && configuration.raw.filters.isEmpty ? nil : FindingEngine()
  }

  private var facts: CaptureFacts {
    var facts = CaptureFacts()
    facts.first = session.start
    facts.last = session.last
    facts.elapsed = session.elapsed
    let silence = session.silence
    if silence.count == 1 {
      facts.silence = silence[0].reason
    } else if !silence.isEmpty {
      facts.silence = silence.map { "\($0.file): \($0.reason)" }.joined(separator: "; ")
    }
    for stream in session.streams {
      facts.frames += stream.dissector.frameCount
      facts.connections += stream.dissector.connectionCount
      facts.unresolved += stream.dissector.unresolvedCount
      facts.peatAdvertisers += stream.dissector.advertisers.all.count { $0.isPeat }
    }
    return facts
  }
}
