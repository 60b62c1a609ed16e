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
  /// Where the bytes of a file lie, if elsewhere than under the name it goes by.
  var substitutes: [String: String] = [:]

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
    substitutes = raw.anonymize.made?.paths ?? [:]
    format = raw.format ?? (raw.fleet.isMergeable ? .ndjson : .text)
    // What a worker prints is somebody else's to put in a file.
    output = raw.output == "-" || raw.fleet.isWorker ? nil : raw.output
    try InspectConfiguration.check(raw.fleet, isRecords: raw.format == .ndjson, files)
    var dissection = DissectionOptions()
    dissection.characteristics = DocumentCharacteristics(
      adding: raw.characteristics.compactMap { BluetoothUUID($0) })
    dissection.hints = raw.handles.compactMap { HandleText.parse($0) }
    dissection.includesSiblings = raw.allCharacteristics
    self.dissection = dissection
    style = TextStyle(raw, writesToFile: output != nil, environment: environment)
    // A file of its own is read in other places than that of its making.
    if raw.fileFormat != nil { style.clock = .utc }
  }

  /// What records and messages call a capture of the command line.
  func shownName(_ file: String) -> String { file == "-" ? raw.fleet.inputName ?? file : file }

  private static func check(
    _ fleet: FleetOptions, isRecords: Bool, _ files: [String]
  ) throws(UsageError) {
    if !fleet.isEach {
      for (name, isGiven) in [("jobs", fleet.jobs != nil), ("time-limit", fleet.timeLimit != nil)]
      where isGiven {
        throw UsageError("--\(name) goes with --each")
      }
    }
    if fleet.hasFacts, !isRecords {
      throw UsageError("--facts are records", advice: "add -f ndjson")
    }
    if fleet.inputName != nil, !fleet.isWorker, !files.contains("-") {
      throw UsageError("--name names standard input (-), which is not read")
    }
  }
}
