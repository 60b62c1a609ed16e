import PeatDissection
package import PeatProtocol
import PeatReplay
package import PeatTimeline
import WireBytes

/// The messages of a page's timeline, in bounded room.
///
/// Up to `limit` messages each is kept. Of more, those that only repeat become counts for each lane
/// and stretch of time; beyond `changeLimit` kept ones, every other plain change too, again and
/// again. What shows an emergency, an acknowledgement, or a finding for the first times stays.
package struct ReportTimeline {
  /// Messages of a page, those that changed something, rows of its table, and news of a row.
  static let limit = 10_000
  static let changeLimit = 15_000
  private static let namedFindings = 16
  private static let tableLimit = 400
  private static let newsLimit = 12

  /// One message.
  struct Mark {
    var at: Int
    var frame: Int
    var file: Int
    var node: NodeID?
    var kind: MessageKind
    var opcode: ValueOpcode
    /// 0 for a beacon.
    var link: Int
    var flags: Flags
    var bytes: Int
    var version: UInt32?
    var payload: Int?
    var news: String
    var findings: [FindingCode]
    /// Places in `receivers`.
    var receivers: [Int]
    var outcome: String?
    /// Microseconds until another capture saw it arrive.
    var latency: Int?
    /// 0 for a repetition, 1 for a plain change, 2 for what stays.
    var rank: Int
    /// Counts plain changes.
    var number: Int
  }

  struct Flags: OptionSet {
    let rawValue: Int
    static let changed = Flags(rawValue: 1)
    static let emergency = Flags(rawValue: 2)
    static let ack = Flags(rawValue: 4)
    static let fromLocal = Flags(rawValue: 8)
    static let beacon = Flags(rawValue: 16)
    static let cut = Flags(rawValue: 32)
    static let refused = Flags(rawValue: 64)
    static let unopened = Flags(rawValue: 128)
    static let malformed = Flags(rawValue: 256)
    static let carriesEmergency = Flags(rawValue: 512)
  }

  /// What a receiver makes of messages.
  struct Reception: Hashable {
    var receiver: Receiver
    var text: String
    var isLoss: Bool
  }

  struct ReceptionCount {
    var key: Reception
    var count = 0
    var nodes: Set<NodeID> = []
    var frames: [(file: Int, frame: Int)] = []
  }

  /// What went over a connection.
  struct Traffic {
    var messages = 0
    var bytes = 0
  }

  private struct FindingKey: Hashable {
    var code: FindingCode
    var node: NodeID?
  }

  private(set) var marks: [Mark] = []
  private(set) var payloads = ReportPayloads()
  private(set) var receivers: [ReceptionCount] = []
  private(set) var traffic: [Int: Traffic] = [:]
  private(set) var counts: [NodeID: Int] = [:]
  private(set) var tracks = ReportTracks()
  private(set) var bins = ReportBins()
  private(set) var messages = 0
  /// Messages that are in no mark, and how many of them changed something.
  private(set) var folded = 0
  private(set) var foldedChanges = 0
  private(set) var unopened = 0
  private var isFolding = false
  /// Of so many plain changes one is kept.
  private var stride = 1
  private var changes = 0
  private var receiverPlaces: [Reception: Int] = [:]
  private var seen: [FindingKey: Int] = [:]
  private var last = 0
  /// Whether any message has a time; else they stand one a second.
  private(set) var hasTimes = false

  /// Starts without messages.
  package init() {}

  /// Takes the next row; `opener` opens once more what it wraps.
  package mutating func take(_ row: TimelineRow, file: Int, opener: inout some MessageOpener) {
    messages += 1
    if let elapsed = row.elapsed, row.value.time != nil {
      hasTimes = true
      last = Int(elapsed / 1000)
    } else if !hasTimes {
      last = messages * 1_000_000
    }
    let node = row.message.node
    if let node, counts[node] != nil || counts.count < 16_384 { counts[node, default: 0] += 1 }
    let link = row.value.advertisement == nil ? row.value.link.id : 0
    if traffic[link] != nil || traffic.count < 65_536 {
      traffic[link, default: Traffic()].messages += 1
      traffic[link]?.bytes += row.value.length
    }
    tracks.take(row, at: last)
    var mark = mark(row, file: file, link: link)
    if mark.flags.contains(.unopened) { unopened += 1 }
    mark.receivers = receptions(row, file: file)
    mark.rank = rank(mark, row)
    if mark.rank == 1 {
      changes += 1
      mark.number = changes
    }
    guard keeps(mark) else {
      fold(mark)
      return
    }
    mark.payload = payloads.add(row.message, row.value.payload, opener: &opener)
    marks.append(mark)
    if !isFolding, messages > ReportTimeline.limit {
      isFolding = true
      foldWhatIsNotKept()
    } else if marks.count > ReportTimeline.changeLimit, stride < Int.max / 2 {
      stride *= 2
      foldWhatIsNotKept()
    }
  }

  private func keeps(_ mark: Mark) -> Bool {
    switch mark.rank {
    case 0: !isFolding
    case 1: mark.number % stride == 0
    // Of what stays there are few, but where somebody floods the mesh with it.
    default: marks.count < 2 * ReportTimeline.changeLimit
    }
  }

  private func mark(_ row: TimelineRow, file: Int, link: Int) -> Mark {
    let value = row.value
    var flags: Flags = []
    if row.effect.isChanged { flags.insert(.changed) }
    for update in row.effect.firstSeen {
      switch update {
      case .emergency: flags.insert(.emergency)
      case .ack(let node, let source, _): if node != source { flags.insert(.ack) }
      case .node, .counter, .event: break
      }
    }
    if value.direction.isFromLocal { flags.insert(.fromLocal) }
    if value.advertisement != nil { flags.insert(.beacon) }
    if row.cutBy != nil { flags.insert(.cut) }
    if value.outcome != nil { flags.insert(.refused) }
    if row.message.unopened != nil { flags.insert(.unopened) }
    if row.message.kind == .malformed { flags.insert(.malformed) }
    if row.document?.document.emergency != nil { flags.insert(.carriesEmergency) }
    var latency: Int?
    if let first = value.seenIn.first?.time, let arrived = value.seenIn.last?.time,
      value.seenIn.count > 1
    {
      latency = Int(max(0, arrived.nanoseconds(since: first)) / 1000)
    }
    let news = row.effect.firstSeen.prefix(ReportTimeline.newsLimit).map { "\($0)" }
    let more = row.effect.firstSeen.count - news.count
    return Mark(
      at: last, frame: value.frame, file: file, node: row.message.node, kind: row.message.kind,
      opcode: value.opcode, link: link, flags: flags, bytes: value.length,
      version: row.document?.document.version, payload: nil,
      news: news.joined(separator: " ") + (more > 0 ? " and \(more) more" : ""),
      findings: row.findings.map(\.code), receivers: [], outcome: value.outcome?.name,
      latency: latency, rank: 0, number: 0)
  }

  private mutating func rank(_ mark: Mark, _ row: TimelineRow) -> Int {
    var rank = mark.flags.contains(.changed) || !mark.news.isEmpty ? 1 : 0
    if mark.flags.contains(.emergency) || mark.flags.contains(.ack) { rank = 2 }
    for code in mark.findings where !FindingTable.entry(of: code).isUsual {
      let key = FindingKey(code: code, node: mark.node)
      let count = seen[key] ?? 0
      guard count > 0 || seen.count < 4096 else { continue }
      seen[key] = count + 1
      if count < ReportTimeline.namedFindings { rank = 2 }
    }
    return rank
  }

  private mutating func receptions(_ row: TimelineRow, file: Int) -> [Int] {
    row.receivers.compactMap { note in
      let key = Reception(receiver: note.receiver, text: note.text, isLoss: note.isLoss)
      var place = receiverPlaces[key]
      if place == nil, receivers.count < ReportTimeline.tableLimit {
        place = receivers.count
        receiverPlaces[key] = place
        receivers.append(ReceptionCount(key: key))
      }
      guard let place else { return nil }
      receivers[place].count += 1
      if let node = row.message.node, receivers[place].nodes.count < 64 {
        receivers[place].nodes.insert(node)
      }
      if receivers[place].frames.count < 6 {
        receivers[place].frames.append((file, row.value.frame))
      }
      return place
    }
  }

  private mutating func fold(_ mark: Mark) {
    folded += 1
    let isChange = mark.flags.contains(.changed)
    if isChange { foldedChanges += 1 }
    bins.add(mark.node, at: mark.at, isChange: isChange)
  }

  /// Makes counts of the marks that are not kept any more.
  private mutating func foldWhatIsNotKept() {
    let before = marks
    marks = []
    var kept: [Mark] = []
    for mark in before {
      if keeps(mark) { kept.append(mark) } else { fold(mark) }
    }
    let moved = payloads.keep(Set(kept.compactMap(\.payload)))
    for place in kept.indices { kept[place].payload = kept[place].payload.flatMap { moved[$0] } }
    marks = kept
  }
}

/// How many messages each node sent in each stretch of time; the stretches widen as time goes on.
struct ReportBins {
  private static let limit = 2000
  /// Connections that have a lane of their own.
  private static let laneLimit = 256

  struct Count {
    var repeats = 0
    var changes = 0
  }

  /// Microseconds of a stretch.
  private(set) var width = 250_000
  private(set) var lanes: [NodeID?: [Int: Count]] = [:]

  mutating func add(_ node: NodeID?, at: Int, isChange: Bool) {
    while at / width >= ReportBins.limit { widen() }
    let lane = lanes[node] != nil || lanes.count < ReportBins.laneLimit ? node : nil
    if isChange {
      lanes[lane, default: [:]][at / width, default: Count()].changes += 1
    } else {
      lanes[lane, default: [:]][at / width, default: Count()].repeats += 1
    }
  }

  private mutating func widen() {
    width *= 2
    for (node, counts) in lanes {
      var wide: [Int: Count] = [:]
      for (place, count) in counts {
        wide[place / 2, default: Count()].repeats += count.repeats
        wide[place / 2, default: Count()].changes += count.changes
      }
      lanes[node] = wide
    }
  }
}
