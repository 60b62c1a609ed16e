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
  var diagnostics: Diagnostics
  /// Told each notice of the layers below the messages, with its file.
  var onNotice: ((Notice, String) -> Void)?

  /// Reads the keys; the captures are opened by `open()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  /// Opens every capture that can be opened.
  mutating func open() -> [CaptureStream] {
    var streams: [CaptureStream] = []
    for file in configuration.files {
      do throws(CaptureError) {
        var reader = try CaptureReader(path: file)
        reader.stopsAtDamage = configuration.raw.isStrict
        streams.append(
          CaptureStream(file: file, reader: reader, options: configuration.dissection))
      } catch {
        diagnostics.report(error)
      }
    }
    return streams
  }

  /// The next row; a fault of the input is reported and ends the timeline.
  mutating func next(_ timeline: inout Timeline<Keyring>) -> TimelineRow? {
    do throws(CaptureError) {
      let row = try timeline.next()
      if row?.cutBy == .capture { diagnostics.raise(to: .damaged) }
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
        diagnostics.warn(notice, file: stream.file, start: start)
      }
    }
  }

  /// Says what is to be said of a capture as a whole.
  mutating func conclude(_ stream: CaptureStream) {
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

  /// The selection, whose times are instants only once the first packet is known.
  mutating func selection(_ streams: [CaptureStream], _ start: Timestamp?) -> RowSelection {
    let raw = configuration.raw
    var selection = RowSelection()
    selection.nodes = Set(raw.nodes)
    selection.peers = Set(raw.peers)
    selection.kinds = Set(raw.kinds)
    selection.events = Set(raw.events)
    selection.changedOnly = raw.changedOnly
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
final class MessageCounter {
  var value = 0
}
