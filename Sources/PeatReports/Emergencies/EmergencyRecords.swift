import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Emergencies as NDJSON and CSV (cli.md, `emergencies`): times are UTC, sentences too.
package struct EmergencyRecords {
  private let words: EmergencyWords
  private let callsign: (NodeID) -> String?
  /// Whether a place names its capture.
  private let hasSeveralFiles: Bool

  package init(hasSeveralFiles: Bool, callsign: @escaping (NodeID) -> String?) {
    self.hasSeveralFiles = hasSeveralFiles
    self.callsign = callsign
    words = EmergencyWords(
      clock: { EmergencyRecords.utc($0) },
      name: { node in
        callsign(node).map { $0.isEmpty ? "\(node)" : "\($0) (\(node))" } ?? "\(node)"
      })
  }

  /// The sentences of the records, for another form of them.
  func verdict(_ story: EmergencyStory) -> String { words.verdict(story) }
  func text(_ node: EmergencyNode, _ story: EmergencyStory) -> String? { words.text(node, story) }
  func name(_ node: NodeID) -> String? { callsign(node) }

  private static func utc(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 32)
    text.append(utc: time)
    return String(decoding: text.slice, as: UTF8.self)
  }

  /// Appends one emergency as a record and its line end.
  package func append(_ story: EmergencyStory, to text: inout OutputText) {
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(",\"scope\":\"emergency\"")
    text.field("mesh", story.mesh)
    text.field("source", story.identity.source)
    text.field("callsign", callsign(story.identity.source))
    text.field("stamp", story.identity.time)
    text.field("first_seen", story.firstSeen.time)
    text.field("first_file", hasSeveralFiles ? story.firstSeen.file : nil)
    text.field("first_frame", story.firstSeen.frame)
    text.field("raised_by", story.raisedBy.rawValue)
    text.field("raised", story.raised)
    text.field("type", story.type)
    text.field("pending", list: story.pending) { $1.append(json: $0) }
    text.field("verdict", words.verdict(story))
    text.field("nodes", list: story.nodes) { append($0, story, to: &$1) }
    text.field("cleared", list: story.cleared) { clear, text in
      text.append("{\"node\":")
      text.append(json: clear.sighted.author)
      text.field("callsign", callsign(clear.sighted.author))
      append(clear.sighted, to: &text)
      if let returned = clear.returned {
        text.append(key: "returned")
        append(object: returned, to: &text)
      }
      text.append("}")
    }
    text.field("superseded_by", story.supersededBy?.source)
    text.append("}\n")
  }

  private func append(_ node: EmergencyNode, _ story: EmergencyStory, to text: inout OutputText) {
    text.append("{\"node\":")
    text.append(json: node.node)
    text.field("callsign", callsign(node.node))
    text.field("outcome", node.outcome.rawValue)
    if node.isHearsay { text.field("hearsay", true) }
    if let told = node.told {
      text.append(key: "told")
      text.append("{\"by\":")
      text.append(json: told.author)
      append(told, to: &text)
      text.field("link", told.link)
      text.append("}")
    }
    if let carried = node.carried {
      text.append(key: "carried")
      append(object: carried, to: &text)
    }
    if let acked = node.acked {
      text.append(key: "acked")
      text.append("{")
      appendPlace(acked.sighted, to: &text)
      text.field("link", acked.sighted.link)
      text.field("through", acked.through)
      text.append("}")
    }
    text.field("why", node.evidence?.reason.rawValue)
    text.field("text", words.text(node, story))
    if let evidence = node.evidence {
      text.field("file", hasSeveralFiles ? evidence.file : nil)
      text.field("from", evidence.from)
      text.field("until", evidence.until)
      text.field("reason", evidence.end?.name)
      text.field("frames", frames: evidence.frames)
    } else {
      text.field("frames", frames: frames(node))
    }
    if !node.downs.isEmpty { text.field("down", list: node.downs) { append($0, to: &$1) } }
    text.append("}")
  }

  private func append(_ gap: LinkGap, to text: inout OutputText) {
    text.append("{\"link\":")
    text.append(decimal: gap.link)
    text.field("from", gap.from)
    text.field("until", gap.until)
    text.field("reason", gap.end?.name)
    text.field("ended_by", gap.end?.endedBy?.rawValue)
    text.field("file", hasSeveralFiles ? gap.file : nil)
    text.field("frames", frames: gap.frames)
    text.append("}")
  }

  /// The packets that show an acknowledgement.
  func frames(_ node: EmergencyNode) -> [Int] {
    var frames: [Int] = []
    for frame in [node.carried?.frame, node.acked?.sighted.frame] {
      if let frame, !frames.contains(frame) { frames.append(frame) }
    }
    return frames
  }

  private func append(object sighted: Sighted, to text: inout OutputText) {
    text.append("{")
    appendPlace(sighted, to: &text)
    text.field("link", sighted.link)
    text.append("}")
  }

  /// The first key has no comma.
  private func appendPlace(_ sighted: Sighted, to text: inout OutputText) {
    if let time = sighted.time {
      text.append("\"time\":\"")
      text.append(utc: time)
      text.append("\",")
    }
    text.append("\"frame\":")
    text.append(decimal: sighted.frame)
    text.field("file", hasSeveralFiles ? sighted.file : nil)
  }

  private func append(_ sighted: Sighted, to text: inout OutputText) {
    text.field("time", sighted.time)
    text.field("frame", sighted.frame)
    text.field("file", hasSeveralFiles ? sighted.file : nil)
  }

  /// Appends the header row of the CSV.
  package func appendCSVHeader(to text: inout OutputText) {
    text.append("mesh,source,source_callsign,stamp,first_seen,raised_by,raised,type,node,callsign,")
    text.append("outcome,told_by,told,told_frame,carried,carried_frame,carried_link,acked,")
    text.append("acked_frame,through,why,from,until,reason,frames,cleared,file,text\n")
  }

  /// Appends one row for each node of an emergency.
  package func append(csv story: EmergencyStory, to text: inout OutputText) {
    func time(_ time: Timestamp?) -> String { time.map { EmergencyRecords.utc($0) } ?? "" }
    func id(_ node: NodeID?) -> String { node.map { "0x\($0)" } ?? "" }
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
    for node in story.nodes {
      let evidence = node.evidence
      let clear = story.cleared.first { $0.sighted.author == node.node && $0.returned == nil }
      var row: [String] = [story.mesh ?? "", id(story.identity.source)]
      row.append(callsign(story.identity.source) ?? "")
      row.append("\(story.identity.time)")
      row += [time(story.firstSeen.time), story.raisedBy.rawValue, time(story.raised), story.type]
      row += [id(node.node), callsign(node.node) ?? "", node.outcome.rawValue]
      row += [id(node.told?.author), time(node.told?.time), number(node.told?.frame)]
      row += [time(node.carried?.time), number(node.carried?.frame), number(node.carried?.link)]
      row += [time(node.acked?.sighted.time), number(node.acked?.sighted.frame)]
      row += [id(node.acked?.through), evidence?.reason.rawValue ?? ""]
      row += [time(evidence?.from), time(evidence?.until), evidence?.end?.name ?? ""]
      let frames = evidence?.frames ?? self.frames(node)
      row.append(frames.map { "\($0)" }.joined(separator: ";"))
      row.append(time(clear?.sighted.time))
      row.append(evidence?.file ?? node.carried?.file ?? node.acked?.sighted.file ?? "")
      row.append(words.text(node, story) ?? "")
      text.append(csvRow: row)
    }
  }
}
