import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

@Suite struct CannedMessageVectorTests {
  @Test("canned messages are read, merged and stored as peat-lite does")
  func cannedMessage() throws {
    try checkVectors("canned_message") { vector in
      switch vector.kind {
      case "canned_message": return decoders(vector)
      case "canned_sign": return signedLayout(vector)
      case "canned_ack_merge": return merge(vector)
      case "canned_ack": return acknowledge(vector)
      case "canned_store": return store(vector)
      default: return unknownKind(vector)
      }
    }
  }

  private func decoders(_ vector: Vector) -> [String] {
    var differences = Differences()
    let bytes = vector.hex ?? []
    let expect = vector.expect
    compare("event", try? CannedMessage(bytes: bytes), expect["event"], &differences)
    let auto = try? SignedCannedMessage(bytes: bytes)
    compare("auto", auto?.message, expect["auto"]["event"], &differences)
    differences.bytes("signature", auto?.signature, expect["auto"]["signature"])
    if let auto { differences.bytes("auto bytes", auto.encoded, vector.whole["hex"]) }
    compare(
      "acknowledged", try? AcknowledgedCannedMessage(bytes: bytes), expect["ack_event"],
      &differences)
    differences.expect(
      "signed format", CannedMessage.isSignedFormat(bytes), expect["is_signed_format"].bool)
    differences.expect(
      "unsigned format", CannedMessage.isUnsignedFormat(bytes), expect["is_unsigned_format"].bool)
    return differences.messages
  }

  private func compare(
    _ name: String, _ message: CannedMessage?, _ expect: JSON, _ differences: inout Differences
  ) {
    guard let message, !expect.isNull else {
      differences.expect(name + " refused", message == nil, expect.isNull)
      return
    }
    differences.expect(name + " code", message.code.rawValue, expect["code"].uint8)
    if !expect["name"].isNull {
      differences.expect(name + " name", message.code.name, expect["name"].string)
      differences.expect(
        name + " is ack", message.code.isAcknowledgement, expect["is_ack"].bool)
      differences.expect(name + " is alert", message.code.isAlert, expect["is_alert"].bool)
      differences.bytes(name + " reencoded", message.encoded, expect["reencoded"])
    }
    differences.expect(name + " source", message.source, expect["source"].node)
    differences.expect(name + " target", message.target, expect["target"].node)
    differences.expect(name + " time", message.timestamp, expect["timestamp"].uint64)
    differences.expect(name + " sequence", message.sequence, expect["sequence"].uint32)
  }

  private func compare(
    _ name: String, _ message: AcknowledgedCannedMessage?, _ expect: JSON,
    _ differences: inout Differences
  ) {
    guard let message, !expect.isNull else {
      differences.expect(name + " refused", message == nil, expect.isNull)
      return
    }
    compare(name, message.message, expect, &differences)
    differences.expect(
      name + " count", message.acknowledgements.count, expect["ack_count"].int)
    differences.expect(
      name + " acks",
      message.acknowledgements.map { [UInt64($0.node.rawValue), $0.timestamp] },
      (expect["acks_in_order"].array ?? []).map { [$0[0].uint64 ?? 0, $0[1].uint64 ?? 0] })
    differences.bytes(name + " reencoded", message.encoded, expect["reencoded"])
  }

  /// The layout of a signed message; making and checking its signature takes Ed25519, which this
  /// target does not know.
  private func signedLayout(_ vector: Vector) -> [String] {
    var differences = Differences()
    let bytes = vector.expect["signed"].bytes ?? []
    let signed = try? SignedCannedMessage(bytes: bytes)
    differences.bytes("message", signed?.message.encoded, vector.input["unsigned"])
    differences.expect("signature size", signed?.signature?.count, 64)
    differences.bytes("signed", signed?.encoded, vector.expect["signed"])
    return differences.messages
  }

  private func merge(_ vector: Vector) -> [String] {
    var differences = Differences()
    guard var state = try? AcknowledgedCannedMessage(bytes: vector.input["base"].bytes ?? [])
    else { return ["base is refused"] }
    let steps = vector.expect["steps"].array ?? []
    for (index, frame) in (vector.input["merge"].array ?? []).enumerated() {
      guard let other = try? AcknowledgedCannedMessage(bytes: frame.bytes ?? []) else {
        differences.note("step \(index) is refused")
        continue
      }
      let expect = steps.indices.contains(index) ? steps[index] : .null
      differences.expect("step \(index) changed", state.merge(other), expect["changed"].bool)
      compare("step \(index)", state, expect["state"], &differences)
    }
    return differences.messages
  }

  /// The line's message is not given whole: code "alert" as its final state shows, sequence 0.
  private func acknowledge(_ vector: Vector) -> [String] {
    var differences = Differences()
    let final = vector.expect["final"]
    let time = vector.input["timestamp"].uint64 ?? 0
    var state = AcknowledgedCannedMessage(
      CannedMessage(
        code: CannedCode(rawValue: final["code"].uint8 ?? 0) ?? .custom,
        source: vector.input["source"].node ?? NodeID(rawValue: 0),
        target: final["target"].node, timestamp: time,
        sequence: final["sequence"].uint32 ?? 0))
    for (index, step) in (vector.expect["steps"].array ?? []).enumerated() {
      let changed = state.acknowledge(
        by: step["node"].node ?? NodeID(rawValue: 0), at: step["timestamp"].uint64 ?? 0)
      differences.expect("step \(index)", changed, step["changed"].bool)
    }
    for (index, expected) in (vector.expect["fill"].array ?? []).enumerated() {
      let changed = state.acknowledge(by: NodeID(rawValue: 100 + UInt32(index)), at: time)
      differences.expect("fill \(index)", changed, expected.bool)
    }
    compare("final", state, final, &differences)
    return differences.messages
  }

  private func store(_ vector: Vector) -> [String] {
    var differences = Differences()
    var store = CannedMessageStore(capacity: vector.input["capacity"].int ?? 0)
    for (index, step) in (vector.expect["steps"].array ?? []).enumerated() {
      guard let message = try? CannedMessage(bytes: step["event"].bytes ?? []) else {
        differences.note("step \(index) is refused")
        continue
      }
      differences.expect(
        "step \(index) inserted", store.insert(message), step["inserted"].bool)
      differences.bytes(
        "step \(index) kept",
        store.message(source: message.source, code: message.code)?.encoded, step["kept"])
      differences.expect("step \(index) count", store.count, step["len"].int)
    }
    return differences.messages
  }
}
