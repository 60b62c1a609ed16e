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
  }

  var source: Source
  var format: RawOptions.Format
  var dissection: DissectionOptions
  var style: TextStyle
  var recording: RecordingOptions?
  /// What to alert of; empty where nothing is done at an alert.
  var alerts: [AlertCondition]
  var raw: RawOptions

  /// Whether nothing speaks against a full screen: no format was asked for, and a terminal is there.
  var wantsScreen: Bool { raw.format == nil && FileDescriptor.standardOutput.isTerminal }

  init(
    _ raw: RawOptions, arguments: [String], environment: Environment
  ) throws(UsageError) {
    source = try MonitorConfiguration.source(raw, arguments)
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
      return nil
    }
    guard let format = RecordingFormat(path: path) else {
      throw UsageError("-w \(UsageError.quoted(path)): the name must end in .pcapng or .btsnoop")
    }
    if raw.files != nil, raw.rotation == nil { throw UsageError("--files needs --rotate WHEN") }
    return RecordingOptions(path: path, format: format, rotation: raw.rotation, files: raw.files)
  }

  private static func source(
    _ raw: RawOptions, _ arguments: [String]
  ) throws(UsageError) -> Source {
    if let name = raw.monitor.interface {
      guard arguments.isEmpty, raw.monitor.replay == nil else {
        throw UsageError("-i takes the place of any other source")
      }
      return .device(name)
    }
    if let file = raw.monitor.replay {
      guard arguments.isEmpty else {
        throw UsageError("--replay takes the place of \(UsageError.quoted(arguments[0]))")
      }
      return .replay(file, speed: raw.monitor.speed ?? 1)
    }
    if raw.monitor.speed != nil { throw UsageError("--speed needs --replay FILE") }
    guard let path = arguments.first else {
      throw UsageError(
        "'monitor' needs a source",
        advice: "-i IFACE, - for standard input, a FIFO, a file, or --replay FILE"
      )
    }
    return .path(path)
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
