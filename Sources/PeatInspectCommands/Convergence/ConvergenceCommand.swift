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
    guard try session.open(resolvesTimesLater: true) else { return session.status }
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
    switch configuration.format {
    case .ndjson: printer.appendRecords(to: &text)
    case .csv: printer.appendCSV(to: &text)
    case .text:
      let state = session.state
      ConvergenceText(
        printer, style: configuration.style,
        callsign: { state.nodes[$0]?.peripheral?.callsign.text }
      ).append(to: &text)
    }
    try target.sink.append(text.bytes)
    return try session.finish(target)
  }
}
