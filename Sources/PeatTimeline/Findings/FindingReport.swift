import BluetoothMesh
package import MeshDissection
package import PeatDissection
package import PeatProtocol
package import WireBytes

/// Findings gathered over a run, those of one code and one node or connection together.
package struct FindingReport: Sendable {
  /// Packets that are named of one finding.
  static let frameLimit = 16
  private static let itemLimit = 10_000

  /// One finding of a run.
  package struct Item: Sendable {
    package var code: FindingCode
    package var file: String
    package var node: NodeID?
    package var link: Int?
    /// How often it occurred.
    package var count: Int
    /// The first packets that show it.
    package var frames: [Int]
    package var firstTime: Timestamp?
    package var lastTime: Timestamp?
    /// Nanoseconds of the first from the start of the earliest capture.
    package var elapsed: Int64?
    /// The sentence of the first.
    package var message: String
    /// How far a node's clock is ahead of the recorder's, nanoseconds.
    package var clockOffset: Int64?
    /// The nodes that a finding on a recorder's clock takes the blame from.
    package var nodes: [NodeID] = []
  }

  private struct Key: Hashable {
    var code: FindingCode
    var file: String
    var node: NodeID?
    var link: Int?
    /// Steps of a clock are told one by one.
    var frame: Int?
    /// So are emergencies that return, and what a mesh's nodes do.
    var subject: String?
  }

  private var places: [Key: Int] = [:]
  private var gathered: [Item] = []
  /// Findings that were left out because there were too many different ones.
  package private(set) var leftOut = 0
  private let start: Timestamp?

  private let accepts: @Sendable (FindingCode) -> Bool

  /// Starts empty; `start` is the first packet of the earliest capture, and only findings of codes
  /// that `accepts` wants are taken in.
  package init(
    start: Timestamp?, accepts: @escaping @Sendable (FindingCode) -> Bool = { _ in true }
  ) {
    self.start = start
    self.accepts = accepts
  }

  /// What was found, the gravest first, then codes by their first time, those of alerts in front;
  /// findings of one code stand together, by time.
  package var items: [Item] {
    var firsts: [FindingCode: Int64] = [:]
    for item in gathered {
      firsts[item.code] = min(firsts[item.code] ?? .max, item.firstTime?.nanoseconds ?? .max)
    }
    return gathered.enumerated().sorted { left, right in
      let a = left.element
      let b = right.element
      if a.code.severity != b.code.severity { return a.code.severity > b.code.severity }
      if a.code != b.code {
        if a.code.isOfAlert != b.code.isOfAlert { return a.code.isOfAlert }
        let firsts = (firsts[a.code] ?? .max, firsts[b.code] ?? .max)
        return firsts.0 != firsts.1
          ? firsts.0 < firsts.1 : a.code.rawValue < b.code.rawValue
      }
      let times = (a.firstTime?.nanoseconds ?? .max, b.firstTime?.nanoseconds ?? .max)
      return times.0 != times.1 ? times.0 < times.1 : left.offset < right.offset
    }.map(\.element)
  }

  /// The gravest severity, nil where nothing was found.
  package var worst: Severity? { gathered.map(\.code.severity).max() }

  /// How many were found of a severity.
  package func count(_ severity: Severity) -> Int {
    gathered.count { $0.code.severity == severity }
  }

  /// Takes in the findings of a row.
  package mutating func add(_ row: TimelineRow) {
    // A clock's steps come as notices too, also those that no row is behind.
    for finding in row.findings where finding.code != .clockStep {
      let node = row.message.node
      add(
        finding.code, finding.message, file: row.file, node: node,
        link: node == nil ? row.value.link.id : nil,
        frames: finding.otherFrames + [row.value.frame],
        time: row.value.time, clockOffset: finding.clockOffset)
    }
  }

  /// Takes in the findings of a mesh's message: those of one code and one sender together.
  package mutating func add(_ row: MeshRow) {
    for finding in row.findings {
      add(
        finding.code, finding.message, file: row.carried.file, node: nil, link: nil,
        frames: finding.otherFrames + [row.carried.value.frame], time: row.carried.value.time,
        subject: row.message.source?.description ?? "")
    }
  }

  /// Takes in the findings of a firmware upgrade's message.
  package mutating func add(_ row: UpgradeRow) {
    for finding in row.findings {
      add(
        finding.code, finding.message, file: row.carried.file, node: nil,
        link: row.carried.value.link.id,
        frames: finding.otherFrames + [row.carried.value.frame], time: row.carried.value.time)
    }
  }

  /// Takes in what later traffic of a mesh shows of earlier.
  package mutating func add(_ placed: PlacedMeshFinding) {
    add(
      FindingCode(placed.finding.code), placed.finding.text, file: placed.place.file, node: nil,
      link: nil, frames: placed.place.frames, time: placed.place.time,
      subject: placed.finding.text)
  }

  /// Takes in what only the whole capture shows.
  package mutating func add(_ end: EndFinding, file: String) {
    // Each emergency at each node is one finding, and what each receiver makes of its documents.
    add(
      end.finding.code, end.finding.message, file: file, node: end.node, link: end.link,
      frames: end.frames, time: end.time,
      subject: end.finding.code.isToldApart ? end.finding.message : nil)
  }

  /// Takes in what another report says of a recorder, instead of the nodes that it was compared with.
  package mutating func blame(_ item: Item) {
    gathered.removeAll {
      $0.code == .clockSkew && $0.file == item.file && ($0.node.map(item.nodes.contains) ?? false)
    }
    places = [:]
    gathered.append(item)
  }

  /// Takes in what went wrong below the messages.
  package mutating func add(_ notice: Notice, file: String) {
    guard let code = FindingCode(rawValue: notice.code.rawValue) else { return }
    add(
      code, notice.text, file: file, node: nil, link: nil, frames: [notice.frame],
      time: notice.time)
  }

  private mutating func add(
    _ code: FindingCode, _ message: String, file: String, node: NodeID?, link: Int?,
    frames: [Int], time: Timestamp?, clockOffset: Int64? = nil, subject: String? = nil
  ) {
    guard accepts(code) else { return }
    // What sound captures are full of is told once a capture.
    let isUsual = FindingTable.entry(of: code).isUsual
    let key = Key(
      code: code, file: file, node: isUsual ? nil : node, link: isUsual ? nil : link,
      frame: code == .clockStep ? frames.first : nil,
      subject: code == .emergencyReturned ? message : subject)
    if let place = places[key] {
      gathered[place].count += 1
      gathered[place].lastTime = time ?? gathered[place].lastTime
      for frame in frames
      where gathered[place].frames.count < FindingReport.frameLimit
        && !gathered[place].frames.contains(frame)
      {
        gathered[place].frames.append(frame)
      }
      return
    }
    guard gathered.count < FindingReport.itemLimit else {
      leftOut += 1
      return
    }
    places[key] = gathered.count
    let elapsed = start.flatMap { start in time.map { max(0, $0.nanoseconds(since: start)) } }
    gathered.append(
      Item(
        code: code, file: file, node: key.node, link: key.link, count: 1, frames: frames,
        firstTime: time, lastTime: time, elapsed: elapsed, message: message,
        clockOffset: clockOffset))
  }
}

