import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct DeltaVectorTests {
  @Test("delta documents and vector clocks behave as the reference's")
  func deltaDocument() throws {
    try checkVectors("delta_document") { vector in
      switch vector.kind {
      case "delta_document": return delta(vector)
      case "delta_truncation":
        let bytes = vector.hex ?? []
        let lengths = (0...bytes.count).filter {
          (try? DeltaDocument(bytes: Array(bytes.prefix($0)))) != nil
        }
        var differences = Differences()
        differences.expect(
          "lengths", lengths,
          (vector.expect["decodable_lengths"].array ?? []).map { $0.int ?? -1 })
        return differences.messages
      case "vector_clock": return clock(vector)
      default: return unknownKind(vector)
      }
    }
  }

  private func delta(_ vector: Vector) -> [String] {
    var differences = Differences()
    let expect = vector.expect["decoded"]
    let delta: DeltaDocument
    do throws(FormatFault) {
      delta = try DeltaDocument(bytes: vector.hex ?? [])
    } catch {
      if !expect.isNull { differences.note("refused: \(error)") }
      let places = 0...(vector.hex ?? []).count
      if !places.contains(error.offset) { differences.note("offset \(error.offset) is outside") }
      return differences.messages
    }
    guard !expect.isNull else { return ["accepted"] }
    differences.expect("origin", delta.origin, expect["origin_node"].node)
    differences.expect("timestamp", delta.timestamp, expect["timestamp_ms"].uint64)
    differences.expect("response", delta.isResponse, expect["is_response"].bool)
    differences.expect("clock", delta.vectorClock != nil, expect["has_vector_clock"].bool)
    let encoded = delta.encoded
    differences.expect("size", encoded.count, expect["encoded_size"].int)
    if expect["reencoded_order_unspecified"].bool == true {
      // The reference writes the clock in the order of a hash table: no bytes to compare, but
      // these must read back as the same delta.
      differences.expect("read back", try? DeltaDocument(bytes: encoded), delta)
    } else {
      differences.bytes("reencoded", encoded, expect["reencoded"])
    }
    let operations = expect["operations"].array ?? []
    differences.expect("operation count", delta.operations.count, operations.count)
    for (found, expected) in zip(delta.operations, operations) {
      differences.expect("key", found.key, expected["key"].string)
      compare(found, expected, &differences)
    }
    return differences.messages
  }

  private func compare(
    _ operation: DeltaOperation, _ expect: JSON, _ differences: inout Differences
  ) {
    let name: String
    switch operation {
    case .counter(let id, let node, let amount, let timestamp):
      name = "increment_counter"
      differences.expect("counter", id, expect["counter_id"].uint8)
      differences.expect("node", node, expect["node_id"].node)
      differences.expect("amount", amount, expect["amount"].uint64)
      differences.expect("time", timestamp, expect["timestamp"].uint64)
    case .peripheral(let timestamp, let peripheral):
      name = "update_peripheral"
      differences.expect("time", timestamp, expect["timestamp"].uint64)
      differences.compare(peripheral, expect["peripheral"])
    case .setEmergency(let source, let timestamp, let knownPeers):
      name = "set_emergency"
      differences.expect("source", source, expect["source_node"].node)
      differences.expect("time", timestamp, expect["timestamp"].uint64)
      differences.expect(
        "peers", knownPeers, (expect["known_peers"].array ?? []).compactMap(\.node))
    case .acknowledgeEmergency(let node, let timestamp):
      name = "ack_emergency"
      differences.expect("node", node, expect["node_id"].node)
      differences.expect("time", timestamp, expect["emergency_timestamp"].uint64)
    case .clearEmergency(let timestamp):
      name = "clear_emergency"
      differences.expect("time", timestamp, expect["emergency_timestamp"].uint64)
    case .app(let operation):
      name = "app"
      differences.compare(operation, expect)
    }
    differences.expect("operation", name, expect["op"].string)
  }

  private func clock(_ vector: Vector) -> [String] {
    var differences = Differences()
    func clock(_ entries: JSON) -> VectorClock {
      VectorClock(
        (entries.array ?? []).map { ($0[0].node ?? NodeID(rawValue: 0), $0[1].uint64 ?? 0) })
    }
    let a = clock(vector.input["a"])
    let b = clock(vector.input["b"])
    let expect = vector.expect
    differences.expect("a before b", a.happensBefore(b), expect["a_before_b"].bool)
    differences.expect("b before a", b.happensBefore(a), expect["b_before_a"].bool)
    differences.expect("concurrent", a.isConcurrent(with: b), expect["concurrent"].bool)
    var merged = a
    merged.merge(b)
    differences.expect(
      "merged", (1...3).map { merged[NodeID(rawValue: $0)] },
      (expect["merged"].array ?? []).map { $0.uint64 ?? .max })
    return differences.messages
  }
}

extension Differences {
  /// Compares an application's operation with the shape that the vectors give one.
  mutating func compare(_ operation: AppOperation, _ expect: JSON) {
    self.expect("type", operation.type.rawValue, expect["type_id"].uint8)
    self.expect("code", operation.code, expect["op_code"].uint8)
    self.expect("source", operation.source, expect["source_node"].node)
    self.expect("time", operation.timestamp, expect["timestamp"].uint64)
    bytes("payload", operation.payload, expect["payload"])
  }
}
