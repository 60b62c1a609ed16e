import CommandLineOptions
import FirmwareUpgrades
import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import WireBytes

/// Everything that the captures of a run show together, of one reading: what `check`,
/// `emergencies`, `links` and databases tell alike.
///
///     var analysis = CaptureAnalysis(session, [.findings])
///     guard try analysis.open() else { return session.status }
///     let target = try session.output()
///     try analysis.read { row in ... }   // each selected row, as it comes
///
/// Findings are those of rows, of the layers below, of captures as wholes, and of emergencies, links
/// and nodes of all captures together; blame for clocks is set at the end.
struct CaptureAnalysis {
  /// What is worked out besides emergencies and links.
  struct Parts: OptionSet {
    let rawValue: Int
    static let findings = Parts(rawValue: 1)
    static let convergence = Parts(rawValue: 2)
  }

  private let session: CaptureSession
  private let parts: Parts
  private let accepts: @Sendable (FindingCode) -> Bool
  private(set) var story = MeshStory()
  /// All emergencies, the newest last.
  private(set) var emergencies: [EmergencyStory] = []
  /// All findings.
  private(set) var findings: FindingReport
  /// Those of them that belong to no row that is given.
  private(set) var wholeFindings: FindingReport
  /// What they say of recorders' clocks, instead of those of the nodes named there.
  private(set) var blamed: [FindingReport.Item] = []
  /// Messages of other protocols than Peat.
  private var others = 0
  /// How each update spread, where it was asked for.
  private(set) var convergence: ConvergenceReport?

  /// Nothing is opened yet; only findings of codes that `accepts` wants are kept.
  init(
    _ session: CaptureSession, _ parts: Parts = [],
    accepts: @escaping @Sendable (FindingCode) -> Bool = { _ in true }
  ) {
    self.session = session
    self.parts = parts
    self.accepts = accepts
    findings = FindingReport(start: nil, accepts: accepts)
    wholeFindings = findings
  }

  /// Opens the captures; false where none could be opened.
  func open() throws(UsageError) -> Bool {
    try session.open(
      engine: parts.contains(.findings) ? FindingEngine() : nil, givesRepeats: true,
      keepsNotices: parts.contains(.findings))
  }

  /// Reads the captures to their ends; `use` is given each row that the options select, once.
  mutating func read<Failure: Error>(
    _ use: (TimelineRow) throws(Failure) -> Void
  ) throws(Failure) {
    var places: [String: Int] = [:]
    for (place, stream) in session.streams.enumerated() { places[stream.file] = place }
    var spread = Convergence(files: session.configuration.files)
    var isFirst = true
    while let item = session.nextItem() {
      if isFirst { begin() }
      isFirst = false
      addNotices()
      addNeighbours(item)
      guard case .peat(let row) = item else { continue }
      story.take(row)
      if parts.contains(.convergence), !row.isRepeat {
        spread.take(row, capture: places[row.file] ?? 0)
      }
      guard session.selects(row) else { continue }
      findings.add(row)
      if row.isRepeat {
        wholeFindings.add(row)
      } else {
        try use(row)
      }
    }
    if isFirst { begin() }
    conclude()
    if parts.contains(.convergence) {
      convergence = ConvergenceReport(spread, spans: ClockSpans(session.clocks))
    }
  }

  /// Times count from the first packet, which is known once the first value or the end is there.
  private mutating func begin() {
    findings = FindingReport(start: session.start, accepts: accepts)
    wholeFindings = findings
  }

  /// What a run looked at, for the sentence that nothing is wrong.
  var looked: LookedAt {
    LookedAt(
      messages: story.log.messages + others, nodes: story.log.heard.count,
      links: story.links.links.count,
      emergencies: emergencies.count, acked: emergencies.count(where: \.isAckedByAll))
  }

  // MARK: - The end

  private mutating func conclude() {
    session.conclude()
    addNotices()
    addNeighbours(nil)
    story.conclude(session.streams, opener: session.keyring) {
      session.assignLinkNumber($0, stream: $1)
    }
    emergencies = story.emergencies
    guard parts.contains(.findings) else { return }
    for (index, stream) in session.streams.enumerated() {
      for var finding in session.engine?.conclude(CaptureEnd(stream)) ?? [] {
        finding.link = finding.link.map { session.assignLinkNumber($0, stream: index) }
        add(finding, file: stream.file)
      }
    }
    let rules = StoryRules(
      story.log, links: story.links, ends: story.ends,
      words: FindingText.words(
        style: session.configuration.style, callsign: story.log.callsign),
      end: session.last)
    for (finding, file) in rules.findings(emergencies) { add(finding, file: file) }
    for finding in session.concludeUpgrades().story.endFindings {
      if let file = finding.place?.file, session.windowContains(finding.place?.time) {
        add(EndFinding(finding), file: file)
      }
    }
    let log = story.log
    blamed = findings.blameRecorders { node in
      log.callsign(node).map { $0.isEmpty ? "\(node)" : "\($0) \(node)" } ?? "\(node)"
    }
    for item in blamed { wholeFindings.blame(item) }
  }

  private mutating func addNotices() {
    for (notice, file) in session.takeNotices() {
      findings.add(notice, file: file)
      wholeFindings.add(notice, file: file)
    }
  }

  /// Takes in the findings of a message beside Peat's, and those that later traffic shows.
  private mutating func addNeighbours(_ item: TimelineItem?) {
    switch item {
    case .mesh(let row)?:
      others += 1
      if session.selects(.mesh(row)) {
        findings.add(row)
        wholeFindings.add(row)
      }
    case .smp(let row)?:
      others += 1
      if session.selects(.smp(row)) {
        findings.add(row)
        wholeFindings.add(row)
      }
    case .peat?, nil: break
    }
    for finding in session.takeMeshFindings() {
      findings.add(finding)
      wholeFindings.add(finding)
    }
  }

  /// Takes in what is of the nodes that are asked for.
  private mutating func add(_ finding: EndFinding, file: String) {
    let nodes = session.configuration.raw.nodes
    if let node = finding.node, !nodes.isEmpty, !nodes.contains(node) { return }
    findings.add(finding, file: file)
    wholeFindings.add(finding, file: file)
  }
}
