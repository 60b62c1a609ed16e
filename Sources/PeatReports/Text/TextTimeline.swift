import BluetoothProtocols
import FirmwareUpgrades
import MeshDissection
import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// The timeline for reading at a bench: one line a message, repetitions folded.
package struct TextTimeline: Sendable {
  private let style: TextStyle
  private var memory = NodeMemory()
  private var folded = FoldedRows()
  private var shownDate: String?
  private var hasSeveralFiles: Bool
  /// Beacons that had a line; of more, none has.
  private static let beaconLimit = 1024
  private var toldBeacons: Set<[UInt8]> = []

  package init(style: TextStyle, hasSeveralFiles: Bool) {
    self.style = style
    self.hasSeveralFiles = hasSeveralFiles
  }

  /// What the lines so far know of a node's name.
  package func name(_ node: NodeID) -> String { memory.name(node) }

  /// Takes notice of a row that is not shown.
  package mutating func observe(_ row: TimelineRow) { _ = memory.phrases(for: row) }

  /// Appends the line of a row, unless it only repeats what is known.
  package mutating func append(_ row: TimelineRow, to text: inout OutputText) {
    if !style.isVerbose, memory.isRepetition(row) {
      folded.add(row.message.node)
      return
    }
    flush(to: &text)
    appendDate(of: row, to: &text)
    let phrases = memory.phrases(for: row)
    let isAlarm = phrases.contains { $0.paint == .alarm }
    var line = Line(style: style)
    line.add(time(of: row), paint: .faint)
    line.add(row.value.direction.isFromLocal ? "→" : "←")
    if let outcome = row.value.outcome { line.add(outcome.name == "refused" ? "✗" : "∅") }
    line.add(who(row), paint: isAlarm ? .alarm : .name)
    line.gap()
    if phrases.isEmpty { line.add("unchanged", paint: .faint) }
    for phrase in phrases { line.add(phrase) }
    line.addDetail(of: row, showsFile: hasSeveralFiles)
    line.append(to: &text)
    if let sentence = memory.sentence(for: row, all: style.isVerbose) {
      append(remark: sentence, to: &text)
    }
    if style.namesFilter { append(remark: filter(of: row), to: &text) }
  }

  /// The packets that carried a message, as Wireshark numbers them.
  private func filter(of row: TimelineRow) -> String {
    let frames = Set(row.value.frames + [row.value.frame]).sorted()
    let numbers = frames.map { "\($0)" }.joined(separator: ", ")
    let filter =
      frames.count == 1 ? "frame.number == \(numbers)" : "frame.number in {\(numbers)}"
    return hasSeveralFiles ? "\(row.file.replacingUnsafeCharacters()): \(filter)" : filter
  }

  /// Appends the line of a mesh's message.
  package mutating func append(_ row: MeshRow, to text: inout OutputText) {
    let message = row.message
    if !style.isVerbose, row.findings.isEmpty, isQuiet(message) { return }
    flush(to: &text)
    let value = row.carried.value
    var line = begin(row.carried, to: &text)
    let width = style.columns < 70 ? 8 : 21
    let ends = MeshPhrases.ends(message).replacingUnsafeCharacters()
    line.add(ends.padded(to: width), paint: .name)
    line.gap()
    line.add(Phrase(text: MeshPhrases.what(message).replacingUnsafeCharacters()))
    let details = MeshPhrases.details(message).replacingUnsafeCharacters()
    if !details.isEmpty { line.add(Phrase(text: details)) }
    if row.seenIn.count > 1 {
      line.add(Phrase(text: "seen \(row.seenIn.count) times", paint: .faint, isOptional: true))
    }
    if let ttl = message.ttl, let sequence = message.sequence {
      line.add(Phrase(text: "TTL \(ttl), SEQ \(sequence)", paint: .faint, isOptional: true))
    }
    line.add(Phrase(text: "frame \(value.frame)", paint: .faint, isOptional: true))
    line.append(to: &text)
    for finding in row.findings where finding.severity > .note || style.isVerbose {
      append(remark: finding.message.replacingUnsafeCharacters(), to: &text)
    }
  }

  /// Appends the line of a firmware upgrade's message.
  package mutating func append(_ row: UpgradeRow, to text: inout OutputText) {
    flush(to: &text)
    let value = row.carried.value
    var line = begin(row.carried, to: &text)
    let peer = value.link.identity ?? value.link.peer
    line.add((peer?.description ?? "?").padded(to: style.columns < 70 ? 8 : 21), paint: .name)
    line.gap()
    for phrase in UpgradePhrases.phrases(row.packet) { line.add(phrase) }
    line.add(Phrase(text: "frame \(value.frame)", paint: .faint, isOptional: true))
    line.append(to: &text)
    // A refusal stands in the line.
    for finding in row.findings
    where finding.code != .smpRefused && (finding.severity > .note || style.isVerbose) {
      append(remark: finding.message.replacingUnsafeCharacters(), to: &text)
    }
  }

  /// A line's beginning: when, and which way.
  private mutating func begin(_ carried: CarriedValue, to text: inout OutputText) -> Line {
    let value = carried.value
    if style.clock != .relative, let time = value.time { appendDate(time, to: &text) }
    var time = OutputText(capacity: 16)
    if style.clock == .relative {
      if let elapsed = carried.elapsed { time.append(seconds: elapsed, decimals: 3) }
    } else if let instant = value.time {
      time.append(clock: style.civil(instant), decimals: 3)
    }
    var line = Line(style: style)
    line.add(
      String(decoding: time.slice, as: UTF8.self).rightAligned(to: timeWidth), paint: .faint)
    line.add(value.direction.isFromLocal ? "→" : "←")
    return line
  }

  /// What only keeps others going, what no key opens, and a beacon that was told, is for who asks
  /// for everything.
  private mutating func isQuiet(_ message: MeshMessage) -> Bool {
    switch message.layer {
    case .segment, .ack, .pbADV: return message.name == nil
    case .network: return message.unopened == "no-key"
    case .beacon:
      guard toldBeacons.count < TextTimeline.beaconLimit else { return true }
      return !toldBeacons.insert(message.bytes).inserted
    case .proxy, .provisioning, .upper, .control, .access: return false
    }
  }

  /// Appends the line of an event.
  package mutating func append(_ row: TimelineEvent, to text: inout OutputText) {
    flush(to: &text)
    var line = Line(style: style)
    var time = OutputText(capacity: 16)
    if style.clock == .relative {
      if let elapsed = row.elapsed { time.append(seconds: elapsed, decimals: 3) }
    } else if let instant = row.event.time {
      appendDate(instant, to: &text)
      time.append(clock: style.civil(instant), decimals: 3)
    }
    line.add(
      String(decoding: time.slice, as: UTF8.self).rightAligned(to: timeWidth), paint: .faint)
    line.add("⇄")
    let width = style.columns < 70 ? 8 : 21
    let who =
      row.peerNode.map { memory.name($0) } ?? row.event.link?.peer?.description ?? "recorder"
    line.add(who.cut(to: width).padded(to: width), paint: .faint)
    line.gap()
    if let link = row.event.link { line.add(Phrase(text: "link \(link.id)")) }
    line.add(Phrase(text: EventWords.text(row.event)))
    line.add(Phrase(text: "frame \(row.event.frame)", paint: .faint, isOptional: true))
    line.append(to: &text)
  }

  /// A sentence below a line, broken between words.
  private func append(remark sentence: String, to text: inout OutputText) {
    let indent = String(repeating: " ", count: timeWidth + 3)
    var line = indent
    for word in sentence.split(separator: " ") {
      if line.columns + word.count + 1 > style.columns, line.columns > indent.columns + 1 {
        text.append(raw: style.paint(line, .warning))
        text.append("\n")
        line = indent
      }
      line += (line.columns > indent.columns ? " " : "") + word
    }
    text.append(raw: style.paint(line, .warning))
    text.append("\n")
  }

  /// Appends what is still folded.
  package mutating func flush(to text: inout OutputText) {
    guard let summary = folded.take(name: memory.name) else { return }
    let indent = String(repeating: " ", count: timeWidth + 1)
    text.append(raw: style.paint((indent + summary).cut(to: style.columns), .faint))
    text.append("\n")
  }

  private var timeWidth: Int { style.clock == .relative ? 10 : 12 }

  private func time(of row: TimelineRow) -> String {
    var text = OutputText(capacity: 16)
    if style.clock == .relative {
      if let elapsed = row.elapsed { text.append(seconds: elapsed, decimals: 3) }
    } else if let time = row.value.time {
      text.append(clock: style.civil(time), decimals: 3)
    }
    return String(decoding: text.slice, as: UTF8.self).rightAligned(to: timeWidth)
  }

  /// A line with the date before the first row and wherever the day changes.
  private mutating func appendDate(of row: TimelineRow, to text: inout OutputText) {
    guard style.clock != .relative, let time = row.value.time else { return }
    appendDate(time, to: &text)
  }

  private mutating func appendDate(_ time: Timestamp, to text: inout OutputText) {
    var date = OutputText(capacity: 24)
    date.append(date: style.civil(time))
    date.append(" ")
    date.append(raw: style.zoneName(time))
    let shown = String(decoding: date.slice, as: UTF8.self)
    if shownDate == shown { return }
    shownDate = shown
    text.append(raw: style.paint(shown, .faint))
    text.append("\n")
  }

  private func who(_ row: TimelineRow) -> String {
    let width = style.columns < 70 ? 8 : 21
    guard let node = row.message.node else {
      return (row.value.link.peer?.description ?? "?").padded(to: width)
    }
    if style.columns < 70 { return memory.name(node).cut(to: 8).padded(to: 8) }
    let name = memory.names[node] ?? callsign(row) ?? ""
    return name.cut(to: 12).padded(to: 12) + " " + node.description
  }

  /// The callsign that this very row tells.
  private func callsign(_ row: TimelineRow) -> String? {
    guard let told = row.document?.shownPeripheral else { return nil }
    let name = told.callsign.text.replacingUnsafeCharacters()
    return name.isEmpty ? nil : name
  }
}

/// Heartbeats that changed nothing, counted by node.
struct FoldedRows: Sendable {
  private var counts: [(node: NodeID?, count: Int)] = []
  private var total = 0

  mutating func add(_ node: NodeID?) {
    total += 1
    if let index = counts.firstIndex(where: { $0.node == node }) {
      counts[index].count += 1
    } else if counts.count < 64 {
      counts.append((node, 1))
    }
  }

  mutating func take(name: (NodeID) -> String) -> String? {
    guard total > 0 else { return nil }
    defer {
      counts = []
      total = 0
    }
    let names = counts.map { entry in
      let who = entry.node.map(name) ?? "?"
      return entry.count == 1 ? who : "\(who) ×\(entry.count)"
    }
    return "· \(total) unchanged: \(names.joined(separator: ", "))"
  }
}
