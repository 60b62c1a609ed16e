import PeatProtocol
import PeatTestSupport

/// Compares a decoded document with the shape of a vector file; gives what differs, in words.
enum DocumentExpectation {
  /// Differences between what was decoded and `expect` = `{"decoded":…,"reencoded":…}`.
  static func differences(_ bytes: [UInt8], chat: Bool, _ expect: JSON) -> [String] {
    let decoded = try? Document.decode(bytes, chat: chat)
    var found = differences(decoded?.document, chat: chat, expect["decoded"])
    if decoded?.document.encoded() != expect["reencoded"].bytes { found.append("reencoded") }
    if let decoded { found += misplaced(decoded, in: bytes) }
    return found
  }

  /// Differences between a document and the vector's description of it.
  static func differences(_ document: Document?, chat: Bool, _ expect: JSON) -> [String] {
    guard let document else { return expect.isNull ? [] : ["refused"] }
    if expect.isNull { return ["accepted"] }
    var found: [String] = []
    func check(_ name: String, _ holds: Bool) { if !holds { found.append(name) } }
    check("version", document.version == expect["version"].uint32)
    check("node_id", document.node.rawValue == expect["node_id"].uint32)
    check("counter", pairs(document.counter) == expect["counter"])
    check("total_count", document.counter.total == expect["total_count"].uint64)
    check("peripheral", json(document.peripheral) == expect["peripheral"])
    check("emergency", json(document.emergency) == expect["emergency"])
    check("encoded_size", document.encodedSize == expect["encoded_size"].int)
    let event = document.peripheral?.event.map { JSON.number(Double($0.type.rawValue)) } ?? .null
    check("current_event", event == expect["current_event"])
    if chat { check("chat", json(document.chat) == expect["chat"]) }
    return found
  }

  /// Every note must lie inside the message or at its end, ascending.
  private static func misplaced(_ decoded: DecodedDocument, in bytes: [UInt8]) -> [String] {
    let offsets = decoded.dropped.map(\.offset)
    return offsets.allSatisfy { (0...bytes.count).contains($0) } && offsets == offsets.sorted()
      ? [] : ["offsets of dropped"]
  }

  private static func number(_ value: some BinaryInteger) -> JSON { .number(Double(value)) }
  private static func text(_ value: UInt64) -> JSON { .string(String(value)) }
  private static func hex(_ bytes: [UInt8]) -> JSON {
    .string(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
  private static func float(_ value: Float?) -> JSON {
    guard let value else { return .null }
    let digits = String(value.bitPattern, radix: 16)
    return .string(String(repeating: "0", count: 8 - digits.count) + digits)
  }

  private static func pairs(_ counter: GCounter) -> JSON {
    .array(counter.entries.map { .array([number($0.node.rawValue), text($0.count)]) })
  }

  private static func json(_ peripheral: Peripheral?) -> JSON {
    guard let peripheral else { return .null }
    let health = peripheral.health
    return .object([
      "id": number(peripheral.id.rawValue),
      "parent_node": number(peripheral.parent.rawValue),
      "type": number(peripheral.type.rawValue),
      "callsign": .string(peripheral.callsign.text),
      "callsign_hex": hex(peripheral.callsign.bytes),
      "health": .object([
        "battery_percent": number(health.battery),
        "activity": number(health.activity.rawValue),
        "alerts": number(health.alerts.rawValue),
        "heart_rate": health.heartRate == 0 ? .null : number(health.heartRate),
      ]),
      "event": peripheral.event.map {
        .object(["type": number($0.type.rawValue), "timestamp": text($0.time)])
      } ?? .null,
      "location": peripheral.location.map {
        .object([
          "latitude": float($0.latitude), "longitude": float($0.longitude),
          "altitude": float($0.altitude), "accuracy": float($0.accuracy),
        ])
      } ?? .null,
      "timestamp": text(peripheral.time),
    ])
  }

  private static func json(_ emergency: EmergencyEvent?) -> JSON {
    guard let emergency else { return .null }
    return .object([
      "source_node": number(emergency.source.rawValue),
      "timestamp": text(emergency.time),
      "acks": .array(
        emergency.acks.map { .array([number($0.node.rawValue), .bool($0.isAcked)]) }),
      "all_acked": .bool(emergency.isAckedByAll),
    ])
  }

  private static func json(_ chat: ChatSet?) -> JSON {
    guard let chat else { return .null }
    return .array(
      chat.messages.map {
        .object([
          "id": text($0.id), "origin_node": number($0.origin.rawValue),
          "timestamp": text($0.time), "sender": .string($0.sender), "text": .string($0.text),
          "is_broadcast": .bool($0.isBroadcast), "requires_ack": .bool($0.wantsAck),
          "reply_to_node": number($0.replyTo.node.rawValue),
          "reply_to_timestamp": text($0.replyTo.time),
        ])
      })
  }
}
