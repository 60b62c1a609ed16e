import BluetoothProtocols
import CommandLineOptions
import PeatDissection
import PeatReports
import SystemIO

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
  var raw: RawOptions

  init(
    _ raw: RawOptions, arguments: [String], environment: Environment
  ) throws(UsageError) {
    source = try MonitorConfiguration.source(raw, arguments)
    let shared = try InspectConfiguration(raw, files: [], environment: environment)
    self.raw = raw
    format = shared.format
    dissection = shared.dissection
    style = shared.style
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

extension RowSelection {
  /// What the options say of messages, times left aside.
  init(_ raw: RawOptions) {
    nodes = Set(raw.nodes)
    peers = Set(raw.peers)
    kinds = Set(raw.kinds)
    events = Set(raw.events)
    changedOnly = raw.changedOnly
  }
}