extension FindingReport {
  /// Blames the recorder where two or more nodes' clocks differ from its own in one direction and
  /// no other capture shows that of them: several nodes are not wrong alike. To be called once,
  /// when everything was added; gives what it says of recorders.
  ///
  /// - Parameter name: how a node is called in the sentence.
  package mutating func blameRecorders(
    name: (NodeID) -> String = { "\($0)" }
  ) -> [Item] {
    var blamed: [Item] = []
    for isBehind in [true, false] {
      let suspects = gathered.indices.filter {
        gathered[$0].clockOffset.map { ($0 < 0) == isBehind } ?? false
      }
      let files = Dictionary(grouping: suspects, by: { gathered[$0].file })
      let seen = Dictionary(grouping: suspects, by: { gathered[$0].node })
      for (_, places) in files.sorted(by: { $0.key < $1.key }) {
        let alone = places.filter { seen[gathered[$0].node]?.count == 1 }
        guard alone.count >= 2, alone.count == places.count,
          let item = blame(places, isBehind: isBehind, name)
        else { continue }
        blamed.append(item)
      }
    }
    gathered.removeAll { $0.count == 0 }
    places = [:]
    return blamed
  }

  private mutating func blame(
    _ suspects: [Int], isBehind: Bool, _ name: (NodeID) -> String
  ) -> Item? {
    guard let first = suspects.first else { return nil }
    let offsets = suspects.compactMap { gathered[$0].clockOffset?.magnitude }
    let least = ClockWatch.seconds(Int64(clamping: offsets.min() ?? 0))
    let nodes = suspects.compactMap { gathered[$0].node }.sorted()
    let names = nodes.prefix(FindingReport.frameLimit).map(name).joined(separator: ", ")
    var item = gathered[first]
    item.code = .recorderClock
    item.node = nil
    item.nodes = nodes
    item.clockOffset = nil
    item.count = suspects.reduce(0) { $0 + gathered[$1].count }
    item.frames = Array(
      suspects.flatMap { gathered[$0].frames }.prefix(FindingReport.frameLimit))
    item.lastTime = suspects.compactMap { gathered[$0].lastTime }.max()
    item.message =
      "the recorder's clock is at least \(least) s \(isBehind ? "ahead of" : "behind") those of "
      + "\(suspects.count) nodes: \(names)"
    for place in suspects { gathered[place].count = 0 }
    gathered[first] = item
    return item
  }
}
