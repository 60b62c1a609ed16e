import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

@Suite struct SyncChunkVectorTests {
  @Test("chunks, batches and operations behave as the reference's")
  func syncChunk() throws {
    try checkVectors("sync_chunk") { vector in
      switch vector.kind {
      case "chunk_data": return cut(vector)
      case "chunk_decode":
        var differences = Differences()
        let expect = vector.expect["decoded"]
        let chunk = try? Chunk(bytes: vector.hex ?? [])
        differences.expect("id", chunk?.messageID, expect["message_id"].uint32)
        differences.expect("index", chunk?.index, expect["chunk_index"].uint16)
        differences.expect("total", chunk?.total, expect["total_chunks"].uint16)
        differences.bytes("payload", chunk?.payload, expect["payload"])
        return differences.messages
      case "chunk_reassembly": return join(vector)
      case "crdt_operation":
        var differences = Differences()
        let operation = try? CRDTOperation(bytes: vector.hex ?? [])
        compare(operation, vector.expect["decoded"], &differences)
        differences.bytes("reencoded", operation?.encoded, vector.expect["reencoded"])
        differences.expect("size", operation?.estimatedSize, vector.expect["size"].int)
        return differences.messages
      case "operation_batch":
        var differences = Differences()
        let batch = try? OperationBatch(bytes: vector.hex ?? [])
        let operations = vector.expect["operations"].array
        differences.expect("count", batch?.operations.count, operations?.count)
        for (found, expected) in zip(batch?.operations ?? [], operations ?? []) {
          compare(found, expected, &differences)
        }
        differences.bytes("reencoded", batch?.encoded, vector.expect["reencoded"])
        differences.expect("size", batch?.estimatedSize, vector.expect["total_bytes"].int)
        return differences.messages
      case "gatt_sync_protocol": return exchange(vector)
      default: return unknownKind(vector)
      }
    }
  }

  private func compare(
    _ operation: CRDTOperation?, _ expect: JSON, _ differences: inout Differences
  ) {
    guard let operation, !expect.isNull else {
      differences.expect("refused", operation == nil, expect.isNull)
      return
    }
    let name: String
    switch operation {
    case .position(let node, let timestamp, let location):
      name = "position"
      differences.expect("node", node, expect["node"].node)
      differences.expect("time", timestamp, expect["timestamp"].uint64)
      differences.compare(location, expect["position"])
    case .health(let node, let timestamp, let health):
      name = "health"
      differences.expect("node", node, expect["node"].node)
      differences.expect("time", timestamp, expect["timestamp"].uint64)
      differences.compare(health, expect["health"])
    case .counter(let id, let node, let amount):
      name = "counter"
      differences.expect("counter", id, expect["counter_id"].uint8)
      differences.expect("node", node, expect["node"].node)
      differences.expect("amount", amount, expect["amount"].uint64)
    case .register(let node, let timestamp, let key, let value):
      name = "register"
      differences.expect("node", node, expect["node"].node)
      differences.expect("time", timestamp, expect["timestamp"].uint64)
      differences.expect("key", key, expect["key"].string)
      differences.bytes("value", value, expect["value"])
    }
    differences.expect("operation", name, expect["op"].string)
  }

  private func cut(_ vector: Vector) -> [String] {
    var differences = Differences()
    let chunks = Chunk.chunks(
      of: rulePayload(vector.input["payload"]),
      messageID: vector.input["message_id"].uint32 ?? 0, mtu: vector.input["mtu"].int ?? 0)
    if let list = vector.expect["chunks"].array {
      differences.expect(
        "chunks", chunks.map { Hexadecimal.string($0.encoded) }, list.map { $0.string ?? "" })
    } else {
      differences.expect("count", chunks.count, vector.expect["count"].int)
      differences.bytes("first", chunks.first?.encoded, vector.expect["first"])
      differences.bytes("last", chunks.last?.encoded, vector.expect["last"])
    }
    return differences.messages
  }

  private func join(_ vector: Vector) -> [String] {
    var differences = Differences()
    var reassembler = ChunkReassembler()
    let expected = vector.expect["steps"].array ?? []
    for (index, step) in (vector.input["steps"].array ?? []).enumerated() {
      let expect = expected.indices.contains(index) ? expected[index] : .null
      if let bytes = step["chunk"].bytes {
        guard let chunk = try? Chunk(bytes: bytes) else {
          differences.note("step \(index) is refused")
          continue
        }
        let message = reassembler.receive(chunk, at: step["now_ms"].uint64 ?? 0)
        differences.bytes("step \(index) complete", message, expect["complete"])
      } else if let time = step["cleanup"].uint64 {
        reassembler.clean(at: time)
      } else {
        differences.note("step \(index) is not handled")
      }
      differences.expect("step \(index) pending", reassembler.pendingCount, expect["pending"].int)
    }
    return differences.messages
  }

  private func exchange(_ vector: Vector) -> [String] {
    var differences = Differences()
    let expect = vector.expect
    let mtu = vector.input["mtu"].int ?? 0
    let now = vector.input["now_ms"].uint64 ?? 0
    let peer = NodeID(rawValue: 2)
    var operations: [CRDTOperation] = []
    for hex in vector.input["operations"].array ?? [] {
      guard let operation = try? CRDTOperation(bytes: hex.bytes ?? []) else {
        return ["an operation is refused"]
      }
      operations.append(operation)
    }
    var sender = BatchSync()
    differences.expect(
      "added", operations.map { sender.add($0) }, (expect["added"].array ?? []).map(\.bool))
    let chunks = sender.chunks(for: peer, mtu: mtu)
    differences.expect(
      "chunks", chunks.map { Hexadecimal.string($0.encoded) },
      (expect["chunks"].array ?? []).map { $0.string ?? "" })
    differences.expect("should sync", sender.queuedCount > 0, expect["should_sync"].bool)
    var receiver = BatchSync()
    var received: [CRDTOperation] = []
    for chunk in chunks {
      received += ((try? receiver.receive(chunk.encoded, at: now)) ?? nil) ?? []
    }
    differences.expect(
      "received", received.map { Hexadecimal.string($0.encoded) },
      (expect["received"].array ?? []).map { $0.string ?? "" })
    for operation in operations { _ = sender.add(operation) }
    differences.expect(
      "second sync",
      sender.chunks(for: peer, mtu: mtu).map { Hexadecimal.string($0.encoded) },
      (expect["second_sync_chunks"].array ?? []).map { $0.string ?? "" })
    return differences.messages
  }
}
