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
    format = raw.format ?? .text
    output = raw.output == "-" ? nil : raw.output
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
}
