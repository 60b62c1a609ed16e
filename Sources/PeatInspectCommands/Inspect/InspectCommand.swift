import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect [inspect] FILE...`: the timeline of every Peat message.
struct InspectCommand {
  private let configuration: InspectConfiguration
  private var captures: CaptureRun

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    captures = try CaptureRun(configuration)
  }

  mutating func run() throws(Errno) -> ExitStatus {
    let counts = CountBox()
    captures.onNotice = { notice, _ in counts.value.countProblem(notice.code.rawValue) }
    if configuration.raw.follows {
      try Interrupts.watch()
      let isThere = CaptureFollower.waitForFile(configuration.files[0]) { reason in
        captures.diagnostics.say("\(configuration.files[0]): \(reason)")
      }
      guard isThere else { return .done }
    }
    let streams = captures.open()
    guard !streams.isEmpty else { return captures.diagnostics.status }
    if let output = configuration.output,
      let input = configuration.files.first(where: { FileStatus.isSameFile($0, output) })
    {
      captures.diagnostics.say(
        "\(output): is the input \(input) itself; give another --output")
      return .usage
    }
    let target = try OutputTarget(path: configuration.output)
    if configuration.raw.follows { follow(streams[0], sink: target.sink) }
    var progress = Progress(configuration.raw.progress)
    let counter = MessageCounter()
    for stream in streams {
      stream.onProgress = { done, total in
        progress.update(done: done, total: total, messages: counter.value)
      }
    }
    defer { progress.finish() }
    captures.align(streams)
    var timeline = Timeline(streams: streams, opener: captures.keyring, engine: engine)
    var writer = RowWriter(
      format: configuration.format, sink: target.sink, style: configuration.style,
      hasSeveralFiles: streams.count > 1)
    try writer.begin()
    var selection: RowSelection?
    while let row = captures.next(&timeline) {
      let active = selection ?? captures.selection(streams, timeline.startTime)
      selection = active
      counts.value.count(row)
      counter.value += 1
      captures.report(streams, start: timeline.startTime)
      if active.contains(row) {
        counts.value.shown += 1
        try writer.write(row)
      } else {
        writer.observe(row)
      }
    }
    captures.report(streams, start: timeline.startTime)
    for stream in streams { captures.conclude(stream) }
    captures.diagnostics.warn(
      ofSteps: streams.map { $0.dissector.clockSteps }, streams.map(\.file), configuration.raw)
    let summary = TextSummary(
      style: configuration.style, counts: counts.value, facts: facts(streams, timeline.startTime))
    try writer.end(summary, state: timeline.state)
    captures.diagnostics.finish()
    try target.finish()
    try captures.cache?.update(with: streams.flatMap { $0.dissector.rememberedHandles })
    return captures.diagnostics.status
  }

  private func follow(_ stream: CaptureStream, sink: OutputSink) {
    let follower = CaptureFollower(
      path: configuration.files[0], isStrict: configuration.raw.isStrict, sink: sink)
    stream.follow(
      onCaughtUp: { follower.caughtUp(readBytes: $0) }, onRotation: { follower.reopen() })
  }

  /// Text tells faults in its own words; `check` reports what only the whole capture shows.
  private var engine: FindingEngine? {
    configuration.format == .text && configuration.raw.filters.isEmpty ? nil : FindingEngine()
  }

  private func facts(_ streams: [CaptureStream], _ start: Timestamp?) -> CaptureFacts {
    var facts = CaptureFacts()
    facts.first = start
    facts.last = streams.compactMap(\.lastTime).max()
    facts.elapsed = start.flatMap { start in
      streams.compactMap { $0.elapsed(since: start) }.max()
    }
    for stream in streams {
      facts.frames += stream.dissector.frameCount
      facts.connections += stream.dissector.connectionCount
      facts.unresolved += stream.dissector.unresolvedCount
      facts.peatAdvertisers += stream.dissector.advertisers.all.count { $0.isPeat }
    }
    return facts
  }
}

/// The counts of a run, to which rows and notices add.
private final class CountBox {
  var value = RunCounts()
}
