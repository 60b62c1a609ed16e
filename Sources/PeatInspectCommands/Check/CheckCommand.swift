import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatProtocol
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
    var configuration = configuration
    configuration.dissection.wanted = [.mesh, .smp]
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    if configuration.raw.listsFindings {
      try list()
      return .done
    }
    var analysis = CaptureAnalysis(session, .findings, accepts: accepts)
    guard try analysis.open() else { return try session.finishUnopened() }
    let target = try session.output()
    analysis.read { _ in }
    try write(analysis, to: target.sink)
    if let worst = analysis.findings.worst, worst >= configuration.raw.failOn ?? .error {
      session.diagnostics.raise(to: .findings)
    }
    return try session.finish(target)
  }

  /// Which codes are wanted: what sound captures are full of only where it is asked for.
  private var accepts: @Sendable (FindingCode) -> Bool {
    let raw = configuration.raw
    let only = Set(raw.onlyFindings)
    let ignored = Set(raw.ignoredFindings)
    let least = raw.leastSeverity ?? .note
    let tellsUsual = raw.verbosity > 0
    return { code in
      if ignored.contains(code) || code.severity < least { return false }
      if !only.isEmpty { return only.contains(code) }
      return tellsUsual || !FindingTable.entry(of: code).isUsual
    }
  }

  private func write(_ analysis: CaptureAnalysis, to sink: OutputSink) throws(Errno) {
    var text = OutputText(capacity: 4096)
    switch configuration.format {
    case .text where configuration.raw.fileFormat == .markdown:
      MarkdownReport(
        hasSeveralFiles: session.streams.count > 1, callsign: analysis.story.log.callsign
      ).append(analysis.findings, analysis.looked, to: &text)
    case .text:
      FindingText(
        style: configuration.style, hasSeveralFiles: session.streams.count > 1,
        callsign: analysis.story.log.callsign, links: analysis.story.links.links
      ).append(analysis.findings, analysis.looked, to: &text)
    case .csv:
      text.appendFindingCSVHeader()
      for item in analysis.findings.items { text.append(csvFinding: item) }
    case .ndjson:
      for item in analysis.findings.items { text.append(finding: item) }
    }
    try sink.append(text.bytes)
  }

  private func list() throws(Errno) {
    let target = try OutputTarget(
      path: configuration.output, configuration.format, configuration.style)
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
