import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import WireBytes

/// The selected message: how it was carried, what is wrong with it, and its bytes field by field.
enum DetailView {
  /// Columns from which offset, bytes, field and value stand side by side.
  private static let wideColumns = 90

  static func lines(
    _ entry: ScreenEntry, dump: MessageDump, names: LiveLines, columns: Int
  ) -> [ScreenLine] {
    var lines = carried(entry, names)
    for finding in entry.row.findings {
      lines.append(ScreenLine("finding \(finding.code.rawValue): \(finding.message)", .warning))
    }
    for note in entry.row.receivers {
      let mark = note.isLoss ? "! " : "- "
      lines.append(
        ScreenLine("\(mark)\(note.receiver.rawValue) \(note.text)", note.isLoss ? .warning : .plain)
      )
    }
    lines += self.dump(dump, columns: columns)
    return lines.flatMap { broken($0, columns) }
  }

  private static func carried(_ entry: ScreenEntry, _ names: LiveLines) -> [ScreenLine] {
    let value = entry.row.value
    let local = value.link.local?.description ?? "-"
    let peer = value.link.peer?.description ?? "-"
    var link = "frame \(value.frame)  \(value.opcode.rawValue) handle \(value.handle)  "
    link += "\(value.length) bytes  mtu \(value.mtu)"
    var ends = "\(local) \(value.direction.isFromLocal ? "→" : "←") \(peer)  link \(value.link.id)"
    if let rssi = value.advertisement?.rssi ?? entry.moment.rssi { ends += "  \(rssi) dBm" }
    if let outcome = value.outcome { ends += "  \(outcome.name)" }
    if let cut = entry.row.cutBy { ends += "  cut by \(cut.rawValue)" }
    let effect = entry.row.effect
    var change = effect.isChanged ? "changed the mesh" : "changed nothing"
    if !effect.firstSeen.isEmpty {
      change += "; new: \(effect.firstSeen.map(\.description).joined(separator: ", "))"
    }
    return [ScreenLine(link), ScreenLine(ends), ScreenLine(change)]
  }

  /// What `decode` prints; on a narrow screen the bytes of a field stand below it.
  private static func dump(_ dump: MessageDump, columns: Int) -> [ScreenLine] {
    if columns < wideColumns { return narrow(dump, columns: columns, indent: "") }
    let style = TextStyle(
      columns: columns, usesColor: false, clock: .utc, isVerbose: true, zone: { _ in 0 })
    var text = OutputText(capacity: 4096)
    dump.append(to: &text, style: style)
    return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map {
      ScreenLine(String($0), $0.contains("  ^ ") ? .warning : .plain)
    }
  }

  private static func narrow(
    _ dump: MessageDump, columns: Int, indent: String
  ) -> [ScreenLine] {
    var lines = [ScreenLine(indent + dump.title, .bold)]
    for field in dump.fields {
      let place = "\(field.range.lowerBound)".cells(5)
      if !field.name.isEmpty {
        lines.append(ScreenLine("\(indent)\(place)\(field.name)  \(field.value)"))
      }
      let room = max(4, min(16, (columns - indent.count - 5) / 3))
      for start in stride(from: field.range.lowerBound, to: field.range.upperBound, by: room) {
        let part = dump.bytes[start..<min(start + room, field.range.upperBound)]
        let hex = part.map { Hexadecimal.string([$0]) }.joined(separator: " ")
        lines.append(ScreenLine("\(indent)     \(hex)", .faint))
      }
      lines += field.notes.map { ScreenLine("\(indent)     ^ \($0)", .warning) }
    }
    lines += dump.remarks.map { ScreenLine("\(indent)- \($0)") }
    if let inner = dump.inner { lines += narrow(inner, columns: columns, indent: indent + "  ") }
    return lines
  }

  /// The line on as many lines as it needs, so that nothing is beyond the edge.
  private static func broken(_ line: ScreenLine, _ columns: Int) -> [ScreenLine] {
    let text = line.text.replacingUnsafeCharacters()
    let style = line.parts.first?.style ?? .plain
    guard text.cellCount > columns else { return [ScreenLine(text, style)] }
    let margin = String(repeating: " ", count: min(8, columns / 4))
    var lines: [ScreenLine] = []
    var part = ""
    for character in text {
      if part.cellCount + String(character).cellCount > columns {
        // At the last space of the line's second half, where it has one.
        let half = part.index(part.startIndex, offsetBy: part.count / 2)
        let cut = part[half...].lastIndex(of: " ")
        let rest = cut.map { String(part[part.index(after: $0)...]) } ?? ""
        lines.append(ScreenLine(cut.map { String(part[..<$0]) } ?? part, style))
        part = margin + rest
      }
      part.append(character)
    }
    return lines + [ScreenLine(part, style)]
  }
}
