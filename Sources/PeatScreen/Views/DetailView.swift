import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import WireBytes

/// Fields and bytes of the selected message.
enum DetailView {
  static func lines(
    _ entry: ScreenEntry?, columns: Int, rows: Int, scroll: Int
  ) -> [ScreenLine] {
    guard let entry else { return [ScreenLine("no message is selected", .faint)] }
    let all = fields(entry.row) + bytes(entry.row.value.payload)
    let first = min(max(0, scroll), max(0, all.count - rows))
    return all.dropFirst(first).prefix(max(0, rows)).map {
      ScreenLine($0.replacingUnsafeCharacters().cutToCells(columns))
    }
  }

  private static func fields(_ row: TimelineRow) -> [String] {
    let value = row.value
    var lines = [
      "frame \(value.frame)  \(value.opcode.rawValue) handle \(value.handle)  "
        + "\(value.length) bytes  mtu \(value.mtu)  peer \(value.link.peer?.description ?? "-")",
      "\(row.message.kind.rawValue)" + (row.message.node.map { " by \($0)" } ?? "")
        + (row.message.decryptedWith.map { "  opened with \($0)" } ?? "")
        + (row.message.unopened.map { "  not opened: \($0.rawValue)" } ?? ""),
    ]
    if let fault = row.message.fault { lines.append("fault at \(fault.offset): \(fault.reason)") }
    if let decoded = row.document { lines += document(decoded) }
    if !row.effect.firstSeen.isEmpty {
      lines.append("new: " + row.effect.firstSeen.map(\.description).joined(separator: " "))
    }
    lines += row.findings.map { "finding \($0.code.rawValue): \($0.message)" }
    return lines
  }

  private static func document(_ decoded: DecodedDocument) -> [String] {
    let document = decoded.document
    let counter = document.counter.entries.map { "\($0.node)=\($0.count)" }
    var lines = [
      "version \(document.version)  counter \(counter.joined(separator: " "))"
    ]
    if let peripheral = decoded.shownPeripheral {
      var text = "peripheral \(peripheral.id) \(peripheral.callsign.text) \(peripheral.type.name)"
      text += "  battery \(peripheral.health.battery)%  \(peripheral.health.activity.name)"
      if let event = peripheral.event { text += "  event \(event.type.name)" }
      lines.append(text)
    }
    if let emergency = document.emergency {
      let acks = emergency.acks.map { "\($0.node) \($0.isAcked ? "acked" : "pending")" }
      lines.append("emergency of \(emergency.source): \(acks.joined(separator: ", "))")
    }
    return lines
  }

  /// Offset, sixteen bytes, and the printable ones among them as text.
  private static func bytes(_ payload: [UInt8]) -> [String] {
    stride(from: 0, to: payload.count, by: 16).map { start in
      let part = payload[start..<min(start + 16, payload.count)]
      let hex = part.map { Hexadecimal.string([$0]) }.joined(separator: " ")
      let text = part.map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "." }
      return "\("\(start)".cells(5))\(hex.cells(48))\(String(text))"
    }
  }
}
