package import PeatDissection
package import PeatProtocol
package import WireBytes

/// Watches the rows of a timeline for what is wrong with a mesh (cli.md, `check`).
///
/// It takes rows as they come and remembers a bounded amount of each node and link. Every capture is
/// watched on its own, so that clocks that differ cannot make a node look restarted.
package struct FindingEngine: Sendable {
  /// Captures watched at a time; of more, only the first are.
  package static let captureLimit = 64

  private var watches: [String: CaptureWatch] = [:]
  private var unwatched: Set<String> = []

  /// Captures beyond the limit, of which only what each packet shows by itself is told.
  package var unwatchedCount: Int { unwatched.count }

  /// Starts without having seen anything.
  package init() {}

  /// Takes the next row; gives what is to be said of it, besides what it says already.
  package mutating func observe(_ row: TimelineRow) -> [Finding] {
    guard watches.count < FindingEngine.captureLimit || watches[row.file] != nil else {
      unwatched.insert(row.file)
      return []
    }
    return watches[row.file, default: CaptureWatch()].observe(row)
  }

  /// What only the whole of a capture shows.
  package func conclude(_ capture: CaptureEnd) -> [EndFinding] {
    var findings = watches[capture.file]?.conclude(capture) ?? []
    LinkEndRules.check(capture, &findings)
    AdvertiserRules.check(capture, &findings)
    return findings
  }
}

/// What is known of a capture once it was read.
package struct CaptureEnd: Sendable {
  package var file: String
  /// The time of the last packet.
  package var lastTime: Timestamp?
  package var links: [LinkFacts]
  package var advertisers: AdvertiserTable

  package init(
    file: String, lastTime: Timestamp?, links: [LinkFacts], advertisers: AdvertiserTable
  ) {
    self.file = file
    self.lastTime = lastTime
    self.links = links
    self.advertisers = advertisers
  }
}

/// A finding that belongs to no single message.
package struct EndFinding: Sendable, Equatable {
  package var finding: Finding
  package var node: NodeID?
  package var link: Int?
  /// The packets that show it.
  package var frames: [Int]
  package var time: Timestamp?

  init(
    _ code: FindingCode, _ message: String, node: NodeID? = nil, link: Int? = nil,
    frames: [Int] = [], time: Timestamp? = nil
  ) {
    finding = Finding(code, message)
    self.node = node
    self.link = link
    self.frames = frames
    self.time = time
  }
}

/// What the rules need of a row, worked out once.
struct RowFacts {
  let row: TimelineRow
  /// Nanoseconds by a clock that goes on across steps of the recorder's.
  let time: Int64?
  /// Nanoseconds since 1970, as the recorder's clock shows them.
  let shownTime: Int64?
  /// The document that the reference would take from the row.
  let document: DecodedDocument?
  /// Whether a relay envelope carried it, so that it may be late.
  let isRelayed: Bool
  /// Whether it is older than what its author said before.
  var isStale = false
  /// Whether its author began anew with it.
  var isRestart = false

  init(_ row: TimelineRow) {
    self.row = row
    time = row.value.time.map {
      $0.nanoseconds(since: Timestamp(nanoseconds: 0), without: row.value.clockShift)
    }
    shownTime = row.recordedTime?.nanoseconds
    document = row.message.dispatchedDocument
    isRelayed = row.message.kind == .relay
  }

  var frame: Int { row.value.frame }
  var isFromLocal: Bool { row.value.direction.isFromLocal }
  /// Whether nothing of the document was cut off or left out.
  var isWhole: Bool { row.cutBy == nil && (document?.dropped.isEmpty ?? false) }
}

/// The watches over one capture.
struct CaptureWatch: Sendable {
  private var versions = VersionWatch()
  private var counters = CounterWatch()
  private var emergencies = EmergencyWatch()
  private var clocks = ClockWatch()
  private var secrecy = SecrecyWatch()
  private var relays = RelayWatch()
  private var links = LinkWatch()
  private var cuts = CutWatch()

  mutating func observe(_ row: TimelineRow) -> [Finding] {
    var findings: [Finding] = []
    var facts = RowFacts(row)
    MessageRules.check(facts, &findings)
    // What was refused, cancelled or not recorded changes no state.
    guard row.value.outcome == nil, row.cutBy != .capture else { return findings }
    secrecy.observe(facts, &findings)
    relays.observe(facts, &findings)
    cuts.observe(facts)
    guard facts.document != nil else { return findings }
    if !facts.isRelayed { versions.observe(&facts, &findings) }
    counters.observe(facts, &findings)
    links.observe(facts, &findings)
    if !facts.isStale && !facts.isRelayed {
      emergencies.observe(facts, &findings)
      clocks.observe(facts, &findings)
    }
    return findings
  }

  func conclude(_ capture: CaptureEnd) -> [EndFinding] {
    cuts.conclude(capture) + relays.conclude { versions.knows($0) }
  }
}
