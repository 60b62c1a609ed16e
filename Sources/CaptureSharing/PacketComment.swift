import PeatDissection
package import PeatProtocol
import PeatReports
package import PeatSecurity
package import PeatTimeline
import WireBytes

/// The decoding of a message as a comment on the packet that completed it.
package struct PacketComment {
  /// A comment is for reading: what is longer is cut with a word.
  private static let limit = 16_384

  private let keyring: Keyring?

  /// Makes comments; with a keyring they hold what it opens of encrypted frames.
  package init(opened keyring: Keyring?) { self.keyring = keyring }

  /// The comment of a row.
  package func text(of row: TimelineRow) -> String {
    let value = row.value
    var opener = keyring ?? Keyring()
    var message = row.message
    if keyring == nil, row.message.wasOpened {
      var decoder = MessageDecoder(opener: opener)
      message = decoder.decode(
        value.payload,
        context: MessageContext(role: value.role, isReadAnswer: value.opcode.isRead))
    }
    let dump = MessageDump(message, bytes: value.payload, opener: &opener)
    var lines: [String] = []
    append(dump, indent: "", to: &lines)
    if let outcome = value.outcome { lines.append("the write was \(outcome.name)") }
    if keyring != nil || !row.message.wasOpened {
      for finding in row.findings {
        lines.append("\(finding.severity.rawValue): \(finding.message) [\(finding.code.rawValue)]")
      }
    }
    var text = "Peat: " + lines.joined(separator: "\n")
    if text.utf8.count > PacketComment.limit {
      text = String(text.prefix(PacketComment.limit / 4)) + "\n… the comment is cut here"
    }
    return text
  }

  private func append(_ dump: MessageDump, indent: String, to lines: inout [String]) {
    lines.append(indent + dump.title.replacingUnsafeCharacters())
    for field in dump.fields {
      if !field.name.isEmpty { lines.append("\(indent)  \(field.name): \(field.value)") }
      for note in field.notes { lines.append("\(indent)  ^ \(note)") }
    }
    for remark in dump.remarks { lines.append("\(indent)  - \(remark)") }
    if let inner = dump.inner { append(inner, indent: indent + "  ", to: &lines) }
  }
}

extension Message {
  /// Whether a key opened the message or what it wraps.
  package var wasOpened: Bool { decryptedWith != nil || (inner?.wasOpened ?? false) }
}
