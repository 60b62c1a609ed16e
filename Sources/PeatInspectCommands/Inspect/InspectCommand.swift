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
  private let opening: CaptureOpening
  private var diagnostics: Diagnostics
  private var counts = RunCounts()

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    opening = try CaptureOpening(configuration)
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  mutating func run() throws(Errno) -> ExitStatus {
    let streams = opening.open(&diagnostics)
    guard !streams.isEmpty else { return diagnostics.status }
    let target = try OutputTarget(path: configuration.output)
    var progress = Progress(configuration.raw.progress)
    let counter = MessageCounter()
    for stream in streams {
      stream.onProgress = { done, total in
        progress.update(done: done, total: total, messages: counter.value)
      }
    }
    defer { progress.finish() }
    opening.align(streams, &diagnostics)
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
      if row.cutBy == .capture { diagnostics.raise(to: .damaged) }
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
    return diagnostics.status
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
    }
  }

  /// What is to be said of a capture as a whole.
  private mutating func conclude(_ stream: CaptureStream) {
    for note in stream.dissector.containerNotes { diagnostics.warn(note, file: stream.file) }
    for damage in stream.dissector.damages { diagnostics.report(damage) }
    let more = stream.dissector.damageCount - stream.dissector.damages.count
    if more > 0 { diagnostics.say("\(stream.file): \(more) more damaged places") }
    guard configuration.raw.verbosity > 0 else { return }
    diagnostics.say("\(stream.file): \(stream.dissector.summary)")
    diagnostics.say(
      "\(stream.file): \(stream.dissector.frameCount) packets, "
        + "\(stream.dissector.connectionCount) connections, "
        + "\(stream.dissector.unresolvedCount) values on handles that no discovery names")
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

/// A count that a progress line reads while the rows are made.
private final class MessageCounter {
  var value = 0
}
