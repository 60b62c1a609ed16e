import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct RelayVectorTests {
  @Test("relay envelopes, message ids and the seen cache behave as the reference's")
  func relayEnvelope() throws {
    try checkVectors("relay_envelope") { vector in
      switch vector.kind {
      case "relay_envelope": return envelope(vector)
      case "relay_content_id":
        var differences = Differences()
        let id = RelayMessageID(
          origin: vector.input["origin"].node ?? NodeID(rawValue: 0),
          timestamp: vector.input["timestamp_ms"].uint64 ?? 0,
          payloadHash: vector.input["payload_hash"].uint32 ?? 0)
        differences.bytes("id", id.bytes, vector.expect["message_id"])
        differences.expect("display", id.description, vector.expect["display"].string)
        return differences.messages
      case "relay_seen_cache": return seen(vector)
      case "relay_seen_overflow": return overflow(vector)
      default: return unknownKind(vector)
      }
    }
  }

  private func envelope(_ vector: Vector) -> [String] {
    var differences = Differences()
    let expect = vector.expect["decoded"]
    let envelope = try? RelayEnvelope(bytes: vector.hex ?? [])
    guard let envelope, !expect.isNull else {
      differences.expect("refused", envelope == nil, expect.isNull)
      return differences.messages
    }
    differences.bytes("id", envelope.messageID.bytes, expect["message_id"])
    differences.expect("hops", envelope.hopCount, expect["hop_count"].uint8)
    differences.expect("maximum", envelope.maximumHops, expect["max_hops"].uint8)
    differences.expect("origin", envelope.origin, expect["origin_node"].node)
    differences.expect("broadcast", envelope.isBroadcast, expect["is_broadcast"].bool)
    differences.expect(
      "ack wanted", envelope.requiresAcknowledgement, expect["requires_ack"].bool)
    differences.bytes("payload", envelope.payload, expect["payload"])
    differences.expect("can relay", envelope.canRelay, expect["can_relay"].bool)
    differences.expect("remaining", envelope.remainingHops, expect["remaining_hops"].uint8)
    differences.bytes("reencoded", envelope.encoded, expect["reencoded"])
    differences.bytes("relayed", envelope.relayed?.encoded, expect["relayed"])
    return differences.messages
  }

  private func id(_ bytes: [UInt8]) -> RelayMessageID {
    func number(_ part: ArraySlice<UInt8>) -> UInt64 {
      part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return RelayMessageID(low: number(bytes.prefix(8)), high: number(bytes.dropFirst(8)))
  }

  private func seen(_ vector: Vector) -> [String] {
    var differences = Differences()
    var cache = SeenMessages(lifetime: vector.input["ttl_ms"].uint64 ?? 0)
    for (index, step) in (vector.expect["steps"].array ?? []).enumerated() {
      let id = id(step["id"].bytes ?? [])
      let isNew = cache.mark(
        id, from: step["origin"].node ?? NodeID(rawValue: 0), at: step["now_ms"].uint64 ?? 0)
      differences.expect("step \(index) new", isNew, step["is_new"].bool)
      differences.expect("step \(index) count", cache[id]?.count, step["count"].uint32)
      differences.expect(
        "step \(index) first origin", cache[id]?.firstOrigin, step["first_origin"].node)
      differences.expect(
        "step \(index) first seen", cache[id]?.firstSeen, step["first_seen"].uint64)
      differences.expect("step \(index) size", cache.count, step["size"].int)
    }
    return differences.messages
  }

  /// Ids are the number i in the first four bytes and zeros; number i comes at 600000 + i, the
  /// cleaning at 700000.
  private func overflow(_ vector: Vector) -> [String] {
    var differences = Differences()
    var cache = SeenMessages(lifetime: vector.input["ttl_ms"].uint64 ?? 0)
    let sizes = Dictionary(
      (vector.expect["sizes"].array ?? []).map { ($0[0].int ?? -1, $0[1].int ?? -1) },
      uniquingKeysWith: { $1 })
    for i in 0...(sizes.keys.max() ?? 0) {
      _ = cache.mark(
        RelayMessageID(low: UInt64(i), high: 0), from: NodeID(rawValue: 1),
        at: 600_000 + UInt64(i))
      if let size = sizes[i] { differences.expect("size after \(i)", cache.count, size) }
    }
    cache.clean(at: 700_000)
    differences.expect(
      "cleaned", cache.count, vector.expect["size_after_cleanup"].int)
    for pair in vector.expect["kept"].array ?? [] {
      let id = RelayMessageID(low: pair[0].uint64 ?? 0, high: 0)
      differences.expect("kept \(pair[0])", cache.contains(id), pair[1].bool)
    }
    return differences.messages
  }
}
