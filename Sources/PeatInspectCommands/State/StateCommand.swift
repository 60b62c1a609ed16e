import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect state FILE...`: the mesh and each node at one moment.
struct StateCommand {
  private let configuration: InspectConfiguration
  private let keyring: Keyring
  private let alignment: CaptureAlignment
  private var diagnostics: Diagnostics

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    alignment = try CaptureAlignment(configuration)
    let keys = try KeyLoading(configuration.raw)
    keyring = keys.keyring
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  mutating func run() throws(Errno) -> ExitStatus {
    // Where the first packet can be looked up before, nothing behind the moment is read at all.
    var moment = self.moment(start: firstTime())
    let streams = openAll(until: moment)
    guard !streams.isEmpty else { return diagnostics.status }
    let target = try OutputTarget(path: configuration.output)
    alignment.align(streams, &diagnostics)
    if moment == nil {
      let start = prime(streams)
      let isSurveyed = streams.allSatisfy(\.isSurveyed)
      let last = isSurveyed ? streams.compactMap(\.lastTime).max() : nil
      moment = self.moment(start: start, last: last)
    }
    let view = replay(streams, until: moment)
    var text = OutputText(capacity: 1 << 16)
    let isVerbose = configuration.raw.verbosity > 0
    switch configuration.format {
    case .ndjson: text.append(records: view, all: isVerbose)
    case .csv: StateCSV.append(view, all: isVerbose, to: &text)
    case .text: StateTable(view, style: configuration.style).append(to: &text, all: isVerbose)
    }
    try target.sink.append(text.slice)
    diagnostics.finish()
    try target.finish()
    return diagnostics.status
  }

  /// Replays the captures up to a moment.
  private mutating func replay(_ streams: [CaptureStream], until moment: Int64?) -> MeshView {
    var timeline = Timeline(
      streams: streams, opener: keyring, appliesDeltas: configuration.raw.appliesDeltas)
    var sightings = NodeSightings()
    while isWithin(moment, streams), let row = next(&timeline) {
      sightings.note(row)
      if row.cutBy == .capture { diagnostics.raise(to: .damaged) }
      diagnostics.warn(of: streams, start: timeline.startTime)
    }
    diagnostics.warn(of: streams, start: timeline.startTime)
    for stream in streams { diagnostics.conclude(stream) }
    diagnostics.warn(
      ofSteps: streams.map { $0.dissector.clockSteps }, streams.map(\.file), configuration.raw)
    var decoder = MessageDecoder(opener: keyring)
    let last = streams.compactMap(\.lastTime).max()
    let time =
      moment.map {
        Timestamp(nanoseconds: $0, isNanosecondPrecise: last?.isNanosecondPrecise ?? false)
      } ?? last
    var elapsed: Int64?
    if let start = timeline.startTime {
      elapsed =
        moment == nil
        ? streams.compactMap { $0.elapsed(since: start) }.max()
        : time.map { max(0, $0.nanoseconds(since: start)) }
    }
    return MeshView(
      time: time, elapsed: elapsed, state: timeline.state, sightings: sightings,
      advertisers: advertisers(streams).map { AdvertiserReading($0, decoder: &decoder) })
  }

  /// Whether the next value of any capture is not behind the moment.
  private func isWithin(_ moment: Int64?, _ streams: [CaptureStream]) -> Bool {
    guard let moment else { return true }
    return streams.contains { stream in
      // A fault of the input is met again, and reported, by the timeline.
      guard let value = try? stream.peek() else { return true }
      return value.time.map { $0.nanoseconds <= moment } ?? true
    }
  }

  /// Everybody who was heard in any capture, ascending by address.
  private func advertisers(_ streams: [CaptureStream]) -> [Advertiser] {
    var known: [UInt64: Advertiser] = [:]
    for stream in streams {
      for advertiser in stream.dissector.advertisers.all {
        let address = advertiser.address.value
        known[address] = known[address].map { $0.joined(with: advertiser) } ?? advertiser
      }
    }
    return known.values.sorted { $0.address.value < $1.address.value }
  }
}

extension StateCommand {
  private mutating func openAll(until moment: Int64?) -> [CaptureStream] {
    var limited = configuration
    limited.dissection.until = moment
    return CaptureOpening(configuration: limited, keyring: keyring, remembered: [])
      .streams(&diagnostics)
  }

  /// The next row; a fault of the input is reported and ends the replay.
  private mutating func next(_ timeline: inout Timeline<Keyring>) -> TimelineRow? {
    do throws(CaptureError) {
      return try timeline.next()
    } catch {
      diagnostics.report(error)
      return nil
    }
  }

  /// The instant of `--at`, where the first packet's time is known.
  private mutating func moment(start: Timestamp?, last: Timestamp? = nil) -> Int64? {
    guard let at = configuration.raw.at, let start else { return nil }
    let files = configuration.files
    let resolver = MomentResolver(
      first: start,
      last: { () throws(CaptureError) in
        if let last { return last }
        return try StateCommand.lastTime(files) ?? start
      },
      isUTC: configuration.raw.clock == .utc)
    do throws(CaptureError) {
      return try resolver.resolve(at)
    } catch {
      diagnostics.report(error)
      return nil
    }
  }

  /// The first packet's time of all captures, by a reading of its own; nil where it is not asked
  /// for, where a capture can be read only once, or where the clocks of several captures are not
  /// aligned yet. What cannot be read is reported later.
  private func firstTime() -> Timestamp? {
    guard configuration.raw.at != nil, configuration.files.count == 1,
      !configuration.files.contains("-")
    else { return nil }
    var first: Timestamp?
    for file in configuration.files {
      guard var reader = try? CaptureReader(path: file), reader.isSeekable else { continue }
      while let record = try? reader.next() {
        guard let time = record.time else { continue }
        if first.map({ time < $0 }) ?? true { first = time }
        break
      }
    }
    return first
  }

  /// The first packet's time of open captures.
  private func prime(_ streams: [CaptureStream]) -> Timestamp? {
    guard configuration.raw.at != nil else { return nil }
    for stream in streams { _ = try? stream.peek() }
    return streams.compactMap(\.firstTime).min()
  }

  /// The last packet's time of all captures, by a reading of its own.
  private static func lastTime(_ files: [String]) throws(CaptureError) -> Timestamp? {
    var last: Timestamp?
    for file in files {
      if file == "-" {
        throw CaptureError(
          .unsupported, path: "-",
          reason: "a time before the end needs a file; standard input can be read only once")
      }
      guard var reader = try? CaptureReader(path: file) else { continue }
      while let record = try reader.next() {
        if let time = record.time, last.map({ $0 < time }) ?? true { last = time }
      }
    }
    return last
  }
}

extension Advertiser {
  /// One device as several captures heard it; the later report counts where they differ.
  fileprivate func joined(with other: Advertiser) -> Advertiser {
    let isLater = (other.lastHeard?.nanoseconds ?? .min) > (lastHeard?.nanoseconds ?? .min)
    var result = isLater ? other : self
    let older = isLater ? self : other
    result.isPeat = isPeat || other.isPeat
    result.name = result.name ?? older.name
    result.serviceData = result.serviceData ?? older.serviceData
    result.beacon = result.beacon ?? older.beacon
    result.lastRSSI = result.lastRSSI ?? older.lastRSSI
    result.minimumRSSI = [minimumRSSI, other.minimumRSSI].compactMap { $0 }.min()
    result.maximumRSSI = [maximumRSSI, other.maximumRSSI].compactMap { $0 }.max()
    result.reports = reports + other.reports
    return result
  }
}
