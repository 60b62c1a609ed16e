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
    var story = MeshStory()
    while let row = session.next() {
      var current = report ?? FindingReport(start: session.start, accepts: accepts)
      story.take(row)
      for (notice, file) in session.takeNotices() { current.add(notice, file: file) }
      if session.selects(row) { current.add(row) }
      report = current
    }
    session.conclude()
    var whole = report ?? FindingReport(start: session.start, accepts: accepts)
    for (notice, file) in session.takeNotices() { whole.add(notice, file: file) }
    for (index, stream) in session.streams.enumerated() { conclude(stream, index, &whole) }
    story.conclude(session)
    let emergencies = story.emergencies
    conclude(story, emergencies, &whole)
    whole.blameRecorders()
    let looked = LookedAt(
      messages: story.log.messages, nodes: story.log.heard.count, links: story.links.links.count,
      emergencies: emergencies.count, acked: emergencies.count(where: \.isAckedByAll))
    try write(
      whole, story, looked, to: target.sink, hasSeveralFiles: session.streams.count > 1)
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

  /// What emergencies, links and nodes of all captures show together.
  private func conclude(
    _ story: MeshStory, _ emergencies: [EmergencyStory], _ report: inout FindingReport
  ) {
    let nodes = configuration.raw.nodes
    let rules = StoryRules(
      story.log, links: story.links, ends: story.ends,
      words: FindingText.words(style: configuration.style, callsign: story.log.callsign),
      end: session.last)
    for (finding, file) in rules.findings(emergencies) {
      if let node = finding.node, !nodes.isEmpty, !nodes.contains(node) { continue }
      report.add(finding, file: file)
    }
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

  private func write(
    _ report: FindingReport, _ story: MeshStory, _ looked: LookedAt, to sink: OutputSink,
    hasSeveralFiles: Bool
  ) throws(Errno) {
    var text = OutputText(capacity: 4096)
    switch configuration.format {
    case .text:
      FindingText(
        style: configuration.style, hasSeveralFiles: hasSeveralFiles,
        callsign: story.log.callsign, links: story.links.links
      ).append(report, looked, to: &text)
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
