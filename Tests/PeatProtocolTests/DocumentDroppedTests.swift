import PeatProtocol
import PeatTestSupport
import Testing

@Suite struct DocumentDroppedTests {
  private func dropped(_ hex: String) throws -> [Dropped] {
    try decode(hex).dropped
  }

  private func decode(_ hex: String) throws -> DecodedDocument {
    try Document.decode(hexBytes(hex.filter { !$0.isWhitespace }) ?? [])
  }

  @Test("counter entries of node 0 and overwritten ones are skipped, with their places")
  func counter() throws {
    let found = try dropped(
      """
      01000000 78563412 03000000 00000000 6300000000000000 01000000 0200000000000000
      01000000 0100000000000000
      """)
    #expect(found.map(\.offset) == [12, 24])
    #expect(found.map(\.rule) == [.skip, .skip])
    #expect(found.allSatisfy { $0.section == .counter })
  }

  @Test("an unknown marker stops; what follows is trailing")
  func unknownMarker() throws {
    let decoded = try decode("01000000 78563412 00000000 ee000500 68656c6c6f")
    #expect(decoded.dropped.map(\.rule) == [.stop])
    #expect(decoded.dropped.first?.section == .section)
    #expect(decoded.dropped.first?.raw == 0xEE)
    #expect(decoded.trailing == hexBytes("ee00050068656c6c6f"))
  }

  @Test("a section longer than the frame stops, and shows what is there of it")
  func cutSection() throws {
    let decoded = try decode(
      "01000000 78563412 00000000 ac001a00 78563412 00fc6a0a8d010000 02000000 7856341201")
    #expect(decoded.document.emergency == nil)
    let item = try #require(decoded.dropped.first)
    #expect(item.section == .emergency && item.rule == .stop && item.offset == 14)
    #expect(item.reason == "emergency section claims 26 bytes, 21 left")
    #expect(item.content.map(\.name) == ["source", "time", "acked", "pending"])
    #expect(decoded.trailing.count == 25)
  }

  @Test("a later section of a kind replaces the earlier, even when it fails")
  func replaced() throws {
    let good = "ac001000 78563412 00fc6a0a8d010000 00000000"
    let bad = "ac001000 00000000 00fc6a0a8d010000 00000000"
    let decoded = try decode("01000000 78563412 00000000" + good + bad)
    #expect(decoded.document.emergency == nil)
    #expect(decoded.dropped.map(\.offset) == [12, 36])
    #expect(decoded.dropped.map(\.rule) == [.skip, .drop])
  }

  @Test("unknown enumerations are clamped and keep their number in raw")
  func clamps() throws {
    let decoded = try decode(
      """
      01000000 78563412 00000000 ab002c00 78563412 00000000 09 414200000000000000000000
      50000000 01 0700fc6a0a8d010000 00fc6a0a8d010000 00
      """)
    #expect(decoded.document.peripheral?.type == .unknown)
    #expect(decoded.document.peripheral?.event?.type == EventType.none)
    #expect(decoded.dropped.map(\.rule) == [.clamp, .clamp])
    #expect(decoded.dropped.map(\.raw) == [9, 7])
    #expect(decoded.dropped.map(\.offset) == [24, 42])
  }

  @Test("a chat message from before 2020 ends the list")
  func chat() throws {
    let decoded = try decode(
      """
      01000000 78563412 00000000 ad002400 0100 78563412 0000000000000000 05414c504841
      024869 01 00000000 0000000000000000
      """)
    #expect(decoded.document.chat?.messages.isEmpty == true)
    #expect(decoded.dropped.map(\.rule) == [.stop])
    #expect(decoded.dropped.first?.offset == 22)
  }

  @Test("no prefix and no single changed byte of a document can crash the decoder")
  func hostile() {
    let whole =
      hexBytes(
        """
        07000000785634120200000078563412050000000000000 0D4C3B2A10200000000000000
        AB0039007856341200000000 01414C5048412D310000000000550102480103 00FC6A0A8D010000
        00FC6A0A8D01000001000016420080F4C2010000C842
        AC001A007856341200FC6A0A8D010000020000007856341201D4C3B2A100
        """.filter { !$0.isWhitespace }) ?? []
    #expect(whole.count == 127)
    for length in 0...whole.count {
      check(Array(whole.prefix(length)))
    }
    for place in whole.indices {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xAB, 0xAC, 0xAD, 0xFE, 0xFF] {
        var bytes = whole
        bytes[place] = value
        check(bytes)
      }
    }
  }

  private func check(_ bytes: [UInt8]) {
    var decoder = MessageDecoder()
    let message = decoder.decode(bytes)
    if let fault = message.fault { #expect((0...bytes.count).contains(fault.offset)) }
    guard let decoded = message.document else { return }
    for item in decoded.dropped { #expect((0...bytes.count).contains(item.offset)) }
    // What was accepted survives its own encoding.
    let encoded = decoded.document.encoded()
    #expect((try? Document.decode(encoded))?.document.encoded() == encoded)
  }
}
