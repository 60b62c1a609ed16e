import PeatProtocol
import Testing

@Suite struct NodeIDTests {
  @Test("a node id is shown as 8 upper-case digits")
  func description() {
    #expect(NodeID(rawValue: 0xAB).description == "000000AB")
    #expect(NodeID(rawValue: 0xA1B2_C3D4).description == "A1B2C3D4")
  }

  @Test("1 to 8 digits of either case are read, with or without 0x")
  func text() {
    #expect(NodeID("a1b2C3D4")?.rawValue == 0xA1B2_C3D4)
    #expect(NodeID("0x12")?.rawValue == 0x12)
    for text in ["", "0x", "123456789", "12G4", "-1", "+1", " 12"] {
      #expect(NodeID(text) == nil)
    }
  }

  @Test("ids compare as unsigned numbers")
  func order() {
    #expect(NodeID(rawValue: 0x7FFF_FFFF) < NodeID(rawValue: 0x8000_0000))
  }
}
