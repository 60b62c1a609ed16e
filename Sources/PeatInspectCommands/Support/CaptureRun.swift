import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// What every command that reads captures does around the rows: opens the files, reads the keys,
/// says on stderr what is wrong, and knows which rows are wanted.
struct CaptureRun {
  let configuration: InspectConfiguration
  let keyring: Keyring
  let cache: BondCache?
  private let alignment: CaptureAlignment
  var diagnostics: Diagnostics
  /// Values that captures cut, by file.
  private var cuts: [String: CutValues] = [:]
  /// The first cut discovery answer of each file.
  private var cutDiscoveries: [String: Notice] = [:]
  /// Told each notice of the layers below the messages, with its file.
  var onNotice: ((Notice, String) -> Void)?

  /// Reads the keys; the captures are opened by `open()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    alignment = try CaptureAlignment(configuration)
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    cache = try configuration.raw.bondCache.map { try BondCache(path: $0) }
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  /// Opens every capture that can be opened.
  mutating func open() -> [CaptureStream] {
    CaptureOpening(
      configuration: configuration, keyring: keyring, remembered: cache?.handles ?? []
    ).streams(&diagnostics)
  }

  /// Puts several captures on the first one's clock.
  mutating func align(_ streams: [CaptureStream]) {
    alignment.align(streams, &diagnostics)
  }

  /// The next row; a fault of the input is reported and ends the timeline.
  mutating func next(_ timeline: inout Timeline<Keyring>) -> TimelineRow? {
    do throws(CaptureError) {
      let row = try timeline.next()
      if let row, row.cutBy == .capture {
        cuts[row.file, default: CutValues(first: row)].count += 1
      }
      return row
    } catch {
      diagnostics.report(error)
      return nil
    }
  }

  /// Says what went wrong below the messages so far.
  mutating func report(_ streams: [CaptureStream], start: Timestamp?) {
    for stream in streams {
      for notice in stream.takeNotices() {
        onNotice?(notice, stream.file)
        if notice.code == .discoveryCut { cutDiscoveries[stream.file] = notice }
        diagnostics.warn(notice, file: stream.file, start: start)
      }
      guard configuration.raw.verbosity > 0 else { continue }
      let notes = stream.takeMonitorNotes()
      for note in notes.notes { diagnostics.say(note, file: stream.file, start: start) }
      if notes.lost > 0 { diagnostics.say("\(stream.file): \(notes.lost) more notes") }
    }
  }

  /// Says what is to be said of a capture as a whole.
  mutating func conclude(_ stream: CaptureStream) {
    for note in stream.dissector.containerNotes { diagnostics.warn(note, file: stream.file) }
    for damage in stream.dissector.damages { diagnostics.report(damage) }
    let more = stream.dissector.damageCount - stream.dissector.damages.count
    if more > 0 { diagnostics.say("\(stream.file): \(more) more damaged places") }
    if let cut = cuts[stream.file] { diagnostics.report(cut, file: stream.file) }
    if let advice = CutAdvice.text(stream) {
      diagnostics.warn(advice, file: stream.file)
      // What could not even be named was needed too (cli.md, "Exit status").
      if stream.dissector.cuts.discoveryAnswers > 0, stream.dissector.unresolvedCount > 0 {
        diagnostics.report(
          "discovery was cut by the capture, so that values on handles that nothing names "
            + "are not shown", frame: cutDiscoveries[stream.file]?.frame, file: stream.file)
      }
    }
    guard configuration.raw.verbosity > 0 else { return }
    for line in CaptureExplanation(stream: stream, style: configuration.style).lines {
      diagnostics.say("\(stream.file): \(line)")
    }
  }

  /// The selection, whose times are instants only once the first packet is known.
  mutating func selection(_ streams: [CaptureStream], _ start: Timestamp?) -> RowSelection {
    let raw = configuration.raw
    var selection = RowSelection(raw)
    let first = start ?? Timestamp(nanoseconds: 0)
    let resolver = MomentResolver(
      first: first, last: { () throws(CaptureError) in try Self.lastTime(streams, first) },
      isUTC: raw.clock == .utc)
    do throws(CaptureError) {
      if let from = raw.from { selection.from = try resolver.resolve(from) }
      if let to = raw.to { selection.to = try resolver.resolve(to) }
    } catch {
      diagnostics.report(error)
    }
    for text in raw.filters {
      // Only a time before the end of standard input is refused so late.
      do throws(FilterError) {
        selection.filters.append(try RowFilter(text, times: { resolver.instant(of: $0) }))
      } catch {
        diagnostics.say("--filter: \(error)")
        diagnostics.raise(to: .usage)
        selection.isImpossible = true
      }
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
final class MessageCounter {
  var value = 0
}
