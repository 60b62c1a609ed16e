import CommandLineOptions
import PeatProtocol
import PeatReports
import SystemIO

/// The options of `decode` and `merge`, checked; nothing is opened yet.
struct DecodeConfiguration {
  /// Hexadecimal texts; empty for the lines of standard input.
  var inputs: [String]
  var isText: Bool
  var output: String?
  /// The kind that the bytes are read as, whatever their first byte says.
  var kind: MessageKind?
  /// Whether the bytes are messages of firmware upgrades.
  var isUpgrade: Bool
  var style: TextStyle
  var raw: RawOptions

  init(_ raw: RawOptions, inputs: [String], environment: Environment) throws(UsageError) {
    self.raw = raw
    self.inputs = inputs == ["-"] ? [] : inputs
    output = raw.output == "-" ? nil : raw.output
    switch raw.decodesAs {
    case .peat(let named)?: kind = named
    case .smp?, nil: kind = nil
    }
    isUpgrade = raw.decodesAs == .smp
    style = TextStyle(raw, writesToFile: output != nil, environment: environment)
    switch raw.format {
    case .text: isText = true
    case .ndjson: isText = false
    case .csv: throw UsageError("--format: 'csv' is not one of text, ndjson")
    case nil: isText = output == nil && FileDescriptor.standardOutput.isTerminal
    }
  }
}
