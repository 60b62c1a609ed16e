import PeatDissection
package import PeatProtocol
import WireBytes

/// What the rows of a run show of emergencies; everything in it is bounded.
package struct EmergencyLog: Sendable {
  /// Emergencies that are followed; documents of more are counted.
  static let emergencyLimit = 1024
  /// Nodes, deliveries, runs and mentions of all emergencies together.
  static let nodeLimit = 8192
  private static let deliveryLimit = 65_536
  private static let runLimit = 256
  private static let mentionLimit = 65_536
  /// Ways of dropping a node's documents that are told apart.
  private static let dropLimit = 64

  var entries: [EmergencyIdentity: Entry] = [:]
  private(set) var tracks: [NodeID: Track] = [:]
  /// Nodes that belong to one mesh, by who names whom: each points toward its set's first.
  private var parents: [NodeID: NodeID] = [:]
  private var deliveryCount = 0
  /// The last document for each end that the MTU cut, whose emergency may be known only later.
  private var cuts: [End: Cut] = [:]
  /// Nodes whose only messages were deltas, refused or cancelled.
  private var others: Set<NodeID> = []
  /// Emergencies that found no room.
  package private(set) var leftOut = 0
  package private(set) var messages = 0

  /// Starts without having seen anything.
  package init() {}

  /// Nodes whose own documents were recorded.
  package var heard: [NodeID] { tracks.keys.sorted() }

  /// Whether anything of a node's own was recorded.
  func isHeard(_ node: NodeID) -> Bool { tracks[node] != nil || others.contains(node) }

  /// Takes in that a node spoke, whose document cannot be counted.
  mutating func hear(_ node: NodeID) {
    if tracks[node] == nil, others.count < EmergencyLog.nodeLimit { others.insert(node) }
  }

  /// The callsign that a node told last.
  package func callsign(_ node: NodeID) -> String? { tracks[node]?.callsign }

  /// Every node that any document names.
  var named: [NodeID] { Array(parents.keys) }

  /// Whether two nodes were seen to belong to one mesh.
  func isOneMesh(_ left: NodeID, _ right: NodeID) -> Bool { root(left) == root(right) }

  /// Takes the next row.
  package mutating func take(_ row: TimelineRow) {
    guard row.value.advertisement == nil else { return }
    messages += 1
    let link = row.value.link.id
    let receiver = End(link: link, isLocal: !row.value.direction.isFromLocal)
    if row.cutBy == .mtu { noteCut(row, receiver) }
    guard row.cutBy != .capture else { return }
    if let message = row.message.dispatched, case .delta(let reading) = message.body {
      return note(reading, row, receiver)
    }
    guard let decoded = row.message.dispatchedDocument else { return }
    let document = decoded.document
    let author = document.node
    let sighted = Sighted(row, author: author)
    if row.value.outcome != nil { hear(author) }
    if author.rawValue != 0 { join(author, document) }
    let isStale = row.value.outcome == nil && author.rawValue != 0 && note(row, decoded, sighted)
    if let event = document.emergency {
      note(
        Raising(event: event, rule: nil, form: .section), row, decoded, sighted, receiver,
        isStale: isStale)
    } else if let (event, rule) = EmergencyLog.dropped(decoded) {
      note(
        Raising(event: event, rule: rule, form: .section), row, decoded, sighted, receiver,
        isStale: isStale)
    } else if author.rawValue != 0 {
      noteEvent(
        (decoded.kotlin ?? document.peripheral)?.event, of: author, row, sighted, receiver)
    }
  }

  // MARK: - Documents

  /// Takes a node's document in; true where it is older than its author's last one.
  private mutating func note(
    _ row: TimelineRow, _ decoded: DecodedDocument, _ sighted: Sighted
  ) -> Bool {
    let document = decoded.document
    guard
      var track = tracks[document.node]
        ?? (tracks.count < EmergencyLog.nodeLimit
          ? Track(
            first: sighted, last: sighted, version: document.version,
            isKotlin: decoded.kotlin != nil) : nil)
    else { return false }
    let step = Int32(bitPattern: document.version &- track.version)
    let isStale = decoded.kotlin == nil && step < 0 && step >= -8 && document.version > 2
    defer { tracks[document.node] = track }
    track.count += 1
    track.last = sighted
    track.isKotlin = decoded.kotlin != nil
    if row.message.decryptedWith != nil { track.hasEncrypted = true }
    if let told = decoded.kotlin ?? document.peripheral {
      if !told.callsign.text.isEmpty { track.callsign = told.callsign.text }
      track.battery = told.health.battery
      if let time = row.value.time, let lag = EmergencyLog.lag(of: told.time, at: time) {
        track.lag = min(track.lag ?? lag, lag)
      }
    }
    for note in row.receivers {
      if let place = track.drops.firstIndex(where: { $0.note == note }) {
        track.drops[place].count += 1
      } else if track.drops.count < EmergencyLog.dropLimit {
        track.drops.append(Drop(note: note, count: 1, first: sighted))
      }
    }
    if isStale { return true }
    track.version = document.version
    // Android's codec has no emergency section: its absence says nothing.
    guard decoded.kotlin == nil else { return false }
    var identity = document.emergency.map {
      EmergencyIdentity(source: $0.source, time: $0.time)
    }
    if identity == nil {
      identity = EmergencyLog.dropped(decoded).map {
        EmergencyIdentity(source: $0.0.source, time: $0.0.time)
      }
    }
    // What was cut off shows nothing.
    if identity == nil, row.cutBy != nil || !decoded.dropped.allSatisfy({ $0.rule != .stop }) {
      return false
    }
    note(identity, sighted, &track)
    return false
  }

  private mutating func note(
    _ identity: EmergencyIdentity?, _ sighted: Sighted, _ track: inout Track
  ) {
    let last = track.runs.last
    if let last, last.identity == identity, last.known == entries.count {
      track.runs[track.runs.count - 1].last = sighted
      track.runs[track.runs.count - 1].count += 1
      return
    }
    if let before = track.runs.last?.identity, identity == nil {
      entries[before]?.clears[sighted.author] = EmergencyClear(sighted: sighted)
    }
    if let identity, entries[identity]?.clears[sighted.author] != nil,
      entries[identity]?.clears[sighted.author]?.returned == nil
    {
      entries[identity]?.clears[sighted.author]?.returned = sighted
    }
    if track.runs.count == EmergencyLog.runLimit { track.runs.removeFirst() }
    track.runs.append(
      Run(identity: identity, first: sighted, last: sighted, known: entries.count))
  }

  /// How far the capture's time is behind a stamp in milliseconds; nil for none.
  private static func lag(of stamp: UInt64, at time: Timestamp) -> Int64? {
    guard stamp >= Document.earliestTime, let instant = instant(of: stamp) else { return nil }
    let (lag, overflow) = time.nanoseconds.subtractingReportingOverflow(instant.nanoseconds)
    return overflow ? nil : lag
  }

  /// The instant of milliseconds since 1970; nil for one that no clock shows.
  static func instant(of milliseconds: UInt64) -> Timestamp? {
    guard let value = Int64(exactly: milliseconds) else { return nil }
    let (nanoseconds, overflow) = value.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : Timestamp(nanoseconds: nanoseconds)
  }

  // MARK: - Emergencies

  mutating func note(
    _ raising: Raising, _ row: TimelineRow, _ decoded: DecodedDocument?, _ sighted: Sighted,
    _ receiver: End, isStale: Bool
  ) {
    let event = raising.event
    let identity = EmergencyIdentity(source: event.source, time: event.time)
    let author = sighted.author
    guard
      var entry = entries[identity]
        ?? (entries.count < EmergencyLog.emergencyLimit
          ? Entry(
            firstSeen: sighted, form: raising.form, pending: event.pending, type: "emergency")
          : nil)
    else {
      leftOut += 1
      return
    }
    entries[identity] = nil
    defer { entries[identity] = entry }
    if raising.form.rawValue > entry.form.rawValue { entry.form = raising.form }
    entry.files.insert(row.file)
    if raising.form == .section, let rule = raising.rule {
      entry.dropRule = entry.dropRule ?? rule
    }
    if author == event.source,
      let told = decoded.flatMap({ ($0.kotlin ?? $0.document.peripheral)?.event }),
      told.type == .needAssist
    {
      entry.type = told.type.name
    }
    if entry.mesh == nil, let key = row.message.decryptedWith, key.hasPrefix("mesh:") {
      entry.mesh = String(key.dropFirst(5).prefix { $0 != "/" })
    }
    // Also what was refused or cancelled shows what its author knew.
    if author.rawValue != 0, entry.carried[author] == nil,
      entry.carried.count < EmergencyLog.nodeLimit
    {
      entry.carried[author] = sighted
    }
    for ack in event.acks where entry.named.count < EmergencyLog.nodeLimit {
      entry.named.insert(ack.node)
      // What a delta sets says nothing of acknowledgements, its source's apart.
      if ack.isAcked, entry.acked[ack.node] == nil {
        entry.acked[ack.node] = EmergencyNode.Ack(sighted: sighted, through: author)
      }
    }
    if let decoded, !cuts.isEmpty { takeCuts(before: decoded.document, &entry) }
    note(row, sighted, raising.rule, in: &entry.deliveries[receiver], isStale: isStale)
  }

  private mutating func note(
    _ row: TimelineRow, _ sighted: Sighted, _ rule: String?,
    in deliveries: inout Deliveries?, isStale: Bool
  ) {
    if deliveries == nil {
      guard deliveryCount < EmergencyLog.deliveryLimit else { return }
      deliveryCount += 1
    }
    var known = deliveries ?? Deliveries()
    known.note(row, sighted, rule, isStale: isStale)
    deliveries = known
  }

  /// A document that the MTU cut: where its author carries an emergency that it does not show.
  private mutating func noteCut(_ row: TimelineRow, _ receiver: End) {
    var reader = ByteReader(row.value.payload.rawBytes, layer: .peat)
    guard let version = try? reader.le32(), let raw = try? reader.le32() else { return }
    let author = NodeID(rawValue: raw)
    let sighted = Sighted(row, author: author)
    guard row.message.dispatchedDocument?.document.emergency == nil else { return }
    guard let identity = tracks[author]?.runs.last?.identity ?? standing(of: author) else {
      if cuts[receiver] != nil || cuts.count < EmergencyLog.nodeLimit {
        cuts[receiver] = Cut(version: version, sighted: sighted)
      }
      return
    }
    guard var entry = entries.removeValue(forKey: identity) else { return }
    defer { entries[identity] = entry }
    if entry.deliveries[receiver] == nil {
      guard deliveryCount < EmergencyLog.deliveryLimit else { return }
      deliveryCount += 1
      entry.deliveries[receiver] = Deliveries()
    }
    let known = entry.deliveries[receiver]?.cut
    entry.deliveries[receiver]?.cut = known ?? sighted
    entry.deliveries[receiver]?.count += 1
  }

  /// Documents that were cut before this one told of an emergency, which they held too.
  private mutating func takeCuts(before document: Document, _ entry: inout Entry) {
    for (receiver, cut) in cuts
    where cut.sighted.author == document.node && cut.version == document.version {
      cuts[receiver] = nil
      if entry.deliveries[receiver] == nil {
        guard deliveryCount < EmergencyLog.deliveryLimit else { continue }
        deliveryCount += 1
      }
      entry.deliveries[receiver, default: Deliveries()].cut = cut.sighted
    }
  }

  /// The latest emergency that a node raised and was not seen to clear.
  private func standing(of source: NodeID) -> EmergencyIdentity? {
    entries.filter { $0.key.source == source && $0.value.clears[source] == nil }.keys
      .max { $0.time < $1.time }
  }

  /// The emergency that the reference drops from a document, and why.
  private static func dropped(_ decoded: DecodedDocument) -> (EmergencyEvent, String)? {
    for item in decoded.dropped where item.section == .emergency && item.rule == .drop {
      var source: NodeID?
      var time: UInt64?
      for field in item.content {
        switch (field.name, field.value) {
        case ("source", .text(let text)): source = NodeID(text)
        case ("time", .integer(let value)): time = value
        default: break
        }
      }
      if let source, let time { return (EmergencyEvent(source: source, time: time), item.reason) }
    }
    return nil
  }

  // MARK: - Meshes

  /// Who names whom belongs together.
  private mutating func join(_ author: NodeID, _ document: Document) {
    // Most documents name the same nodes as their author's last one.
    for entry in document.counter.entries
    where parents[entry.node] == nil || !same(entry.node, author) {
      unite(author, entry.node)
    }
    for ack in document.emergency?.acks ?? [] where !same(ack.node, author) {
      unite(author, ack.node)
    }
    if let source = document.emergency?.source, !same(source, author) { unite(author, source) }
    if parents[author] == nil { unite(author, author) }
  }

  private func same(_ left: NodeID, _ right: NodeID) -> Bool {
    parents[left] != nil && root(left) == root(right)
  }

  /// The first of the nodes that were seen to belong together with one.
  func root(_ node: NodeID) -> NodeID {
    var node = node
    while let parent = parents[node], parent != node { node = parent }
    return node
  }

  mutating func unite(_ left: NodeID, _ right: NodeID) {
    for node in [left, right] where parents[node] == nil {
      guard parents.count < EmergencyLog.mentionLimit else { return }
      parents[node] = node
    }
    let roots = (root(left), root(right))
    guard roots.0 != roots.1 else { return }
    // The smaller id leads, and what was passed on the way points there at once.
    let lead = min(roots.0, roots.1)
    for start in [left, right] {
      var node = start
      while let parent = parents[node], parent != node {
        parents[node] = lead
        node = parent
      }
      parents[node] = lead
    }
  }
}
