import CommandLineOptions
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect stats FILE...`: how much was sent, by whom, over what, and how much of it was of use.
struct StatisticsCommand {
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws { session = try CaptureSession(configuration) }

  func run() throws -> ExitStatus {
    guard try session.open() else { return try session.finishUnopened() }
    let target = try session.output()
    let configuration = session.configuration
    var places: [String: Int] = [:]
    for (place, stream) in session.streams.enumerated() { places[stream.file] = place }
    var convergence = Convergence(files: configuration.files)
    var statistics = TrafficStatistics(interval: configuration.raw.statisticsInterval)
    while let row = session.next() {
      let isUseful = convergence.take(row, capture: places[row.file] ?? 0)
      statistics.take(row, isUseful: isUseful, isSelected: session.selects(row))
    }
    session.conclude()
    if statistics.total.messages == 0, convergence.messages > 0 {
      session.diagnostics.warn(
        "nothing matches the options; \(counted(convergence.messages, "message")) "
          + (convergence.messages == 1 ? "is" : "are") + " in the captures")
    }
    let state = session.state
    let report = StatisticsReport(
      statistics, start: session.start, elapsed: session.elapsed,
      callsign: { state.nodes[$0]?.peripheral?.callsign.text })
    var text = OutputText(capacity: 1 << 16)
    switch configuration.format {
    case .ndjson: report.appendRecords(to: &text)
    case .csv: report.appendCSV(to: &text)
    case .text: StatisticsText(report, style: configuration.style).append(to: &text)
    }
    try target.sink.append(text.slice)
    return try session.finish(target)
  }
}

extension ToolDefinition {
  static let stats = Command<RawOptions>(
    name: "stats",
    summary: "how much was sent, by node, connection, kind and time, and how much was useful",
    discussion: """
      Counts the messages and bytes of the captures, by the node that a message is of, by connection \
      and direction, by kind, and over time. A message is useful where it told its receiver \
      something that the captures do not show the receiver to have known, as in convergence; it is \
      a repeat where it has the same bytes as the one before on its connection.

      NDJSON has one object, and CSV one row, for everything, then for each node, connection and \
      direction, kind, and interval that holds messages; "by" says which.
      """,
    options: FormatOption.output(csv: "one row for each object of the NDJSON") + [interval]
      + SharedOptions.selection + [SharedOptions.meshID] + SharedOptions.reading
      + SharedOptions.members + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example("peat-inspect stats samples/phone.log", "Who sent how much, and was it of use?"),
      Example(
        "peat-inspect stats --interval 10 -f csv samples/mesh-emergency.btsnoop",
        "Messages in every ten seconds, for a spreadsheet."),
    ],
    seeAlso: ["convergence", "links"])

  private static let interval = Option<RawOptions>(
    long: "interval", value: "TIME", category: .output,
    summary: "length of an interval, such as 500ms, 10 or 5m",
    discussion: "Default: what divides the time of the captures into at most 60.", isCommon: true,
    apply: .parsed(
      \.statisticsInterval,
      by: { (text) throws(InvalidValue) in Int64(clamping: try DurationText.parse(text)) }))
}
