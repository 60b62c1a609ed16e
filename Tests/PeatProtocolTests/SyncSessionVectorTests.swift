import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

@Suite struct SyncSessionVectorTests {
  @Test("request and response synchronisation follows the reference")
  func gattSync() throws {
    try checkVectors("gatt_sync") { vector in
      switch vector.kind {
      case "sync_message_encode": return encode(vector)
      case "sync_message_decode": return decode(vector)
      case "max_payload_size":
        var differences = Differences()
        differences.expect(
          "size", SyncMessage.maximumPayload(mtu: vector.input["mtu"].int ?? 0),
          vector.expect["size"].int)
        return differences.messages
      case "fragment_payload": return fragment(vector)
      case "sync_session": return session(vector)
      default: return unknownKind(vector)
      }
    }
  }

  /// Errors and ends share one code, so that this side has one kind for both.
  private func kind(_ name: JSON) -> SyncMessage.Kind? {
    switch name.string {
    case "document": .document
    case "vector": .vector
    case "ack": .acknowledgement
    case "end", "error": .end
    default: nil
    }
  }

  private func encode(_ vector: Vector) -> [String] {
    var differences = Differences()
    guard let kind = kind(vector.input["type"]) else { return ["type is not handled"] }
    let message = SyncMessage(
      kind: kind, sequence: vector.input["seq"].uint16 ?? 0,
      payload: vector.input["payload"].bytes ?? [])
    differences.bytes("message", message.encoded, vector.expect["hex"])
    return differences.messages
  }

  private func decode(_ vector: Vector) -> [String] {
    var differences = Differences()
    let expect = vector.expect["decoded"]
    let message = try? SyncMessage(bytes: vector.hex ?? [])
    differences.expect("refused", message == nil, expect.isNull)
    differences.expect("kind", message?.kind.name, expect["type"].string)
    differences.expect("sequence", message?.sequence, expect["seq"].uint16)
    differences.expect("total", message?.totalFragments, expect["total_fragments"].uint8)
    differences.expect("index", message?.fragmentIndex, expect["fragment_index"].uint8)
    differences.bytes("payload", message?.payload, expect["payload"])
    differences.bytes("reencoded", message?.encoded, expect["reencoded"])
    return differences.messages
  }

  private func fragment(_ vector: Vector) -> [String] {
    var differences = Differences()
    guard let kind = kind(vector.input["type"]) else { return ["type is not handled"] }
    let fragments = SyncMessage.fragments(
      kind: kind, sequence: vector.input["seq"].uint16 ?? 0,
      payload: rulePayload(vector.input["payload"]),
      maximumFragmentSize: vector.input["max_fragment_size"].int ?? 0)
    let expect = vector.expect
    if expect["panic"].bool == true {
      differences.expect("refused", fragments == nil, true)
      return differences.messages
    }
    guard let fragments else { return ["refused"] }
    if let list = expect["fragments"].array {
      differences.expect(
        "fragments", fragments.map { Hexadecimal.string($0.encoded) }, list.map { $0.string ?? "" })
    } else {
      differences.expect("count", fragments.count, expect["count"].int)
      differences.bytes("first", fragments.first?.encoded, expect["first"])
      differences.bytes("last", fragments.last?.encoded, expect["last"])
      for index in [254, 255] {
        let found = fragments.indices.contains(index) ? fragments[index].fragmentIndex : nil
        differences.expect("index \(index)", found, expect["index_\(index)"].uint8)
      }
      differences.expect("total", fragments.first?.totalFragments, expect["total_field"].uint8)
    }
    return differences.messages
  }

  private func session(_ vector: Vector) -> [String] {
    var differences = Differences()
    var session = SyncSession()
    let names: [SyncSession.State: String] = [
      .idle: "Idle", .sendingVector: "SendingVector", .receivingDocuments: "ReceivingDocuments",
      .sendingDocuments: "SendingDocuments", .waitingAcknowledgement: "WaitingAck",
      .complete: "Complete", .error: "Error",
    ]
    let expected = vector.expect["steps"].array ?? []
    for (index, step) in (vector.input["steps"].array ?? []).enumerated() {
      let expect = expected.indices.contains(index) ? expected[index] : .null
      let bytes = step["hex"].bytes ?? []
      var refused = false
      switch step["do"].string {
      case "mtu": session.setMTU(step["mtu"].int ?? 0)
      case "start": refused = !session.start(vector: bytes)
      case "queue": refused = !session.queue(document: bytes)
      case "end": session.end()
      case "reset": session.reset()
      case "drain":
        differences.expect(
          "step \(index) sent", session.drain().map { Hexadecimal.string($0.encoded) },
          (expect["sent"].array ?? []).map { $0.string ?? "" })
      case "recv":
        var received: SyncSession.Received?
        do throws(FormatFault) { received = try session.receive(bytes) } catch { refused = true }
        let complete = expect["complete"]
        differences.expect("step \(index) type", received?.kind.name, complete["type"].string)
        differences.bytes("step \(index) payload", received?.payload, complete["payload"])
      default: differences.note("step \(index) is not handled")
      }
      // Where the reference crashes this side refuses; the line ends there.
      if expect["panic"].bool == true {
        differences.expect("step \(index) refused", refused, true)
        break
      }
      differences.expect("step \(index) state", names[session.state], expect["state"].string)
      differences.expect(
        "step \(index) outgoing", session.hasOutgoing, expect["has_outgoing"].bool)
    }
    return differences.messages
  }
}
