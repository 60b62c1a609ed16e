import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// One reading of all captures of a command line, with keys, common clock, progress and warnings.
struct CaptureReading {
  /// What is known when the reading has ended.
  struct End {
    var state: MeshState
    /// The first packet of the earliest capture.
    var start: Timestamp?
    /// The last packet of all captures.
    var last: Timestamp?
    /// The captures that could be opened, as named.
    var files: [String]
    /// Their clocks.
    var clocks: [ClockSpans.Capture]
  }

  let configuration: InspectConfiguration
  var diagnostics: Diagnostics
  private let keyring: Keyring
  private let alignment: CaptureAlignment

  /// Reads the keys; the captures are opened by `forEachRow`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    alignment = try CaptureAlignment(configuration)
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  /// Reads everything once; the body is told each row and the place of its capture.
  ///
  /// Nil where no capture could be opened.
  mutating func forEachRow(_ body: (TimelineRow, Int) -> Void) -> End? {
    let opening = CaptureOpening(
      configuration: configuration, keyring: keyring, remembered: [])
    let streams = opening.streams(&diagnostics)
    guard !streams.isEmpty else { return nil }
    var progress = Progress(configuration.raw.progress)
    let counter = RowCount()
    for stream in streams {
      stream.onProgress = { done, total in
        progress.update(done: done, total: total, messages: counter.value)
      }
    }
    defer { progress.finish() }
    alignment.align(streams, &diagnostics)
    var places: [String: Int] = [:]
    for (place, stream) in streams.enumerated() { places[stream.file] = place }
    var timeline = Timeline(streams: streams, opener: keyring)
    do throws(CaptureError) {
      while let row = try timeline.next() {
        counter.value += 1
        if row.cutBy == .capture { diagnostics.raise(to: .damaged) }
        diagnostics.warn(of: streams, start: timeline.startTime)
        body(row, places[row.file] ?? 0)
      }
    } catch {
      diagnostics.report(error)
    }
    diagnostics.warn(of: streams, start: timeline.startTime)
    for stream in streams { diagnostics.conclude(stream) }
    return End(
      state: timeline.state, start: timeline.startTime,
      last: streams.compactMap(\.lastTime).max(), files: streams.map(\.file),
      clocks: streams.map(\.clockSpans))
  }
}

extension Diagnostics {
  /// The notices that came up since the last call.
  mutating func warn(of streams: [CaptureStream], start: Timestamp?) {
    for stream in streams {
      for notice in stream.takeNotices() { warn(notice, file: stream.file, start: start) }
    }
  }

  /// What a capture that was read to its end told of itself.
  mutating func conclude(_ stream: CaptureStream) {
    for note in stream.dissector.containerNotes { warn(note, file: stream.file) }
    for damage in stream.dissector.damages { report(damage) }
    let more = stream.dissector.damageCount - stream.dissector.damages.count
    if more > 0 { say("\(stream.file): \(more) more damaged places") }
  }
}

/// A count that a progress line reads while the rows are made.
private final class RowCount {
  var value = 0
}
