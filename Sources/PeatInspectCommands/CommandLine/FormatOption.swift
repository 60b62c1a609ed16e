import CommandLineOptions

/// `--format`, with the formats that a command has.
enum FormatOption {
  static let markdown = Choice("markdown", "tables for a ticket, with times in UTC")
  static let dot = Choice("dot", "a graph of who told whom, for Graphviz")
  static let positions = [
    Choice("geojson", "positions for a map (RFC 7946)"),
    Choice("kml", "positions for a map (KML 2.2)"),
  ]

  /// The option for the formats of records, and those besides.
  static func option(
    _ more: [Choice], csv: String = "one row a message",
    discussion: String = "CSV and NDJSON always show times in UTC and are stable for scripts."
  ) -> Option<RawOptions> {
    let choices =
      [
        Choice("text", "for reading"), Choice("csv", csv),
        Choice("ndjson", "one JSON object a line"),
      ] + more
    let names = choices.map(\.name)
    return Option(
      long: "format", short: "f", value: "FMT", choices: choices, defaultValue: "text",
      category: .output, summary: "how to print", discussion: discussion, isCommon: true,
      apply: .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
        guard names.contains(text) else {
          throw InvalidValue("expected one of \(names.joined(separator: ", "))")
        }
        raw.setFormat(text)
      })
  }

  /// The options of output with these formats besides.
  static func output(_ more: [Choice] = [], csv: String) -> [Option<RawOptions>] {
    [option(more, csv: csv)] + SharedOptions.output.filter { $0.long != "format" }
  }
}

extension RawOptions {
  /// Sets a format by its name, be it one of records or of a file; the last one given stands.
  fileprivate mutating func setFormat(_ name: String) {
    format = Format(rawValue: name)
    fileFormat = FileFormat(rawValue: name)
  }
}
