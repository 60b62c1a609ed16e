import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatReports
import SystemIO
import WireBytes

/// The options of a reading command, checked against each other; nothing is opened yet.
struct InspectConfiguration {
  var files: [String]
  var format: RawOptions.Format
  var output: String?
  var dissection: DissectionOptions
  var style: TextStyle
  var raw: RawOptions

  init(
    _ raw: RawOptions, files: [String], environment: Environment
  ) throws(UsageError) {
    if files.filter({ $0 == "-" }).count > 1 {
      throw UsageError("standard input (-) can be read only once")
    }
    if raw.follows && files.count > 1 {
      throw UsageError("--follow reads one file; \(files.count) are given")
    }
    self.raw = raw
    self.files = files
    format = raw.format ?? .text
    output = raw.output == "-" ? nil : raw.output
    var dissection = DissectionOptions()
    dissection.characteristics = DocumentCharacteristics(
      adding: raw.characteristics.compactMap { BluetoothUUID($0) })
    dissection.hints = raw.handles.compactMap { HandleText.parse($0) }
    dissection.includesSiblings = raw.allCharacteristics
    self.dissection = dissection
    let isTerminal = output == nil && FileDescriptor.standardOutput.isTerminal
    let zone = LocalTimeZone()
    style = TextStyle(
      columns: InspectConfiguration.columns(isTerminal: isTerminal, environment: environment),
      usesColor: Terminal.usesColor(raw.color, isTerminal: isTerminal, environment: environment),
      clock: InspectConfiguration.clock(raw.clock), isVerbose: raw.verbosity > 0,
      zone: { zone.offset(at: $0.nanoseconds / 1_000_000_000) })
  }

  /// Lines fit 100 columns where nothing tells the width (cli.md).
  private static func columns(isTerminal: Bool, environment: Environment) -> Int {
    if isTerminal || environment.has("COLUMNS") {
      return Terminal.columns(of: .standardOutput, environment: environment)
    }
    return 100
  }

  private static func clock(_ clock: RawOptions.Clock) -> TextStyle.Clock {
    switch clock {
    case .local: .local
    case .utc: .utc
    case .relative: .relative
    }
  }
}
