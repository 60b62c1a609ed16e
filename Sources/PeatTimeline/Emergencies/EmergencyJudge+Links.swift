import PeatDissection
import PeatProtocol
import WireBytes

/// What connections say of an emergency that did not reach a node.
extension EmergencyJudge {
  /// When connections of a node as the peer were down between the raising and the last document
  /// that carries the emergency, or the capture's end.
  func downs(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID, raised: Timestamp?
  ) -> [LinkGap] {
    guard let raised else { return [] }
    let isStanding = log.tracks.values.contains { $0.runs.last?.identity == identity }
    let last = isStanding ? nil : entry.clears.values.compactMap(\.sighted.time).max()
    var gaps: [LinkGap] = []
    for link in linksOf[node] ?? [] where link.peerNode == node {
      guard let place = link.lives.firstIndex(where: { $0.link == link.facts.link.id }),
        let down = link.lives[place].down
      else { continue }
      let next = place + 1 < link.lives.count ? link.lives[place + 1] : nil
      let until = next?.up
      if let last, down >= last { continue }
      if let until, until <= raised || until <= down { continue }
      // A connection that ends with the capture says nothing.
      if until == nil,
        lasts[link.file].map({ $0.nanoseconds(since: down) < EmergencyJudge.ending }) ?? true
      {
        continue
      }
      gaps.append(
        LinkGap(
          file: link.file, link: link.facts.link.id, from: down, until: until,
          end: link.lives[place].end,
          frames: [link.lives[place].downFrame] + (next.map { [$0.upFrame] } ?? []),
          other: link.localNode))
    }
    return gaps.sorted { $0.from < $1.from }
  }

  /// Of a connection that captures of both ends show down, only one of its two ends tells.
  func withoutMirrors(_ nodes: [EmergencyNode]) -> [EmergencyNode] {
    var told: [(node: NodeID, gap: LinkGap)] = []
    return nodes.map { node in
      var node = node
      node.downs.removeAll { gap in
        told.contains {
          $0.node == gap.other && $0.gap.other == node.node && $0.gap.file != gap.file
            && $0.gap.from.nanoseconds(since: gap.from).magnitude < EmergencyJudge.mirror
        }
      }
      told += node.downs.map { (node.node, $0) }
      return node
    }
  }

  // MARK: - Nothing was sent

  /// Why nothing that carries the emergency came to a node.
  func untold(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID,
    _ lacking: [EmergencyLog.Run], raised: Timestamp?
  ) -> EmergencyNode.Evidence {
    if let down = down(identity, entry, node) { return down }
    if let lack = lacking.first {
      // A run that began before the emergency shows it by its last document.
      let shown = Sighted.isBefore(lack.first, entry.firstSeen) ? lack.last : lack.first
      var result = evidence(.nothingSent, shown)
      result.other = nil
      result.count = lacking.reduce(0) { $0 + $1.count }
      result.until = lacking.last?.last.time
      return result
    }
    if log.tracks[node]?.isKotlin == true, let last = log.tracks[node]?.last {
      return evidence(.codec, last)
    }
    if let up = up(entry, node) { return up }
    if linksOf[node] == nil, log.tracks[node] == nil, let reading = advertisers[node] {
      var result = EmergencyNode.Evidence(.neverConnected)
      result.from = reading.advertiser.lastHeard
      result.frames = [reading.advertiser.lastFrame]
      result.file = reading.file
      return result
    }
    return EmergencyNode.Evidence(.notRecorded)
  }

  /// The time from which the other end of a connection could have told, and until when.
  func telling(
    _ entry: EmergencyLog.Entry, _ link: LinkEntry, to node: NodeID
  ) -> (from: Timestamp, until: Timestamp?)? {
    let other = link.localNode == node ? link.peerNode : link.localNode
    guard let other, let carried = entry.carried[other]?.time else { return nil }
    let clear = entry.clears[other].flatMap { $0.returned == nil ? $0.sighted.time : nil }
    return (carried, clear)
  }

  /// The connections of a node whose other ends carried the emergency, were all down meanwhile.
  func down(
    _ identity: EmergencyIdentity, _ entry: EmergencyLog.Entry, _ node: NodeID
  ) -> EmergencyNode.Evidence? {
    var latest: (life: LinkLife, file: String, other: NodeID?)?
    var next: LinkLife?
    for link in linksOf[node] ?? [] {
      guard let telling = telling(entry, link, to: node),
        let life = link.lives.first(where: { $0.link == link.facts.link.id })
      else { continue }
      let until = telling.until ?? Timestamp(nanoseconds: .max)
      let up = link.facts.opened ?? Timestamp(nanoseconds: .min)
      if let down = life.down, down <= telling.from {
        if latest.map({ ($0.life.down ?? down) < down }) ?? true {
          latest = (life, link.file, link.localNode == node ? link.peerNode : link.localNode)
        }
      } else if up >= until {
        if next.map({ ($0.up ?? up) > up }) ?? true { next = life }
      } else {
        // It was up while the other end could have told.
        return nil
      }
    }
    guard let latest else { return nil }
    var evidence = EmergencyNode.Evidence(.linkDown)
    evidence.file = latest.file
    evidence.frames = [latest.life.downFrame]
    evidence.from = latest.life.down
    evidence.end = latest.life.end
    evidence.other = latest.other
    if let next, let up = next.up {
      evidence.until = up
      evidence.frames.append(next.upFrame)
    }
    return evidence
  }

  /// A connection that was up while its other end carried the emergency, or of which the other end
  /// never did.
  func up(_ entry: EmergencyLog.Entry, _ node: NodeID) -> EmergencyNode.Evidence? {
    for link in linksOf[node] ?? [] {
      guard let seen = entry.firstSeen.time else { return nil }
      let isOver = link.facts.end != nil && (link.facts.closed.map { $0 <= seen } ?? false)
      if isOver { continue }
      var evidence = EmergencyNode.Evidence(.nothingSent)
      evidence.file = link.file
      evidence.frames = [link.facts.firstFrame]
      evidence.from = link.facts.opened
      evidence.until = link.facts.end == nil ? nil : link.facts.closed
      evidence.other = link.localNode == node ? link.peerNode : link.localNode
      return evidence
    }
    // All its connections ended before the emergency was seen.
    let ended = (linksOf[node] ?? []).filter { $0.facts.end != nil }
      .max { ($0.facts.closed?.nanoseconds ?? .min) < ($1.facts.closed?.nanoseconds ?? .min) }
    guard let ended else { return nil }
    var evidence = EmergencyNode.Evidence(.linkDown)
    evidence.file = ended.file
    evidence.frames = [ended.facts.lastFrame]
    evidence.from = ended.facts.closed
    evidence.end = ended.facts.end
    evidence.other = ended.localNode == node ? ended.peerNode : ended.localNode
    return evidence
  }
}
