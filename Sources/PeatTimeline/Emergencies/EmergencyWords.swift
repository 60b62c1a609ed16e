import PeatDissection
package import PeatProtocol
package import WireBytes

/// The sentences on emergencies, for every output and for findings.
package struct EmergencyWords {
  /// How an instant is shown.
  let clock: (Timestamp) -> String
  /// A node as people call it.
  let name: (NodeID) -> String

  package init(clock: @escaping (Timestamp) -> String, name: @escaping (NodeID) -> String) {
    self.clock = clock
    self.name = name
  }

  /// The answer in one line: how many acknowledged, how fast, and what became of the others.
  package func verdict(_ story: EmergencyStory) -> String {
    let audience = story.audience
    var clauses: [String] = []
    if let rule = story.dropRule { clauses.append("every receiver drops it: \(rule)") }
    if story.isEventOnly {
      clauses.append("raised as an event of its source alone, which nobody passes on")
    }
    let isTaken =
      story.dropRule == nil
      || story.nodes.contains { node in
        node.outcome == .acked && node.node != story.identity.source
      }
    var acked = "acked by "
    acked +=
      story.isAckedByAll ? "all \(audience.count)" : "\(story.ackedCount) of \(audience.count)"
    if story.ackedCount > 1, let raised = story.raised, let last = story.lastAck {
      acked += " after \(EmergencyWords.seconds(max(0, last.nanoseconds(since: raised)))) s"
    }
    if isTaken { clauses.append(acked) }
    for node in audience where node.outcome == .carried || node.outcome == .notReached {
      if isDropped(node, story) { continue }
      if let text = text(node, story) { clauses.append(text) }
    }
    let unseen = audience.filter { $0.outcome == .unknown && $0.evidence?.reason == .notRecorded }
    for node in audience where node.outcome == .unknown && node.evidence?.reason != .notRecorded {
      if let text = text(node, story) { clauses.append(text) }
    }
    if !unseen.isEmpty {
      let names = unseen.prefix(4).map { name($0.node) }.joined(separator: ", ")
      let more = unseen.count > 4 ? " and \(unseen.count - 4) more" : ""
      clauses.append("of \(names)\(more) nothing was recorded: cannot be seen from this capture")
    }
    if let ending = ending(story) { clauses.append(ending) }
    return clauses.joined(separator: "; ")
  }

  /// How it ended; nil where that is said already.
  package func ending(_ story: EmergencyStory) -> String? {
    if let later = story.supersededBy {
      return later.source == story.identity.source
        ? "replaced by a later emergency of the same source"
        : "replaced by the later emergency of \(name(later.source))"
    }
    let cleared = story.cleared.filter { $0.returned == nil }
    guard let first = cleared.first else { return nil }
    var text = "cleared by \(cleared.map { name($0.sighted.author) }.joined(separator: ", "))"
    if let time = first.sighted.time { text += " from \(clock(time))" }
    if !story.standing.isEmpty {
      text += ", still carried by \(story.standing.map(name).joined(separator: ", "))"
    }
    return text
  }

  /// What became of it at a node, in a sentence without a full stop; nil for an acknowledgement.
  package func text(_ node: EmergencyNode, _ story: EmergencyStory) -> String? {
    guard node.outcome != .acked, let evidence = node.evidence else { return nil }
    let who = name(node.node)
    if isDropped(node, story), let rule = evidence.rule {
      return node.outcome == .carried
        ? "\(who) sends it, and receivers drop it: \(rule)"
        : "\(who) does not carry it: receivers drop it, \(rule)"
    }
    switch evidence.reason {
    case .noAck:
      var text = "\(who) carries it since \(time(evidence.from))"
      if let told = node.told { text += ", told by \(name(told.author))" }
      text +=
        ", and did not acknowledge it"
        + (evidence.count == 0 ? "" : " in \(counted(evidence.count, "document"))")
      if let until = evidence.until { text += " until \(clock(until))" }
      if let end = evidence.end { text += "; then its link went down (\(reason(end)))" }
      return text
    case .cleared:
      return "\(who) carried it and cleared it at \(time(evidence.from)) without acknowledging it"
    case .superseded:
      return evidence.other == story.identity.source
        ? "\(who) carries a later emergency of the same source instead"
        : "\(who) carries the emergency of \(other(evidence)) instead, which is later"
    case .tie:
      return "\(who) carries the emergency of \(other(evidence)) of the same time and keeps it"
    case .clock:
      return "\(who) heard it at \(time(evidence.from)) and keeps the emergency of "
        + "\(other(evidence)), which was raised before and has the later time: a clock is wrong"
    case .linkDown: return down(who, evidence)
    case .neverConnected:
      return "\(who) advertised, last at \(time(evidence.from)), and was never connected to a "
        + "recorded host"
    case .nothingSent:
      if evidence.other == nil, evidence.count > 0 {
        return "\(who) does not carry it in \(counted(evidence.count, "document")) until "
          + "\(time(evidence.until)), and nothing that carries it was sent to it"
      }
      let peer = evidence.other.map { " to \(name($0))" } ?? ""
      return "\(who) was connected\(peer), and nothing that carries it was sent there"
    case .noResponse:
      return "\(who) was sent it at \(time(evidence.from)) by \(other(evidence)), and the write "
        + "was never answered"
    case .refused:
      return "\(who) refused the write of \(time(evidence.from)) with ATT error \(evidence.count)"
    case .cancelled:
      return "\(other(evidence)) cancelled the prepared write to \(who) at \(time(evidence.from))"
    case .mtuCut:
      return "the document for \(who) at \(time(evidence.from)) was cut by the MTU before the "
        + "emergency"
    case .versionCollision:
      return "\(who) heard it at \(time(evidence.from)) and its receiver misread the document: "
        + "version collision" + (evidence.rule.map { " (\($0))" } ?? "") + since(evidence)
    case .receiverDrops:
      return "\(who) was sent it at \(time(evidence.from)), and receivers drop such a message"
        + (evidence.rule.map { ": \($0)" } ?? "") + since(evidence)
    case .decryptFailure:
      return
        "\(who) was sent it encrypted at \(time(evidence.from)) and has sent nothing with that "
        + "key itself" + since(evidence)
    case .staleVersion:
      return "\(who) was sent it in old documents only" + since(evidence)
    case .ignored:
      return "\(who) was sent it at \(time(evidence.from)) by \(other(evidence))" + since(evidence)
    case .nothingAfter:
      return "\(who) was sent it at \(time(evidence.from)), and nothing of it was recorded "
        + "afterwards: cannot be seen from this capture"
    case .codec:
      return "\(who) writes Android's codec, which has no emergency: cannot be seen from this "
        + "capture"
    case .eventOnly:
      return "\(who) was sent the event at \(time(evidence.from)), and shows no acknowledgement: "
        + "whether it arrived cannot be seen from this capture"
    case .notRecorded:
      return "nothing was recorded of \(who): cannot be seen from this capture"
    }
  }

  /// Whether the emergency itself is why receivers drop it, which the verdict says for all.
  private func isDropped(_ node: EmergencyNode, _ story: EmergencyStory) -> Bool {
    guard story.dropRule != nil, let evidence = node.evidence else { return false }
    return evidence.rule == story.dropRule
      && (evidence.reason == .clock || evidence.reason == .receiverDrops)
  }

  /// Why the source's stamp does not tell when it was raised, in a clause.
  package func doubt(_ story: EmergencyStory) -> String? {
    switch story.doubt {
    case nil: nil
    case .sourceUnheard: "no document of the source tells how its clock goes"
    case .lag(let lag):
      "the source's times are at least \(EmergencyWords.seconds(Int64(clamping: lag.magnitude))) s "
        + (lag > 0 ? "behind the packets'" : "ahead of the packets'")
    case .ahead: "its stamp is later"
    case .tooEarly: "its stamp is before 2020, which no receiver takes"
    case .untimed: "the capture has no times"
    }
  }

  private func down(_ who: String, _ evidence: EmergencyNode.Evidence) -> String {
    var text = "\(who) was out of reach"
    if let other = evidence.other { text += " of \(name(other))" }
    text += " from \(time(evidence.from))"
    if let until = evidence.until {
      text += " to \(clock(until))"
    } else {
      text += " to the capture's end"
    }
    if let end = evidence.end { text += " (\(reason(end)))" }
    return text
      + (evidence.until == nil
        ? "; what it heard elsewhere cannot be seen" : " and never heard it")
  }

  private func since(_ evidence: EmergencyNode.Evidence) -> String {
    ", and does not carry it in "
      + (evidence.count == 0 ? "its documents" : counted(evidence.count, "document"))
      + " until \(time(evidence.until))"
  }

  private func reason(_ end: Disconnection) -> String {
    switch end.endedBy {
    case .local where !end.words.hasPrefix("local"): end.words + ", by this host"
    case .peer where !end.words.hasPrefix("remote"): end.words + ", by the peer"
    default: end.words
    }
  }

  private func other(_ evidence: EmergencyNode.Evidence) -> String {
    evidence.other.map(name) ?? "another node"
  }

  func time(_ time: Timestamp?) -> String { time.map(clock) ?? "an unknown time" }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A node as people call it.
  package func shortName(_ node: NodeID) -> String { name(node) }

  /// The instant of milliseconds since 1970; nil for one that no clock shows.
  package static func instant(of milliseconds: UInt64) -> Timestamp? {
    EmergencyLog.instant(of: milliseconds)
  }

  /// Seconds with one decimal.
  package static func seconds(_ nanoseconds: Int64) -> String { ClockWatch.seconds(nanoseconds) }
}
