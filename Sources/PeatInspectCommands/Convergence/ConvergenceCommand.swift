import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect convergence FILE...`: how each update spread.
struct ConvergenceCommand {
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws { session = try CaptureSession(configuration) }

  func run() throws -> ExitStatus {
    guard try session.open(resolvesTimesLater: true) else {
      return try session.finishUnopened()
    }
    let target = try session.output()
    let configuration = session.configuration
    let files = session.streams.map(\.file)
    var places: [String: Int] = [:]
    for (place, file) in files.enumerated() { places[file] = place }
    var convergence = Convergence(files: configuration.files)
    while let row = session.next() { convergence.take(row, capture: places[row.file] ?? 0) }
    session.conclude()
    let window = session.window()
    let nodes = Set(configuration.raw.nodes)
    let report = ConvergenceReport(convergence, spans: ClockSpans(session.clocks)) { spread in
      (nodes.isEmpty || nodes.contains(spread.news.origin)) && window.contains(spread.first.time)
    }
    let printer = ConvergencePrinter(
      report, files: files, start: session.start, clocks: session.clocks.map(\.steps))
    var text = OutputText(capacity: 1 << 16)
    let state = session.state
    let callsign = { (node: NodeID) in state.nodes[node]?.peripheral?.callsign.text }
    switch configuration.format {
    case .text where configuration.raw.fileFormat == .dot:
      ConvergenceGraph(report, callsign: callsign).append(to: &text)
    case .text where configuration.raw.fileFormat == .markdown:
      MarkdownReport(hasSeveralFiles: files.count > 1, callsign: callsign)
        .append(report, to: &text)
    case .ndjson: printer.appendRecords(to: &text)
    case .csv: printer.appendCSV(to: &text)
    case .text:
      ConvergenceText(printer, style: configuration.style, callsign: callsign).append(to: &text)
    }
    try target.sink.append(text.bytes)
    return try session.finish(target)
  }
}
