import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// What a run looked at, for the sentence that nothing is wrong.
package struct LookedAt: Sendable {
  var messages: Int
  var nodes: Int
  var links: Int
  var emergencies: Int
  var acked: Int

  package init(messages: Int, nodes: Int, links: Int, emergencies: Int, acked: Int) {
    self.messages = messages
    self.nodes = nodes
    self.links = links
    self.emergencies = emergencies
    self.acked = acked
  }

  /// `1040 messages of 8 nodes, 12 links, 2 emergencies all acked`.
  var words: String {
    func counted(_ number: Int, _ one: String, _ many: String) -> String {
      "\(number) \(number == 1 ? one : many)"
    }
    var text = counted(messages, "message", "messages")
    text += " of " + counted(nodes, "node", "nodes")
    text += ", " + counted(links, "link", "links")
    switch emergencies {
    case 0: text += ", no emergency"
    case acked:
      text += ", " + counted(emergencies, "emergency", "emergencies") + " all acked"
    default:
      text += ", " + counted(emergencies, "emergency", "emergencies") + ", \(acked) of them acked"
    }
    return text
  }
}

/// Findings of a run for a person: what, where, and what to do, those of one code together.
package struct FindingText {
  private let style: TextStyle
  private let hasSeveralFiles: Bool
  private let callsign: (NodeID) -> String?
  private let links: [Int: LinkEntry]

  package init(
    style: TextStyle, hasSeveralFiles: Bool, callsign: @escaping (NodeID) -> String? = { _ in nil },
    links: [LinkEntry] = []
  ) {
    self.style = style
    self.hasSeveralFiles = hasSeveralFiles
    self.callsign = callsign
    self.links = Dictionary(
      links.map { ($0.facts.link.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The sentences of findings on emergencies, in the zone that is shown.
  package static func words(
    style: TextStyle, callsign: @escaping (NodeID) -> String?
  ) -> EmergencyWords {
    EmergencyWords(
      clock: { time in
        var text = OutputText(capacity: 16)
        text.append(clock: style.civil(time), decimals: 3)
        return String(decoding: text.slice, as: UTF8.self)
      },
      name: { node in callsign(node).flatMap { $0.isEmpty ? nil : $0 } ?? "\(node)" })
  }

  /// Appends every finding, and how many there are of each severity.
  package func append(_ report: FindingReport, _ looked: LookedAt, to text: inout OutputText) {
    let items = report.items
    for (index, item) in items.enumerated() {
      let isFirst = index == 0 || items[index - 1].code != item.code
      let isLast = index + 1 == items.count || items[index + 1].code != item.code
      if isFirst { appendHead(item.code, to: &text) }
      append(
        item.message.replacingUnsafeCharacters() + " (" + place(item).joined(separator: ", ") + ")",
        to: &text)
      if isLast {
        let entry = FindingTable.entry(of: item.code)
        append("\(entry.advice) (\(entry.rule))", paint: .faint, to: &text)
      }
    }
    let counts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = report.count(severity)
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let total =
      counts.isEmpty
      ? "no findings: \(looked.words)" : "\(counts.joined(separator: ", ")) in \(looked.words)"
    for line in total.broken(to: style.columns) {
      text.append(raw: style.paint(line, .bold) + "\n")
    }
    if report.leftOut > 0 { text.append(raw: "\(report.leftOut) more were left out\n") }
  }

  private func appendHead(_ code: FindingCode, to text: inout OutputText) {
    text.append(
      raw: style.paint(code.severity.rawValue.padded(to: 8), FindingText.paint(code.severity))
        + style.paint(code.rawValue, .bold) + "\n")
  }

  private func place(_ item: FindingReport.Item) -> [String] {
    var place: [String] = []
    if hasSeveralFiles { place.append(item.file.replacingUnsafeCharacters()) }
    if let node = item.node { place.append(name(node)) }
    if let link = item.link { place.append(name(link: link)) }
    if !item.frames.isEmpty { place.append(frames(item)) }
    if item.count > 1 { place.append("\(item.count) times") }
    if let time = time(item) { place.append(time) }
    return place
  }

  private func name(_ node: NodeID) -> String {
    callsign(node).flatMap { $0.isEmpty ? nil : "\($0.replacingUnsafeCharacters()) \(node)" }
      ?? "node \(node)"
  }

  /// A connection by the nodes at its ends.
  private func name(link: Int) -> String {
    guard let entry = links[link] else { return "link \(link)" }
    func end(_ node: NodeID?, _ address: String?) -> String? {
      guard let node else { return address }
      return callsign(node).flatMap { $0.isEmpty ? nil : $0.replacingUnsafeCharacters() }
        ?? "\(node)"
    }
    let local = end(entry.localNode, entry.facts.link.local.map { "\($0)" }) ?? "this host"
    let peer = end(entry.peerNode, entry.facts.link.peer.map { "\($0)" }) ?? "an unknown device"
    return "\(local) > \(peer), link \(link)"
  }

  private func frames(_ item: FindingReport.Item) -> String {
    let shown = item.frames.prefix(6).map { "\($0)" }.joined(separator: " ")
    return (item.frames.count == 1 ? "frame " : "frames ") + shown
      + (item.frames.count > 6 ? " …" : "")
  }

  private func time(_ item: FindingReport.Item) -> String? {
    guard let first = item.firstTime else { return nil }
    var text = OutputText(capacity: 40)
    if style.clock == .relative, let elapsed = item.elapsed {
      text.append(seconds: elapsed, decimals: 3)
      text.append(" s")
    } else {
      text.append(clock: style.civil(first), decimals: 3)
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Appends a paragraph, broken at words and set in.
  private func append(
    _ paragraph: String, paint: TextStyle.Paint? = nil, to text: inout OutputText
  ) {
    let indent = String(repeating: " ", count: 8)
    var line = ""
    func end() {
      if line.isEmpty { return }
      text.append(raw: indent + (paint.map { style.paint(line, $0) } ?? line) + "\n")
      line = ""
    }
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty && line.columns + word.count + 1 > style.columns - indent.count { end() }
      line += (line.isEmpty ? "" : " ") + word
    }
    end()
  }

  /// Appends the table of all findings.
  package func appendTable(to text: inout OutputText) {
    for code in FindingCode.allCases {
      let entry = FindingTable.entry(of: code)
      text.append(
        raw: style.paint(
          entry.severity.rawValue.padded(to: 8), FindingText.paint(entry.severity))
          + style.paint(code.rawValue, .bold) + "\n")
      append("\(entry.text). \(entry.advice) (\(entry.rule))", to: &text)
    }
  }

  private static func paint(_ severity: Severity) -> TextStyle.Paint {
    switch severity {
    case .error: .bad
    case .warning: .warning
    case .note: .faint
    }
  }
}
