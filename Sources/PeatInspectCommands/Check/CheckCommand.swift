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
  private var captures: CaptureRun

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    if configuration.files.isEmpty && !configuration.raw.listsFindings {
      throw UsageError(
        "'check' needs a FILE", advice: "'check --list' prints the table of findings")
    }
    self.configuration = configuration
    captures = try CaptureRun(configuration)
  }

  mutating func run() throws(Errno) -> ExitStatus {
    if configuration.raw.listsFindings {
      try list()
      return .done
    }
    let notices = NoticeBox()
    captures.onNotice = { notice, file in notices.add(notice, file) }
    let streams = captures.open()
    guard !streams.isEmpty else { return captures.diagnostics.status }
    let target = try OutputTarget(path: configuration.output)
    var progress = Progress(configuration.raw.progress)
    let counter = MessageCounter()
    for stream in streams {
      stream.onProgress = { done, total in
        progress.update(done: done, total: total, messages: counter.value)
      }
    }
    var timeline = Timeline(streams: streams, opener: captures.keyring, engine: FindingEngine())
    var report = FindingReport(start: nil)
    var selection: RowSelection?
    while let row = captures.next(&timeline) {
      if selection == nil { report = FindingReport(start: timeline.startTime) }
      let active = selection ?? captures.selection(streams, timeline.startTime)
      selection = active
      counter.value += 1
      captures.report(streams, start: timeline.startTime)
      notices.drain(into: &report)
      if active.contains(row) { report.add(row) }
    }
    captures.report(streams, start: timeline.startTime)
    notices.drain(into: &report)
    for (index, stream) in streams.enumerated() {
      conclude(stream, timeline.engine, &report) { timeline.linkNumber($0, stream: index) }
      captures.conclude(stream)
    }
    progress.finish()
    captures.diagnostics.warn(
      ofSteps: streams.map { $0.dissector.clockSteps }, streams.map(\.file), configuration.raw)
    try write(report, to: target.sink, hasSeveralFiles: streams.count > 1)
    captures.diagnostics.finish()
    try target.finish()
    if let worst = report.worst, worst >= configuration.raw.failOn ?? .error {
      captures.diagnostics.raise(to: .findings)
    }
    return captures.diagnostics.status
  }

  /// What only the whole capture shows, of the nodes that are asked for.
  private func conclude(
    _ stream: CaptureStream, _ engine: FindingEngine?, _ report: inout FindingReport,
    linkNumber: (Int) -> Int?
  ) {
    let end = CaptureEnd(
      file: stream.file, lastTime: stream.dissector.lastTime,
      links: stream.dissector.linkFacts, advertisers: stream.dissector.advertisers)
    let nodes = configuration.raw.nodes
    for finding in engine?.conclude(end) ?? [] {
      if let node = finding.node, !nodes.isEmpty, !nodes.contains(node) { continue }
      var finding = finding
      finding.link = finding.link.flatMap(linkNumber)
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

/// Notices on their way into a report, which the run that tells of them cannot hold itself.
private final class NoticeBox {
  private var waiting: [(notice: Notice, file: String)] = []

  func add(_ notice: Notice, _ file: String) { waiting.append((notice, file)) }

  func drain(into report: inout FindingReport) {
    for (notice, file) in waiting { report.add(notice, file: file) }
    waiting.removeAll(keepingCapacity: true)
  }
}
