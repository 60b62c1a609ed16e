import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect check FILE...`: what is wrong with the mesh, how much it matters, what to do.
struct CheckCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    if configuration.files.isEmpty && !configuration.raw.listsFindings {
      throw UsageError(
        "'check' needs a FILE", advice: "'check --list' prints the table of findings")
    }
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    if configuration.raw.listsFindings {
      try list()
      return .done
    }
    // On one clock, but each capture for itself: what another one recorded too is part of its story.
    guard try session.open(engine: FindingEngine(), joinsMessages: false, keepsNotices: true) else {
      return session.status
    }
    let target = try session.output()
    var report: FindingReport?
    while let row = session.next() {
      var current = report ?? FindingReport(start: session.start)
      for (notice, file) in session.takeNotices() { current.add(notice, file: file) }
      if session.selects(row) { current.add(row) }
      report = current
    }
    session.conclude()
    var whole = report ?? FindingReport(start: session.start)
    for (notice, file) in session.takeNotices() { whole.add(notice, file: file) }
    for (index, stream) in session.streams.enumerated() { conclude(stream, index, &whole) }
    whole.blameRecorders()
    try write(whole, to: target.sink, hasSeveralFiles: session.streams.count > 1)
    if let worst = whole.worst, worst >= configuration.raw.failOn ?? .error {
      session.diagnostics.raise(to: .findings)
    }
    return try session.finish(target)
  }

  /// What only the whole capture shows, of the nodes that are asked for.
  private func conclude(_ stream: CaptureStream, _ index: Int, _ report: inout FindingReport) {
    let end = CaptureEnd(
      file: stream.file, lastTime: stream.dissector.lastTime,
      links: stream.dissector.linkFacts, advertisers: stream.dissector.advertisers)
    let nodes = configuration.raw.nodes
    for finding in session.engine?.conclude(end) ?? [] {
      if let node = finding.node, !nodes.isEmpty, !nodes.contains(node) { continue }
      var finding = finding
      finding.link = finding.link.flatMap { session.linkNumber($0, stream: index) }
      report.add(finding, file: stream.file)
    }
  }

  private func write(
    _ report: FindingReport, to sink: OutputSink, hasSeveralFiles: Bool
  ) throws(Errno) {
    var text = OutputText(capacity: 4096)
    switch configuration.format {
    case .text:
      FindingText(style: configuration.style, hasSeveralFiles: hasSeveralFiles)
        .append(report, to: &text)
    case .csv:
      text.appendFindingCSVHeader()
      for item in report.items { text.append(csvFinding: item) }
    case .ndjson:
      for item in report.items { text.append(finding: item) }
    }
    try sink.append(text.bytes)
  }

  private func list() throws(Errno) {
    let target = try OutputTarget(path: configuration.output)
    var text = OutputText(capacity: 16_384)
    switch configuration.format {
    case .text:
      FindingText(style: configuration.style, hasSeveralFiles: false).appendTable(to: &text)
    case .csv: text.appendFindingTableCSV()
    case .ndjson: for code in FindingCode.allCases { text.append(listed: code) }
    }
    try target.sink.append(text.bytes)
    try target.finish()
  }
}
