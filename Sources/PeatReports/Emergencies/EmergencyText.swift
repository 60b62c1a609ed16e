package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Emergencies for a person: the verdict, then a row a node, then why.
package struct EmergencyText {
  private let style: TextStyle
  /// The captures, which a frame names by their number where they are several.
  private let files: [String]
  private let callsign: (NodeID) -> String?
  private let words: EmergencyWords
  private let start: Timestamp?

  /// `start` is the first packet, from which relative times count.
  package init(
    style: TextStyle, files: [String], start: Timestamp?,
    callsign: @escaping (NodeID) -> String?
  ) {
    self.style = style
    self.files = files
    self.start = start
    let safe: (NodeID) -> String? = { node in
      callsign(node).flatMap { $0.isEmpty ? nil : $0.replacingUnsafeCharacters() }
    }
    self.callsign = safe
    words = EmergencyWords(
      clock: { EmergencyText.clock($0, style, start) }, name: { safe($0) ?? "\($0)" })
  }

  private static func clock(_ time: Timestamp, _ style: TextStyle, _ start: Timestamp?) -> String {
    var text = OutputText(capacity: 16)
    if style.clock == .relative, let start {
      text.append(seconds: time.nanoseconds(since: start), decimals: 3)
      text.append(" s")
    } else {
      text.append(clock: style.civil(time), decimals: 3)
    }
    return String(decoding: text.slice, as: UTF8.self)
  }

  /// Appends all emergencies, the newest last.
  package func append(_ stories: [EmergencyStory], to text: inout OutputText) {
    for (index, story) in stories.enumerated() {
      if index > 0 { text.append("\n") }
      append(story, to: &text)
    }
    guard hasSeveralFiles, !stories.isEmpty else { return }
    text.append("\n")
    for (place, file) in files.enumerated() {
      line(
        "Frames \(place + 1):N are of \(file.replacingUnsafeCharacters()).", .faint, to: &text)
    }
  }

  private var hasSeveralFiles: Bool { files.count > 1 }

  private func append(_ story: EmergencyStory, to text: inout OutputText) {
    let source = callsign(story.identity.source) ?? "\(story.identity.source)"
    let isFine = story.isAckedByAll
    line(
      "EMERGENCY from \(source): \(words.verdict(story))", isFine ? .warning : .alarm, to: &text)
    line(raising(story), nil, to: &text)
    if let ending = words.ending(story) { line("It was \(ending).", nil, to: &text) }
    if hasSeveralFiles {
      line("\(story.captures) of \(files.count) captures show something of it.", nil, to: &text)
    }
    text.append("\n")
    append(rows(story), to: &text)
    var isFirst = true
    for node in story.nodes where node.isAudience {
      guard let why = words.text(node, story) else { continue }
      if isFirst { text.append("\n") }
      isFirst = false
      line("\(why)\(frames(node)).", nil, to: &text)
    }
    appendDowns(story, to: &text)
    let others = story.nodes.filter { !$0.isAudience }
    if !others.isEmpty {
      let names = others.prefix(6).map { words.shortName($0.node) }.joined(separator: ", ")
      let more = others.count > 6 ? " and \(others.count - 6) more" : ""
      if isFirst { text.append("\n") }
      line(
        "\(names)\(more): known only from others' counters; whether they heard it cannot be seen.",
        .faint, to: &text)
    }
  }

  /// Connections that were down meanwhile.
  private func appendDowns(_ story: EmergencyStory, to text: inout OutputText) {
    var isFirst = true
    for (node, gap) in story.downs {
      if isFirst { text.append("\n") }
      isFirst = false
      var line = "Link to \(words.shortName(node))"
      if let other = gap.other { line += " from \(words.shortName(other))" }
      line += " down from \(EmergencyText.clock(gap.from, style, start))"
      line += gap.until.map { " to \(EmergencyText.clock($0, style, start))" } ?? " on"
      if let end = gap.end { line += ": \(LinkText.words(end))" }
      line += gap.frames.count == 1 ? " (frame " : " (frames "
      line += gap.frames.map { "\($0)" }.joined(separator: " ")
      if hasSeveralFiles { line += " of \(gap.file.replacingUnsafeCharacters())" }
      self.line(line + ").", nil, to: &text)
    }
  }

  private func raising(_ story: EmergencyStory) -> String {
    var text = "Source \(story.identity.source), \(story.type)"
    if let mesh = story.mesh { text += ", mesh \(mesh.replacingUnsafeCharacters())" }
    let seen = story.firstSeen
    text += ". Raised "
    let first = seen.time.map { EmergencyText.clock($0, style, start) } ?? "at an unknown time"
    switch story.raisedBy {
    case .stamp:
      text += (story.raised.map { EmergencyText.clock($0, style, start) } ?? "?")
      text += " by the source's own stamp, first seen \(first)"
    case .sighting:
      text += "\(first) by its first sighting"
      if let doubt = words.doubt(story) { text += ", since \(doubt)" }
      text += "; the source's stamp is \(stamp(story))"
    }
    if story.doubt != .tooEarly, let difference = difference(story) { text += " (\(difference))" }
    text += ", frame \(seen.frame)"
    if hasSeveralFiles { text += " of \(seen.file.replacingUnsafeCharacters())" }
    if !story.pending.isEmpty {
      text += ", then pending: \(story.pending.map { words.shortName($0) }.joined(separator: ", "))"
    }
    return text + "."
  }

  private func stamp(_ story: EmergencyStory) -> String {
    guard let time = EmergencyWords.instant(of: story.identity.time) else {
      return "\(story.identity.time) ms"
    }
    let civil = style.civil(time)
    // A time of another day is not to be taken for one of this.
    if let seen = story.firstSeen.time.map(style.civil),
      (seen.year, seen.month, seen.day) != (civil.year, civil.month, civil.day)
    {
      var text = OutputText(capacity: 24)
      text.append(date: civil)
      text.append(" ")
      text.append(clock: civil, decimals: 3)
      return String(decoding: text.slice, as: UTF8.self)
    }
    return EmergencyText.clock(time, style, start)
  }

  private func difference(_ story: EmergencyStory) -> String? {
    guard let seen = story.firstSeen.time,
      let stamp = EmergencyWords.instant(of: story.identity.time)
    else { return nil }
    let later = seen.nanoseconds(since: stamp)
    var text = OutputText(capacity: 24)
    text.append(seconds: Int64(clamping: later.magnitude), decimals: 3)
    return String(decoding: text.slice, as: UTF8.self) + " s "
      + (later < 0 ? "before the stamp" : "after the stamp")
  }

  private func frames(_ node: EmergencyNode) -> String {
    guard let evidence = node.evidence, !evidence.frames.isEmpty else { return "" }
    var text = evidence.frames.count == 1 ? " (frame " : " (frames "
    text += evidence.frames.map { "\($0)" }.joined(separator: " ")
    if hasSeveralFiles, let file = evidence.file {
      text += " of \(file.replacingUnsafeCharacters())"
    }
    return text + ")"
  }

  private func rows(_ story: EmergencyStory) -> [[String]] {
    var rows = [
      ["NODE", "CALLSIGN", "OUTCOME", "CARRIED", "FRAME", "TOLD BY", "ACKED", "FRAME", "THROUGH"]
    ]
    for node in story.nodes where node.isAudience {
      rows.append([
        "\(node.node)", callsign(node.node) ?? "", outcome(node, story),
        node.carried?.time.map { EmergencyText.clock($0, style, start) } ?? "-",
        node.carried.map { place($0) } ?? "-",
        node.told.map { words.shortName($0.author) } ?? "-",
        node.acked?.sighted.time.map { EmergencyText.clock($0, style, start) } ?? "-",
        node.acked.map { place($0.sighted) } ?? "-",
        node.acked.map { $0.through == node.node ? "itself" : words.shortName($0.through) } ?? "-",
      ])
    }
    return rows
  }

  private func place(_ sighted: Sighted) -> String {
    guard hasSeveralFiles, let file = files.firstIndex(of: sighted.file) else {
      return "\(sighted.frame)"
    }
    return "\(file + 1):\(sighted.frame)"
  }

  private func outcome(_ node: EmergencyNode, _ story: EmergencyStory) -> String {
    if node.node == story.identity.source { return "SOURCE" }
    switch node.outcome {
    case .acked: return "acked"
    case .carried: return "CARRIED ONLY"
    case .notReached: return "NOT REACHED"
    case .unknown: return "cannot be seen"
    }
  }

  private func append(_ rows: [[String]], to text: inout OutputText) {
    guard let header = rows.first else { return }
    var rows = rows
    var shown = Array(header.indices)
    var widths: [Int] {
      header.indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    }
    var isTooWide: Bool { shown.reduce(-2) { $0 + widths[$1] + 2 } > style.columns }
    for column in [8, 5] where isTooWide { shown.removeAll { $0 == column } }
    if isTooWide {
      // One name for each: the callsign, else the id.
      for row in rows.indices.dropFirst() where !rows[row][1].isEmpty {
        rows[row][0] = rows[row][1]
      }
      shown.removeAll { $0 == 1 }
    }
    for column in [7, 4] where isTooWide { shown.removeAll { $0 == column } }
    let columns = widths
    for (index, row) in rows.enumerated() {
      var content = shown.map { row[$0].padded(to: columns[$0]) }.joined(separator: "  ")
      while content.hasSuffix(" ") { content.removeLast() }
      text.append(raw: (index == 0 ? style.paint(content, .faint) : content) + "\n")
    }
  }

  private func line(_ content: String, _ paint: TextStyle.Paint?, to text: inout OutputText) {
    for part in content.broken(to: style.columns) {
      text.append(raw: (paint.map { style.paint(part, $0) } ?? part) + "\n")
    }
  }
}
