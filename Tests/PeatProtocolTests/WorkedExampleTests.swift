import PeatProtocol
import PeatTestSupport
import Testing

/// Examples of protocol.md 10: A is node 12345678, B is A1B2C3D4, T is 2024-01-15 00:00 UTC.
@Suite struct WorkedExampleTests {
  private let a = NodeID(rawValue: 0x1234_5678)
  private let b = NodeID(rawValue: 0xA1B2_C3D4)
  private let t: UInt64 = 1_705_276_800_000

  private func bytes(_ text: String) -> [UInt8] {
    hexBytes(text.filter { $0.isHexDigit }) ?? []
  }

  private var delta: [UInt8] {
    bytes(
      """
      B2 00 | 78 56 34 12 | 00 FC 6A 0A 8D 01 00 00 | 04 00 |
      01 00 | 78 56 34 12 | 05 00 00 00 00 00 00 00 | 05 00 00 00 00 00 00 00 |
      02 | 01 00 00 00 00 00 00 00 | 23 00 | 78 56 34 12 00 00 00 00 01 41 4C 50 48 41 2D 31 00
      00 00 00 00 55 00 00 00 00 00 00 00 00 00 00 00 00 00 |
      04 | D4 C3 B2 A1 | 00 FC 6A 0A 8D 01 00 00 |
      10 00 | 78 56 34 12 | 00 FC 6A 0A 8D 01 01 00 | 23 00 | 10 78 56 34 12 00 00 00 00 00 FC 6A
      0A 8D 01 00 00 01 00 00 00 01 00 78 56 34 12 00 FC 6A 0A 8D 01 00 00
      """)
  }

  @Test("example 6: a delta with a counter, a peripheral, an acknowledgement and a canned message")
  func example6() throws {
    #expect(delta.count == 148)
    let value = try DeltaDocument(bytes: delta)
    #expect(value.origin == a)
    #expect(value.timestamp == t)
    #expect(value.operations.count == 4)
    #expect(value.operations[0] == .counter(id: 0, node: a, amount: 5, timestamp: 5))
    #expect(value.operations[2] == .acknowledgeEmergency(node: b, emergencyTimestamp: t))
    guard case .peripheral(1, let peripheral) = value.operations[1] else {
      Issue.record("operation 1 is \(value.operations[1])")
      return
    }
    #expect(peripheral.callsign.text == "ALPHA-1")
    #expect(peripheral.health.battery == 85)
    guard case .app(let operation) = value.operations[3] else {
      Issue.record("operation 3 is \(value.operations[3])")
      return
    }
    #expect(operation.type == .cannedMessage)
    #expect(operation.version == 1)
    #expect(operation.documentTimestamp == t)
    let document = try CannedDocument(payload: operation.payload)
    #expect(document.content.message.code == .checkIn)
    #expect(document.operation == operation)
    #expect(value.encoded == delta)
  }

  @Test("example 6 read as Android reads it: the application's operation becomes a location")
  func example6Kotlin() throws {
    let value = try KotlinDelta(bytes: delta)
    #expect(value.origin == a)
    #expect(value.operations.count == 4)
    #expect(value.operations[0] == .counter(id: 0, node: a, amount: 5, timestamp: 5))
    guard case .location = value.operations[3] else {
      Issue.record("operation 3 is \(value.operations[3])")
      return
    }
  }

  @Test("example 7: a relay envelope around a document")
  func example7() throws {
    let frame = bytes(
      """
      B1 02 | 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F | 00 07 | 78 56 34 12 |
      0C 00 00 00 | 01 00 00 00 78 56 34 12 00 00 00 00
      """)
    let value = try RelayEnvelope(bytes: frame)
    #expect(value.origin == a)
    #expect(value.isBroadcast)
    #expect(value.remainingHops == 7)
    #expect(value.messageID.description == "0001020304050607")
    #expect(value.payload.count == 12)
    #expect(value.encoded == frame)
  }

  @Test("example 9: beacons, and service data of Android")
  func example9() throws {
    var beacon = Beacon(node: a, capabilities: Capabilities(rawValue: 0x0081))
    beacon.level = .squad
    beacon.setBattery(75)
    beacon.sequence = 0x0102
    beacon.setGeohash(0x98_FF88)
    #expect(beacon.encoded == bytes("10 81 12345678 01 98FF88 4B 0102 000000"))
    #expect(beacon.encodedCompact == bytes("10 81 12345678 01 4B 0102"))
    #expect(ServiceData(android: a, mesh: "DEMO").encoded == bytes("12345678 44454D4F"))
  }

  @Test("example 10: canned messages without and with acknowledgements")
  func example10() throws {
    let plain = bytes("AF 10 78563412 00000000 00FC6A0A8D010000 01000000")
    let message = CannedMessage(code: .checkIn, source: a, timestamp: t, sequence: 1)
    #expect(message.encoded == plain)
    let acknowledged = AcknowledgedCannedMessage(message)
    #expect(acknowledged.encoded == plain + bytes("0100 78563412 00FC6A0A8D010000"))
    #expect(try AcknowledgedCannedMessage(bytes: plain) == acknowledged)
    #expect(CannedMessage.hasLength(of: plain))
    #expect(CannedMessage.hasLength(of: acknowledged.encoded))
    #expect(!CannedMessage.hasLength(of: acknowledged.encoded + [0]))
  }

  @Test("a signature is made and checked over the 22 bytes of the plain form")
  func signature() {
    let message = CannedMessage(code: .checkIn, source: a, timestamp: t)
    let signed = message.signed { Array($0.reversed()) + [UInt8](repeating: 7, count: 42) }
    #expect(signed.encoded.count == CannedMessage.signedSize)
    #expect(signed.isValid { signed, _ in signed == message.encoded } == true)
    #expect(SignedCannedMessage(message: message).isValid { _, _ in true } == nil)
  }

  @Test("example 11: 24 bytes in two chunks")
  func example11() {
    let data = bytes("07000000 78563412 02000000 78563412 0500000000000000")
    let chunks = Chunk.chunks(of: data, messageID: 1, mtu: 23)
    #expect(
      chunks.map(\.encoded) == [
        bytes("01000000 0000 0200 07000000 78563412 02000000 785634"),
        bytes("01000000 0100 0200 12 0500000000000000"),
      ])
  }
}
