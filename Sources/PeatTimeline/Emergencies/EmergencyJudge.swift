import PeatDissection
import PeatProtocol
package import WireBytes

/// Tells of every emergency who has it, who acknowledged it, and why others did not.
///
/// It claims only what packets show: a reason names them, and what nothing shows is `unknown`.
package struct EmergencyJudge {
  /// A source's clock is trusted where its stamps lie so close to the capture's time.
  private static let trust: Int64 = 2_000_000_000
  /// A connection that ended so close to the capture's end, in nanoseconds, ended with it.
  static let ending: Int64 = 3_000_000_000
  /// So far apart do both ends' captures see one connection end, in nanoseconds.
  static let mirror: UInt64 = 1_000_000_000

  let log: EmergencyLog
  let links: [LinkEntry]
  let ends: EndNodes
  /// Advertisers that name their node.
  let advertisers: [NodeID: AdvertiserReading]
  /// The last packet of each capture.
  let lasts: [String: Timestamp]
  /// The connections at whose ends a node stands.
  var linksOf: [NodeID: [LinkEntry]] = [:]
  /// The ends of connections that a node stands at.
  var endsOf: [NodeID: [EmergencyLog.End]] = [:]

  package init(
    _ log: EmergencyLog, links: LinkReport, ends: EndNodes, advertisers: [AdvertiserReading],
    lasts: [String: Timestamp]
  ) {
    self.lasts = lasts
    self.log = log
    self.links = links.links
    self.ends = ends
    var known: [NodeID: AdvertiserReading] = [:]
    for reading in advertisers {
      if let node = reading.node, known[node] == nil { known[node] = reading }
    }
    self.advertisers = known
    for entry in links.links {
      if let node = entry.localNode {
        linksOf[node, default: []].append(entry)
        endsOf[node, default: []].append(.init(link: entry.facts.link.id, isLocal: true))
      }
      if let node = entry.peerNode, node != entry.localNode {
        linksOf[node, default: []].append(entry)
        endsOf[node, default: []].append(.init(link: entry.facts.link.id, isLocal: false))
      }
    }
  }

  /// All emergencies, the newest last.
  package func stories() -> [EmergencyStory] {
    log.entries.map { story($0.key, $0.value) }.sorted { left, right in
      let times = (left.raised?.nanoseconds ?? .min, right.raised?.nanoseconds ?? .min)
      return times.0 != times.1
        ? times.0 < times.1
        : (left.identity.time, left.identity.source) < (right.identity.time, right.identity.source)
    }
  }

  private func story(_ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry) -> EmergencyStory {
    let (raised, doubt) = raising(identity, entry)
    // Who carries it or is named in it is of its mesh, so that anybody's announcement tells.
    let mesh =
      entry.mesh ?? advertisers[identity.source]?.mesh
      ?? entry.carried.keys.sorted().lazy.compactMap { advertisers[$0]?.mesh }.first
      ?? entry.named.sorted().lazy.compactMap { advertisers[$0]?.mesh }.first
    let members = members(of: identity, entry, mesh: mesh)
    let nodes = withoutMirrors(members.map { node(identity, entry, $0, raised: raised) })
    let standing = log.tracks.filter { $0.value.runs.last?.identity == identity }.map(\.key)
    let later = log.entries.keys.filter { other in
      other.time > identity.time && log.isOneMesh(other.source, identity.source)
        && log.tracks.values.contains { track in
          zip(track.runs, track.runs.dropFirst()).contains {
            $0.identity == identity && $1.identity == other
          }
        }
    }.min { $0.time < $1.time }
    return EmergencyStory(
      identity: identity, mesh: mesh, firstSeen: entry.firstSeen,
      raisedBy: doubt == nil ? .stamp : .sighting, doubt: doubt, raised: raised, type: entry.type,
      pending: entry.pending, nodes: nodes,
      cleared: entry.clears.values.sorted { Sighted.isBefore($0.sighted, $1.sighted) },
      supersededBy: later, standing: standing.sorted(), dropRule: entry.dropRule,
      isEventOnly: entry.form == .event,
      captures: entry.files.count)
  }

  /// The stamp where the source's other stamps show that its clock agrees with the capture's, else
  /// the first sighting.
  private func raising(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry
  ) -> (Timestamp?, EmergencyStory.StampDoubt?) {
    guard let seen = entry.firstSeen.time else { return (nil, .untimed) }
    guard identity.time >= Document.earliestTime,
      let stamp = EmergencyLog.instant(of: identity.time)
    else { return (seen, .tooEarly) }
    guard let lag = log.tracks[identity.source]?.lag else { return (seen, .sourceUnheard) }
    guard lag.magnitude <= EmergencyJudge.trust.magnitude else { return (seen, .lag(lag)) }
    // It cannot have been seen before it was raised.
    return stamp < seen ? (stamp, nil) : (seen, .ahead)
  }

  /// Who belongs to an emergency's mesh, as far as documents and announcements tell.
  private func members(
    of identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, mesh: String?
  ) -> [NodeID] {
    var members = Set(log.named.filter { log.isOneMesh($0, identity.source) })
    members.formUnion(entry.carried.keys)
    members.formUnion(entry.named)
    members.insert(identity.source)
    if let mesh {
      for (node, reading) in advertisers where reading.mesh == mesh && reading.isPeat {
        members.insert(node)
      }
      members = members.filter { node in
        entry.named.contains(node) || entry.carried[node] != nil || node == identity.source
          || advertisers[node]?.mesh.map { $0 == mesh } ?? true
      }
    }
    return members.filter { $0.rawValue != 0 }.sorted()
  }

  // MARK: - One node

  private func node(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID, raised: Timestamp?
  ) -> EmergencyNode {
    let track = log.tracks[node]
    let carried = entry.carried[node]
    var result = EmergencyNode(
      node: node, outcome: .unknown, isHearsay: track == nil && carried == nil,
      isAudience: entry.named.contains(node) || carried != nil || node == identity.source
        || track != nil || linksOf[node] != nil,
      carried: carried, acked: entry.acked[node])
    result.downs = downs(identity, entry, node, raised: raised)
    let deliveries = (endsOf[node] ?? []).compactMap { entry.deliveries[$0] }
    if node != identity.source {
      let told = deliveries.compactMap(\.first).min(by: Sighted.isBefore)
      if let told, carried.map({ !Sighted.isBefore($0, told) }) ?? true { result.told = told }
    }
    // A source's own entry counts; one whose document was not recorded is the source all the same.
    if result.acked != nil || node == identity.source {
      result.outcome = .acked
    } else if let carried {
      result.outcome = .carried
      result.evidence = carrying(identity, entry, node, carried)
    } else {
      let evidence = missing(identity, entry, node, deliveries, raised: raised)
      result.evidence = evidence
      switch evidence.reason {
      case .nothingAfter, .codec, .eventOnly, .notRecorded: result.outcome = .unknown
      default: result.outcome = .notReached
      }
    }
    return result
  }

  /// Why a node that carries an emergency has not acknowledged it.
  private func carrying(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID, _ carried: Sighted
  ) -> EmergencyNode.Evidence {
    let track = log.tracks[node]
    if let rule = entry.dropRule { return dropped(identity, rule, carried) }
    if let clear = entry.clears[node], clear.returned == nil {
      var evidence = EmergencyNode.Evidence(.cleared)
      evidence.file = clear.sighted.file
      evidence.frames = [clear.sighted.frame]
      evidence.from = clear.sighted.time
      return evidence
    }
    if let runs = track?.runs, let last = runs.last, let other = last.identity, other != identity {
      var evidence = EmergencyNode.Evidence(.superseded)
      evidence.file = last.first.file
      evidence.frames = [last.first.frame]
      evidence.from = last.first.time
      evidence.other = other.source
      return evidence
    }
    var evidence = EmergencyNode.Evidence(.noAck)
    let own = track?.runs.filter { $0.identity == identity } ?? []
    evidence.count = own.reduce(0) { $0 + $1.count }
    evidence.from = carried.time
    evidence.until = own.last?.last.time
    evidence.file = carried.file
    evidence.frames = [carried.frame]
    if let last = own.last?.last, last.file == carried.file, last.frame != carried.frame {
      evidence.frames.append(last.frame)
    }
    // A connection that went down behind its last document belongs to the story.
    if let last = own.last?.last, let life = downBehind(node, last) {
      evidence.end = life.end
    }
    return evidence
  }

  private func downBehind(_ node: NodeID, _ last: Sighted) -> LinkLife? {
    guard let entries = linksOf[node],
      let entry = entries.first(where: { $0.facts.link.id == last.link }),
      let life = entry.lives.first(where: { $0.link == last.link }), let down = life.down,
      !entries.contains(where: { other in
        other.facts.opened.map { $0 >= down } ?? false
      })
    else { return nil }
    return life
  }

  /// Why no document of a node carries an emergency.
  private func missing(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID,
    _ deliveries: [EmergencyLog.Deliveries], raised: Timestamp?
  ) -> EmergencyNode.Evidence {
    let track = log.tracks[node]
    if let rule = entry.dropRule {
      // Of whom nothing was recorded, it cannot be seen whether anything came there.
      guard track != nil || !deliveries.isEmpty else { return EmergencyNode.Evidence(.notRecorded) }
      return dropped(
        identity, rule, deliveries.compactMap(\.first).min(by: Sighted.isBefore) ?? entry.firstSeen)
    }
    // Its own documents behind the first sighting that do not carry it.
    let lacking =
      track?.runs.filter {
        $0.identity != identity && !Sighted.isBefore($0.last, entry.firstSeen)
      } ?? []
    if deliveries.isEmpty {
      return untold(identity, entry, node, lacking, raised: raised)
    }
    let refused = deliveries.compactMap(\.refused)
      .min { Sighted.isBefore($0.sighted, $1.sighted) }
    let first = deliveries.compactMap(\.first).min(by: Sighted.isBefore)
    guard let first else {
      if let refused {
        var evidence = evidence(.refused, refused.sighted)
        evidence.count = Int(refused.code)
        return evidence
      }
      if let cut = deliveries.compactMap(\.cut).min(by: Sighted.isBefore) {
        return evidence(.mtuCut, cut)
      }
      if let cancelled = deliveries.compactMap(\.cancelled).min(by: Sighted.isBefore) {
        return evidence(.cancelled, cancelled)
      }
      return untold(identity, entry, node, lacking, raised: raised)
    }
    let takenIn = deliveries.compactMap { $0.sound ?? $0.encrypted ?? $0.stale ?? $0.collision }
    if takenIn.isEmpty, let lost = deliveries.compactMap(\.unanswered).min(by: Sighted.isBefore) {
      return evidence(.noResponse, lost)
    }
    if entry.form == .event { return evidence(.eventOnly, first) }
    if track?.isKotlin == true { return evidence(.codec, first) }
    // Documents behind the delivery tell what the node made of it.
    let after = lacking.filter { Sighted.isBefore(first, $0.last) }
    guard let shown = after.last else { return evidence(.nothingAfter, first) }
    var result = told(identity, entry, node, deliveries, first, shown)
    // Of those in a row that began before, it is not known how many came behind.
    result.count =
      after.contains { Sighted.isBefore($0.first, first) } ? 0 : after.reduce(0) { $0 + $1.count }
    if shown.last.file == first.file { result.frames.append(shown.last.frame) }
    result.until = shown.last.time
    return result
  }

  /// Why a node that was told shows nothing of it.
  private func told(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID,
    _ deliveries: [EmergencyLog.Deliveries], _ first: Sighted, _ shown: EmergencyLog.Run
  ) -> EmergencyNode.Evidence {
    if let other = shown.identity {
      var reason = EmergencyReason.superseded
      if other.time == identity.time { reason = .tie }
      // The later stamp was seen earlier: one of the two clocks is wrong.
      if other.time > identity.time, let known = log.entries[other],
        Sighted.isBefore(known.firstSeen, entry.firstSeen)
      {
        reason = .clock
      }
      if other.time >= identity.time {
        var evidence = evidence(reason, first)
        evidence.other = other.source
        return evidence
      }
    }
    let sound = deliveries.compactMap(\.sound).min(by: Sighted.isBefore)
    if sound == nil, let collision = deliveries.compactMap(\.collision).min(by: Sighted.isBefore) {
      var evidence = evidence(.versionCollision, collision)
      evidence.rule = rule(for: node, deliveries)
      return evidence
    }
    if sound == nil, let encrypted = deliveries.compactMap(\.encrypted).min(by: Sighted.isBefore),
      log.tracks[node]?.hasEncrypted == false
    {
      return evidence(.decryptFailure, encrypted)
    }
    if let rule = rule(for: node, deliveries) {
      var evidence = evidence(.receiverDrops, first)
      evidence.rule = rule
      return evidence
    }
    if sound == nil, let stale = deliveries.compactMap(\.stale).min(by: Sighted.isBefore) {
      return evidence(.staleVersion, stale)
    }
    return evidence(.ignored, first)
  }

  /// What implementations do with the messages, the node's own where it is known.
  private func rule(for node: NodeID, _ deliveries: [EmergencyLog.Deliveries]) -> String? {
    let notes = deliveries.compactMap(\.dropped).flatMap(\.rules).filter(\.isLoss)
    var clauses: [String] = []
    for note in notes {
      let clause = "\(note.receiver.name) \(note.text)"
      if !clauses.contains(clause) { clauses.append(clause) }
    }
    return clauses.isEmpty ? nil : clauses.joined(separator: "; ")
  }

  /// What every receiver drops, for a reason that the emergency itself gives.
  private func dropped(
    _ identity: EmergencyIdentity, _ rule: String, _ sighted: Sighted
  ) -> EmergencyNode.Evidence {
    var evidence = evidence(
      identity.time < Document.earliestTime ? .clock : .receiverDrops, sighted)
    evidence.rule = rule
    return evidence
  }

  func evidence(_ reason: EmergencyReason, _ sighted: Sighted) -> EmergencyNode.Evidence {
    var evidence = EmergencyNode.Evidence(reason)
    evidence.file = sighted.file
    evidence.frames = [sighted.frame]
    evidence.from = sighted.time
    evidence.other = sighted.author
    return evidence
  }
}
