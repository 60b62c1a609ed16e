import PeatDissection
import PeatProtocol
package import PeatTimeline
import WireBytes

/// Emergencies as tables, in the words of the records of `emergencies`.
extension SQLiteReport {
  /// Appends an emergency with a row for each node and for each link that was down meanwhile.
  package func append(
    _ story: EmergencyStory, _ words: EmergencyRecords
  ) throws(SQLiteError) {
    let id = nextEmergency()
    let statement = try database.prepare(SQLiteReport.insertion(into: "emergency", values: 16))
    statement.bind(id)
    statement.bind(story.mesh)
    statement.bind(story.identity.source.description)
    statement.bind(words.name(story.identity.source))
    statement.bind(unsigned: story.identity.time)
    statement.bind(utc(story.firstSeen.time))
    statement.bind(story.firstSeen.file)
    statement.bind(story.firstSeen.frame)
    statement.bind(story.raisedBy.rawValue)
    statement.bind(utc(story.raised))
    statement.bind(story.type)
    statement.bind(story.ackedCount)
    statement.bind(story.audience.count)
    statement.bind(story.isAckedByAll ? seconds(from: story.raised, to: story.lastAck) : nil)
    statement.bind(story.supersededBy?.source.description)
    statement.bind(words.verdict(story))
    try statement.run()
    for node in story.nodes {
      try append(node, story, words, emergency: id)
      for gap in node.downs { try append(gap, of: node.node, emergency: id) }
    }
  }

  private func append(
    _ node: EmergencyNode, _ story: EmergencyStory, _ words: EmergencyRecords, emergency: Int
  ) throws(SQLiteError) {
    let statement = try database.prepare(
      SQLiteReport.insertion(into: "emergency_node", values: 27))
    statement.bind(emergency)
    statement.bind(node.node.description)
    statement.bind(words.name(node.node))
    statement.bind(node.outcome.rawValue)
    statement.bind(node.isAudience ? 1 : 0)
    statement.bind(node.isHearsay ? 1 : 0)
    statement.bind(node.told?.author.description)
    statement.bind(utc(node.told?.time))
    statement.bind(node.told?.frame)
    statement.bind(node.told?.link)
    bind(node.carried, to: statement)
    bind(node.acked?.sighted, to: statement)
    statement.bind(node.acked?.through.description)
    let clear = story.cleared.first { $0.sighted.author == node.node && $0.returned == nil }
    statement.bind(utc(clear?.sighted.time))
    let evidence = node.evidence
    statement.bind(evidence?.reason.rawValue)
    statement.bind(utc(evidence?.from))
    statement.bind(utc(evidence?.until))
    statement.bind(evidence?.end?.name)
    statement.bind(evidence?.file ?? node.carried?.file ?? node.acked?.sighted.file)
    statement.bind(list(evidence?.frames ?? words.frames(node)))
    statement.bind(words.text(node, story))
    try statement.run()
  }

  private func bind(_ sighted: Sighted?, to statement: SQLiteStatement) {
    statement.bind(utc(sighted?.time))
    statement.bind(sighted?.file)
    statement.bind(sighted?.frame)
    statement.bind(sighted?.link)
  }

  private func append(
    _ gap: LinkGap, of node: NodeID, emergency: Int
  ) throws(SQLiteError) {
    let statement = try database.prepare(
      SQLiteReport.insertion(into: "emergency_down", values: 11))
    statement.bind(emergency)
    statement.bind(node.description)
    statement.bind(gap.other?.description)
    statement.bind(gap.link)
    statement.bind(gap.file)
    statement.bind(utc(gap.from))
    statement.bind(utc(gap.until))
    statement.bind(seconds(from: gap.from, to: gap.until))
    statement.bind(gap.end?.name)
    statement.bind(gap.end?.endedBy?.rawValue)
    statement.bind(list(gap.frames))
    try statement.run()
  }

  private func seconds(from start: Timestamp?, to end: Timestamp?) -> Double? {
    guard let start, let end else { return nil }
    return Double(max(0, end.nanoseconds(since: start))) / 1e9
  }

  private func list(_ frames: [Int]) -> String? {
    frames.isEmpty ? nil : frames.map { "\($0)" }.joined(separator: " ")
  }
}
