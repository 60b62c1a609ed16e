import Foundation
import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct MessageDecoderTests {
  private func decode(_ hex: String, _ context: MessageContext = MessageContext()) -> Message {
    var decoder = MessageDecoder()
    return decoder.decode(hexBytes(hex.filter { !$0.isWhitespace }) ?? [], context: context)
  }

  @Test("a plain document that starts with a marker byte is a document and says so")
  func collisions() {
    for marker in FrameMarker.allCases {
      let first = String(marker.rawValue, radix: 16)
      let message = decode(first + "000000 78563412 01000000 78563412 0100000000000000")
      #expect(message.kind == .document)
      #expect(message.collides == marker)
    }
  }

  @Test("what follows the counter decides between a plain reading and the marker's")
  func credible() {
    let counter = "b2000000 78563412 01000000 78563412 0100000000000000"
    #expect(decode(counter + "ac").kind == .document)
    #expect(decode(counter + "ae").kind == .malformed)
    #expect(decode("ab000000 78563412 00000000 ae").kind == .document)
  }

  @Test("four bytes are a node id in a read answer and where nothing is known, else malformed")
  func nodeIDs() {
    #expect(decode("78563412").kind == .nodeID)
    #expect(decode("b0563412").kind == .nodeID)
    #expect(decode("78563412", MessageContext(isReadAnswer: true)).node?.rawValue == 0x1234_5678)
    #expect(decode("78563412", MessageContext(isReadAnswer: false)).kind == .malformed)
  }

  @Test("sibling characteristics read their structs; a document on 0002 is a document")
  func siblings() {
    let document = "01000000 78563412 00000000"
    #expect(decode("0263 0001 65000000", MessageContext(role: .syncState)).kind == .syncState)
    #expect(decode(document, MessageContext(role: .syncState)).kind == .document)
    #expect(decode("00", MessageContext(role: .syncState)).kind == .malformed)
    #expect(decode("12345678 01 01 0081 4b", MessageContext(role: .nodeInfo)).kind == .nodeInfo)
    #expect(decode("78563412", MessageContext(role: .nodeInfo)).kind == .nodeID)
    #expect(decode("fe", MessageContext(role: .command)).kind == .command)
    #expect(decode("01 02 7f 0001", MessageContext(role: .status)).kind == .status)
  }

  @Test("relay envelopes are opened up to eight levels")
  func depth() {
    var payload = hexBytes("010000007856341200000000") ?? []
    func wrap() {
      payload =
        RelayEnvelope(
          origin: NodeID(rawValue: 1), messageID: RelayMessageID(low: 1, high: 2),
          payload: payload
        ).encoded
    }
    for _ in 0..<7 { wrap() }
    var decoder = MessageDecoder()
    #expect(decoder.decode(payload).innermost.kind == .document)
    wrap()
    let message = decoder.decode(payload)
    #expect(message.innermost.kind == .malformed)
    #expect(message.innermost.fault?.reason == "nested deeper than 8 levels")
    #expect(message.node?.rawValue == 1)
  }

  @Test("0xAF is canned by its length and time, else a message between two nodes")
  func canned() {
    // Code 0, whose frames could be messages between nodes: 48 bytes with two acknowledgements.
    let head = "af00 78563412 00000000 00fc6a0a8d010000 01000000"
    let acks = "0200 78563412 00fc6a0a8d010000 d4c3b2a1 00fc6a0a8d010000"
    #expect(decode(head + acks).kind == .canned)
    #expect(decode(head).kind == .canned)
    let counter = "af00 d4c3b2a1 78563412 0000000000000000"
    #expect(decode(counter + String(repeating: "17", count: 30)).kind == .peerEncrypted)
    #expect(decode(counter + String(repeating: "17", count: 20)).kind == .malformed)
    #expect(decode("af11 78563412 00000000 00fc6a0a8d010000 01000000").kind == .canned)
  }

  @Test("a key exchange of 38 bytes is malformed: 39 are needed")
  func shortKeyExchange() {
    let message = decode("b000 78563412 00" + String(repeating: "11", count: 31))
    #expect(message.kind == .malformed)
    #expect(message.fault?.reason == "key exchange needs 39 bytes, 38 present")
  }

  @Test("deltas with operations that only Android knows are read in its dialect")
  func kotlinDelta() {
    let message = decode("b200 78563412 00fc6a0a8d010000 0100 11 50480100")
    guard case .delta(let reading) = message.body, case .kotlin = reading.dialect else {
      Issue.record("not read as Android's delta")
      return
    }
    #expect(reading.origin.rawValue == 0x1234_5678)
    #expect(decode("b200 78563412 00fc6a0a8d010000 0100 7f0000").kind == .malformed)
  }

  @Test("frames without a marker: app documents, peat-lite, chunks")
  func unmarked() {
    #expect(decode("c300 0200 0102").kind == .app)
    #expect(decode("50454154 01 02 0000 78563412 01000000").kind == .lite)
    #expect(decode("00000000 0000 0200 0102").kind == .chunk)
    #expect(decode("01000000 0000 0200 0102").kind == .malformed)
  }

  @Test(
    "a forced kind does not ask for its marker",
    arguments: [
      (MessageKind.markers, UInt8(0xAC)), (.chat, 0xAD), (.encrypted, 0xAE),
      (.peerEncrypted, 0xAF), (.canned, 0xAF), (.keyExchange, 0xB0), (.relay, 0xB1),
      (.delta, 0xB2), (.app, 0xC0),
    ])
  func forcedMarker(kind: MessageKind, marker: UInt8) {
    var decoder = MessageDecoder()
    for size in [22, 38, 64] {
      let rest = [UInt8](repeating: 0, count: size - 1)
      #expect(
        decoder.decode([0x02] + rest, as: kind) == decoder.decode([marker] + rest, as: kind))
    }
  }

  @Test("a forced app document keeps its type")
  func forcedApp() {
    var decoder = MessageDecoder()
    guard case .app(let frame) = decoder.decode([0xC3, 0, 1, 0, 1], as: .app).body else {
      Issue.record("no app document")
      return
    }
    #expect(frame.type.rawValue == 0xC3)
  }

  @Test("a chosen kind overrides the first byte")
  func forced() {
    var decoder = MessageDecoder()
    let bytes = hexBytes("b2000000785634120100000078563412" + "0100000000000000") ?? []
    #expect(decoder.decode(bytes, as: .delta).kind == .malformed)
    #expect(decoder.decode(bytes, as: .document).kind == .document)
    #expect(decoder.decode(bytes, as: .document).collides == nil)
  }

  @Test("the forms that the truth files name are the kinds that are read")
  func truthForms() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: TestData.captures, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.hasSuffix(".truth.json") }
    for file in files {
      let truth = try JSON(parsing: Data(contentsOf: file))
      for entry in truth["documents"].array ?? [] {
        guard let bytes = entry["hex"].bytes, entry["malformed"].isNull,
          entry["truncated"].bool != true, let form = entry["summary"]["format"].string
        else { continue }
        var decoder = MessageDecoder()
        let kind = decoder.decode(bytes).kind
        let expected: MessageKind? =
          switch form {
          case "full": .document
          case "encrypted": .encrypted
          case "relay": .relay
          case "delta": .delta
          case "key_exchange": bytes.count < 39 ? .malformed : .keyExchange
          case "peer_e2ee": .peerEncrypted
          default: nil
          }
        if kind != expected {
          Issue.record("\(file.lastPathComponent) \(entry["seq"].int ?? 0): \(form) is \(kind)")
        }
      }
    }
  }
}
