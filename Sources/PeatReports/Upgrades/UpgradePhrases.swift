import FirmwareUpgrades
import SMPProtocol
import WireBytes

/// Messages of firmware upgrades in words, for a line of the timeline.
enum UpgradePhrases {
  static func title(_ packet: SMPPacket) -> String {
    let ask = packet.request?.ask ?? packet.asks?.ask
    let title = SMPWords.title(packet.header, ask)
    return packet.header.operation.isResponse ? "\(title) answer" : title
  }

  static func phrases(_ packet: SMPPacket) -> [Phrase] {
    var phrases = [Phrase(text: "SMP \(title(packet))")]
    switch packet.content {
    case .incomplete: phrases.append(Phrase(text: "cut by the capture", paint: .warning))
    case .damaged(let error): phrases.append(Phrase(text: "malformed: \(error)", paint: .warning))
    case .whole(let message):
      if let refusal = packet.refusal {
        let words = SMPWords.text(refusal).replacingUnsafeCharacters()
        phrases.append(Phrase(text: "REFUSED: \(words)", paint: .alarm))
      } else {
        phrases += body(message, packet).map { Phrase(text: $0.replacingUnsafeCharacters()) }
      }
    }
    phrases.append(Phrase(text: "seq \(packet.header.sequence)", paint: .faint, isOptional: true))
    return phrases
  }

  private static func body(_ message: SMPMessage, _ packet: SMPPacket) -> [String] {
    let body = message.body
    if let images = SMPImage.all(body) { return images.prefix(8).map(\.words) }
    if case .upload(let chunk) = packet.asks?.ask {
      var text = "\(chunk.count) bytes at \(chunk.offset)"
      if let length = chunk.length { text += " of \(length)" }
      return [text]
    }
    if case .mark(let hash?, _) = packet.asks?.ask { return ["hash \(SMPWords.hash(hash))"] }
    guard case .map(let entries) = body else { return [] }
    return entries.prefix(6).map { entry in
      "\(entry.key.text ?? "?") \(short(entry.value))"
    }
  }

  /// A value on one line, with what is in it.
  static func whole(_ value: CBORValue) -> String {
    switch value {
    case .array(let elements): "[" + elements.map(whole).joined(separator: ", ") + "]"
    case .map(let entries):
      "{"
        + entries.map { "\($0.key.text ?? short($0.key)): \(whole($0.value))" }
        .joined(separator: ", ") + "}"
    case .text(let text): "\"\(text)\""
    case .bytes(let bytes) where bytes.count <= 32: Hexadecimal.string(bytes)
    case .unsigned, .negative, .bytes, .bool, .float, .null, .undefined, .simple: short(value)
    }
  }

  static func short(_ value: CBORValue) -> String {
    switch value {
    case .unsigned(let number): "\(number)"
    case .negative(let number): "\(-1 - Int128(number))"
    case .text(let text): String(text.prefix(60))
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .bool(let value): "\(value)"
    case .float(let number): "\(number)"
    case .array(let elements): "\(elements.count) entries"
    case .map(let entries): "\(entries.count) entries"
    case .null, .undefined, .simple: "none"
    }
  }
}
