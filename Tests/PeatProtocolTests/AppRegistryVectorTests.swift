import PeatProtocol
import PeatTestSupport
import Testing
import WireBytes

@Suite struct AppRegistryVectorTests {
  @Test("application documents are framed and registered as in the reference")
  func appRegistry() throws {
    try checkVectors("app_registry") { vector in
      var differences = Differences()
      let expect = vector.expect
      switch vector.kind {
      case "app_encode_with_header":
        let document = MaxDocument(
          source: vector.input["source"].node ?? NodeID(rawValue: 0),
          timestamp: vector.input["timestamp"].uint64 ?? 0,
          value: vector.input["value"].uint32 ?? 0)
        differences.bytes("frame", document.frame.encoded, expect["hex"])
        differences.bytes("payload", document.payload, expect["payload"])
        differences.bytes("operation", document.operation.encoded, expect["delta_op"])
      case "app_decode_header":
        let frame = try? AppDocumentFrame(bytes: vector.hex ?? [])
        differences.expect("type", frame?.type.rawValue, expect["decoded"]["type_id"].uint8)
        differences.bytes("payload", frame?.payload, expect["decoded"]["payload"])
      case "app_operation":
        let bytes = vector.hex ?? []
        let operation = try? AppOperation(bytes: bytes)
        let expect = expect["decoded"]
        guard let operation, !expect.isNull else {
          differences.expect("refused", operation == nil, expect.isNull)
          break
        }
        differences.compare(operation, expect)
        differences.bytes("reencoded", operation.encoded, expect["reencoded"])
        // The reader stands behind what the operation took.
        var reader = ByteReader(bytes.span.bytes, layer: .peat)
        _ = try? AppOperation(decoding: &reader)
        differences.expect("consumed", reader.offset, expect["consumed"].int)
      case "app_registry": registry(vector, &differences)
      default: return unknownKind(vector)
      }
      return differences.messages
    }
  }

  /// The reference's other way to register crashes on a number that is taken; there is none here.
  private func registry(_ vector: Vector, _ differences: inout Differences) {
    let expect = vector.expect
    var registry = AppRegistry()
    for number in vector.input["registered"].array ?? [] {
      guard number.uint8 == MaxDocument.type.rawValue else {
        differences.note("type \(number) is not handled")
        continue
      }
      differences.expect("registered", registry.register(MaxDocument.self), true)
    }
    differences.expect(
      "again", registry.register(MaxDocument.self), expect["try_register_again"].bool)
    for pair in expect["is_app_type"].array ?? [] {
      differences.expect(
        "\(pair[0]) is a type", AppTypeID(rawValue: pair[0].uint8 ?? 0) != nil, pair[1].bool)
    }
    for pair in expect["is_registered"].array ?? [] {
      differences.expect(
        "\(pair[0]) is known",
        AppTypeID(rawValue: pair[0].uint8 ?? 0).map { registry.isRegistered($0) }, pair[1].bool)
    }
    let good = MaxDocument(source: NodeID(rawValue: 1), timestamp: 2, value: 3)
    let other = AppTypeID(rawValue: 0xC4) ?? .cannedMessage
    func decodes(_ type: AppTypeID, _ payload: [UInt8]) -> Bool {
      ((try? registry.decode(type, payload: payload)) ?? nil) != nil
    }
    differences.expect(
      "good", decodes(MaxDocument.type, good.payload), expect["decode_good"].bool)
    differences.expect("bad", decodes(MaxDocument.type, [1, 2, 3]), expect["decode_bad"].bool)
    differences.expect(
      "unregistered", decodes(other, good.payload), expect["decode_unregistered"].bool)
  }
}
