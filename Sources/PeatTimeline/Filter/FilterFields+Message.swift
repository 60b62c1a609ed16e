import PeatProtocol
import PeatReplay
import WireBytes

extension Message {
  /// Calls `test` with this message and each one inside it, until it says true.
  func anyLevel(_ test: (Message) -> Bool) -> Bool {
    test(self) || (inner?.anyLevel(test) ?? false)
  }
}

extension FilterField {
  /// The fields that every message has, at any level of wrapping.
  static let messageFields: [FilterField] = [
    word(
      "kind", "what it is, wrapped ones included",
      MessageKind.allCases.map { ($0.rawValue, $0.rawValue) } + [("mesh", "mesh"), ("smp", "smp")]
    ) { row, test in
      if let kind = row.kind { return test(kind) }
      return row.message.anyLevel { test($0.kind.rawValue) }
    },
    node("node", "who wrote it") { row, test in row.message.node.map(test) ?? false },
    word(
      "collides", "the marker that its first byte looks like",
      FrameMarker.allCases.map { (Hexadecimal.string([$0.rawValue]), $0) }
    ) { row, test in row.message.anyLevel { $0.collides.map(test) ?? false } },
    text("decrypted_with", "the key that opened it, such as mesh:DEMO") { row, test in
      row.message.anyLevel { $0.decryptedWith.map(test) ?? false }
    },
    word(
      "unopened", "why it was not opened",
      names([Unopened.noKey, .noKeyOpens, .tagMismatch, .tooShort])
    ) { row, test in row.message.anyLevel { $0.unopened.map(test) ?? false } },
    text("reason", "why it is malformed or incomplete") { row, test in
      row.message.anyLevel { $0.fault.map { test($0.reason) } ?? false }
    },
    integer("offset", "where that shows") { row, test in
      row.message.anyLevel { $0.fault.map { test(Int128($0.offset)) } ?? false }
    },
    flag("inner", "whether it wraps a message that is open") { $0.message.inner != nil },
    word("event", "the event it tells, as --event takes it", events) {
      row, test in
      guard let decoded = row.document else { return false }
      if let event = (decoded.kotlin ?? decoded.document.peripheral)?.event, test(event.type) {
        return true
      }
      if decoded.document.emergency != nil, test(.emergency) { return true }
      return row.effect.firstSeen.contains { if case .ack = $0 { test(.ack) } else { false } }
    },
  ]

  static func names<Value: RawRepresentable>(_ values: [Value]) -> [(String, Value)]
  where Value.RawValue == String {
    values.map { ($0.rawValue, $0) }
  }

  static let events: [(String, EventType)] = (UInt8(0)...6).map {
    let type = EventType(rawValue: $0)
    return (type.name, type)
  }
}
