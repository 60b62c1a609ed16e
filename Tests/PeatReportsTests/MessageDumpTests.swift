import PeatProtocol
import PeatReports
import PeatTestSupport
import Testing
import WireBytes

@Suite struct MessageDumpTests {
  /// A gap or an overlap in the fields of a dump; nil where they cover all bytes once.
  private func fault(_ bytes: [UInt8], as kind: MessageKind? = nil) -> String? {
    var decoder = MessageDecoder()
    let message = decoder.decode(bytes, as: kind)
    let dump = MessageDump(message, bytes: bytes, opener: &decoder.opener)
    var offset = 0
    for field in dump.fields {
      guard field.range.isEmpty || field.range.lowerBound == offset else {
        return "\(message.kind.rawValue) \(field.name) at \(field.range), expected \(offset)"
      }
      offset = max(offset, field.range.upperBound)
    }
    return offset == bytes.count ? nil : "\(message.kind.rawValue): \(offset) of \(bytes.count)"
  }

  private var messages: [[UInt8]] {
    get throws {
      try [
        "document", "document_chat", "document_invalid", "delta_document", "relay_envelope",
        "canned_message", "peer_e2ee", "lite_protocol", "sync_chunk", "beacon",
      ]
      .flatMap { try TestData.vectors($0) }.compactMap(\.hex)
    }
  }

  @Test("the fields cover every byte of every message once, whole or cut")
  func coverage() throws {
    for bytes in try messages {
      #expect(fault(bytes) == nil)
      for count in stride(from: 0, to: min(bytes.count, 200), by: 3) {
        #expect(fault(Array(bytes.prefix(count))) == nil)
      }
    }
  }

  @Test("the fields cover every byte when a message is forced into another kind")
  func forced() throws {
    let kinds = MessageKind.allCases.filter { $0 != .incomplete && $0 != .malformed }
    for (index, bytes) in try messages.enumerated() where bytes.count < 200 {
      #expect(fault(bytes, as: kinds[index % kinds.count]) == nil)
    }
  }

  @Test("everything that the reference leaves out is noted at its offset")
  func dropped() throws {
    var decoder = MessageDecoder()
    for bytes in try messages {
      let message = decoder.decode(bytes)
      let dump = MessageDump(message, bytes: bytes, opener: &decoder.opener)
      for item in message.document?.dropped ?? [] {
        let reason = item.reason.replacingUnsafeCharacters()
        let isThere = dump.fields.contains { field in
          (field.range.contains(item.offset) || field.range.lowerBound == item.offset)
            && field.notes.contains { $0.contains(reason) }
        }
        #expect(isThere, "\(item.reason) at \(item.offset)")
      }
    }
  }
}
