import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect convergence FILE...`: how each update spread.
struct ConvergenceCommand {
  private var run: CaptureReading

  init(_ configuration: InspectConfiguration) throws { run = try CaptureReading(configuration) }

  mutating func execute() throws(Errno) -> ExitStatus {
    let configuration = run.configuration
    var convergence = Convergence(files: configuration.files)
    guard let end = run.forEachRow({ convergence.take($0, capture: $1) }) else {
      return run.diagnostics.status
    }
    let window = MomentWindow(configuration, end, &run.diagnostics)
    run.diagnostics.warn(ofSteps: end.clocks.map(\.steps), end.files, configuration.raw)
    let nodes = Set(configuration.raw.nodes)
    let report = ConvergenceReport(convergence, spans: ClockSpans(end.clocks)) { spread in
      (nodes.isEmpty || nodes.contains(spread.news.origin)) && window.contains(spread.first.time)
    }
    let printer = ConvergencePrinter(
      report, files: end.files, start: end.start, clocks: end.clocks.map(\.steps))
    var text = OutputText(capacity: 1 << 16)
    switch configuration.format {
    case .ndjson: printer.appendRecords(to: &text)
    case .csv: printer.appendCSV(to: &text)
    case .text:
      ConvergenceText(
        printer, style: configuration.style,
        callsign: { end.state.nodes[$0]?.peripheral?.callsign.text }
      ).append(to: &text)
    }
    let target = try OutputTarget(path: configuration.output)
    try target.sink.append(text.bytes)
    run.diagnostics.finish()
    try target.finish()
    return run.diagnostics.status
  }
}
