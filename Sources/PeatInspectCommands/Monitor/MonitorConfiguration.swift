import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// The options of `monitor`, checked against each other; nothing is opened yet.
struct MonitorConfiguration {
  enum Source: Equatable {
    /// Standard input, a FIFO or a growing file.
    case path(String)
    case replay(String, speed: Double)
    /// A capture device.
    case device(String)

    /// What it is called.
    var name: String {
      switch self {
      case .path(let name), .replay(let name, _), .device(let name): name
      }
    }
  }

  /// One, or several that are read as one.
  var sources: [Source]
  var format: RawOptions.Format
  var dissection: DissectionOptions
  var style: TextStyle
  var recording: RecordingOptions?
  /// What to alert of; empty where nothing is done at an alert.
  var alerts: [AlertCondition]
  var raw: RawOptions

  /// Whether a finished capture is played.
  var isReplay: Bool { sources.contains { if case .replay = $0 { true } else { false } } }

  /// Whether nothing speaks against a full screen: no format was asked for, and a terminal is there.
  var wantsScreen: Bool { raw.format == nil && FileDescriptor.standardOutput.isTerminal }

  init(
    _ raw: RawOptions, arguments: [String], environment: Environment
  ) throws(UsageError) {
    sources = try MonitorConfiguration.sources(raw, arguments)
    recording = try MonitorConfiguration.recording(raw.monitor)
    let acts = raw.monitor.rings || !raw.monitor.commands.isEmpty
    if !acts, !raw.monitor.alerts.isEmpty {
      throw UsageError("--on needs --exec CMD ARG... \\; or --bell")
    }
    alerts = acts && raw.monitor.alerts.isEmpty ? [.emergency] : raw.monitor.alerts
    let shared = try InspectConfiguration(raw, files: [], environment: environment)
    self.raw = raw
    format = shared.format
    dissection = shared.dissection
    style = shared.style
  }

  private static func recording(
    _ raw: MonitorOptions
  ) throws(UsageError) -> RecordingOptions? {
    guard let path = raw.write else {
      if raw.rotation != nil { throw UsageError("--rotate needs -w FILE") }
      if raw.files != nil { throw UsageError("--files needs -w FILE") }
      if raw.comments { throw UsageError("--comments needs -w FILE.pcapng") }
      return nil
    }
    let isPipe = (try? FileStatus(path: path))?.kind == .pipe
    guard let format = RecordingFormat(path: path) ?? (isPipe ? .pcapng : nil) else {
      throw UsageError("-w \(UsageError.quoted(path)): the name must end in .pcapng or .btsnoop")
    }
    if raw.comments, format != .pcapng {
      throw UsageError("--comments: btsnoop has no place for them", advice: "use -w FILE.pcapng")
    }
    if raw.files != nil, raw.rotation == nil { throw UsageError("--files needs --rotate WHEN") }
    return RecordingOptions(path: path, format: format, rotation: raw.rotation, files: raw.files)
  }

  /// What is read: one replay, or as many devices, pipes and growing files as are named.
  private static func sources(
    _ raw: RawOptions, _ arguments: [String]
  ) throws(UsageError) -> [Source] {
    if let file = raw.monitor.replay {
      guard arguments.isEmpty, raw.monitor.interfaces.isEmpty else {
        throw UsageError(
          "--replay takes the place of \(UsageError.quoted(raw.monitor.interfaces.first ?? arguments[0]))"
        )
      }
      return [.replay(file, speed: raw.monitor.speed ?? 1)]
    }
    if raw.monitor.speed != nil { throw UsageError("--speed needs --replay FILE") }
    let sources =
      raw.monitor.interfaces.map { isPath($0) ? Source.path($0) : .device($0) }
      + arguments.map { Source.path($0) }
    guard !sources.isEmpty else {
      throw UsageError(
        "'monitor' needs a source",
        advice: "-i IFACE, - for standard input, a FIFO, a file, or --replay FILE"
      )
    }
    for (index, source) in sources.enumerated() where sources[..<index].contains(source) {
      throw UsageError("\(UsageError.quoted(source.name)) is given twice")
    }
    guard sources.count <= sourceLimit else {
      throw UsageError("'monitor' takes at most \(sourceLimit) sources")
    }
    return sources
  }

  /// Inputs at a time.
  private static let sourceLimit = 64

  /// Whether -i names a pipe or file, as other tools take it there too.
  private static func isPath(_ name: String) -> Bool {
    if name == "-" || name.contains("/") { return true }
    return !name.hasPrefix("bluetooth") && (try? FileStatus(path: name)) != nil
  }
}

extension MonitorConfiguration {
  /// Understands the times of filters, which count from the first packet.
  static func filterTimes(
    first: Timestamp, isUTC: Bool
  ) -> @Sendable (String) -> Int64? {
    { text in
      let resolver = MomentResolver(first: first, last: { nil }, isUTC: isUTC)
      return resolver.instant(of: text)
    }
  }
}
