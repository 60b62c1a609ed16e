import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect [inspect] FILE...`: the timeline of every Peat message.
struct InspectCommand {
  private let configuration: InspectConfiguration
  private let keyring: Keyring
  private let alignment: CaptureAlignment
  private let cache: BondCache?
  private var diagnostics: Diagnostics
  private var counts = RunCounts()
  /// Values that captures cut, by file.
  private var cuts: [String: CutValues] = [:]

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    alignment = try CaptureAlignment(configuration)
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    cache = try configuration.raw.bondCache.map { try BondCache(path: $0) }
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  mutating func run() throws(Errno) -> ExitStatus {
    let opening = CaptureOpening(
      configuration: configuration, keyring: keyring, remembered: cache?.handles ?? [])
    if configuration.raw.follows {
      try Interrupts.watch()
      guard CaptureFollower.waitForFile(configuration.files[0]) else { return .done }
    }
    let streams = opening.streams(&diagnostics)
    guard !streams.isEmpty else { return diagnostics.status }
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
    alignment.align(streams, &diagnostics)
    var timeline = Timeline(streams: streams, opener: keyring)
    var writer = RowWriter(
      format: configuration.format, sink: target.sink, style: configuration.style,
      hasSeveralFiles: streams.count > 1)
    try writer.begin()
    var selection: RowSelection?
    while let row = next(&timeline) {
      let active = selection ?? selectionOnce(streams, timeline.startTime)
      selection = active
      counts.count(row)
      counter.value += 1
      if row.cutBy == .capture { cuts[row.file, default: CutValues(first: row)].count += 1 }
      report(streams, start: timeline.startTime)
      if active.contains(row) {
        counts.shown += 1
        try writer.write(row)
      }
    }
    report(streams, start: timeline.startTime)
    for stream in streams { conclude(stream) }
    let summary = TextSummary(
      style: configuration.style, counts: counts, facts: facts(streams, timeline.startTime))
    try writer.end(summary, state: timeline.state)
    diagnostics.finish()
    try target.finish()
    try cache?.update(with: streams.flatMap { $0.dissector.rememberedHandles })
    return diagnostics.status
  }

  private func follow(_ stream: CaptureStream, sink: OutputSink) {
    let follower = CaptureFollower(
      path: configuration.files[0], isStrict: configuration.raw.isStrict, sink: sink)
    stream.follow(
      onCaughtUp: { follower.caughtUp(readBytes: $0) }, onRotation: { follower.reopen() })
  }

  /// The next row; a fault of the input is reported and ends the timeline.
  private mutating func next(_ timeline: inout Timeline<Keyring>) -> TimelineRow? {
    do throws(CaptureError) {
      return try timeline.next()
    } catch {
      diagnostics.report(error)
      return nil
    }
  }

  /// What went wrong below the messages so far.
  private mutating func report(_ streams: [CaptureStream], start: Timestamp?) {
    for stream in streams {
      for notice in stream.takeNotices() {
        counts.countProblem(notice.code.rawValue)
        diagnostics.warn(notice, file: stream.file, start: start)
      }
      guard configuration.raw.verbosity > 0 else { continue }
      let notes = stream.takeMonitorNotes()
      for note in notes.notes { diagnostics.say(note, file: stream.file, start: start) }
      if notes.lost > 0 { diagnostics.say("\(stream.file): \(notes.lost) more notes") }
    }
  }

  /// What is to be said of a capture as a whole.
  private mutating func conclude(_ stream: CaptureStream) {
    for note in stream.dissector.containerNotes { diagnostics.warn(note, file: stream.file) }
    for damage in stream.dissector.damages { diagnostics.report(damage) }
    let more = stream.dissector.damageCount - stream.dissector.damages.count
    if more > 0 { diagnostics.say("\(stream.file): \(more) more damaged places") }
    if let cut = cuts[stream.file] { diagnostics.report(cut, file: stream.file) }
    if let advice = CutAdvice.text(stream) {
      diagnostics.warn(advice, file: stream.file)
      // What could not even be named was needed too (cli.md, "Exit status").
      if stream.dissector.cuts.discoveryAnswers > 0, stream.dissector.unresolvedCount > 0 {
        diagnostics.raise(to: .damaged)
      }
    }
    guard configuration.raw.verbosity > 0 else { return }
    for line in CaptureExplanation(stream: stream, style: configuration.style).lines {
      diagnostics.say("\(stream.file): \(line)")
    }
  }

  private func facts(_ streams: [CaptureStream], _ start: Timestamp?) -> CaptureFacts {
    var facts = CaptureFacts()
    facts.first = start
    facts.last = streams.compactMap(\.lastTime).max()
    for stream in streams {
      facts.frames += stream.dissector.frameCount
      facts.connections += stream.dissector.connectionCount
      facts.unresolved += stream.dissector.unresolvedCount
      facts.peatAdvertisers += stream.dissector.advertisers.all.count { $0.isPeat }
    }
    return facts
  }
}

extension InspectCommand {
  /// The selection, whose times are instants only once the first packet is known.
  private mutating func selectionOnce(
    _ streams: [CaptureStream], _ start: Timestamp?
  ) -> RowSelection {
    let raw = configuration.raw
    var selection = RowSelection()
    selection.nodes = Set(raw.nodes)
    selection.peers = Set(raw.peers)
    selection.kinds = Set(raw.kinds)
    selection.events = Set(raw.events)
    selection.changedOnly = raw.changedOnly
    guard let start else { return selection }
    let resolver = MomentResolver(
      first: start, last: { () throws(CaptureError) in try Self.lastTime(streams, start) },
      isUTC: raw.clock == .utc)
    do throws(CaptureError) {
      if let from = raw.from { selection.from = try resolver.resolve(from) }
      if let to = raw.to { selection.to = try resolver.resolve(to) }
    } catch {
      diagnostics.report(error)
    }
    return selection
  }

  /// The last packet's time of all captures, by a reading of its own.
  private static func lastTime(
    _ streams: [CaptureStream], _ start: Timestamp
  ) throws(CaptureError) -> Timestamp {
    var last = start
    for stream in streams {
      if stream.isSurveyed {
        if let time = stream.lastTime { last = max(last, time) }
        continue
      }
      if stream.file == "-" {
        throw CaptureError(
          .unsupported, path: "-",
          reason: "a time before the end needs a file; standard input can be read only once")
      }
      var reader = try CaptureReader(path: stream.file)
      while let record = try reader.next() {
        if let time = record.time, last < time { last = time }
      }
    }
    return last
  }
}

/// Values of one file that the capture cut.
struct CutValues {
  var count = 0
  var frame: Int
  var offset: Int
  var captured: Int
  var length: Int

  init(first row: TimelineRow) {
    frame = row.value.frame
    offset = row.value.fileOffset
    captured = row.value.payload.count
    length = row.value.length
  }
}

/// A count that a progress line reads while the rows are made.
private final class MessageCounter {
  var value = 0
}
