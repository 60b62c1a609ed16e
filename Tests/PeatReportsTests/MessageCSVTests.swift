import PeatProtocol
import PeatReports
import PeatTestSupport
import Testing
import WireBytes

@Suite struct MessageCSVTests {
  private func row(_ hex: String) -> String {
    let bytes = hexBytes(hex.filter { !$0.isWhitespace }) ?? []
    var decoder = MessageDecoder()
    var text = OutputText()
    MessageCSV.append(decoder.decode(bytes), byteCount: bytes.count, to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func field(_ text: String) -> String {
    var output = OutputText()
    output.append(csvField: text)
    return String(decoding: output.bytes, as: UTF8.self)
  }

  @Test("every row has as many fields as there are columns")
  func columns() {
    let commas = MessageCSV.columns.count - 1
    for hex in ["", "78563412", "010000007856341200000000"] {
      #expect(row(hex).count { $0 == "," } == commas)
    }
  }

  @Test("protocol.md example 3 fills every column it has")
  func emergency() {
    #expect(
      row(
        """
        07000000 78563412 02000000 78563412 0500000000000000 D4C3B2A1 0200000000000000
        AB003900 78563412 00000000 01 414C5048412D310000000000 55010248 01
        0300FC6A0A8D010000 00FC6A0A8D010000 01 00001642 0080F4C2 01 0000C842
        AC001A00 78563412 00FC6A0A8D010000 02000000 7856341201 D4C3B2A100
        """)
        == "document,0x12345678,7,127,7,0x12345678=5;0xA1B2C3D4=2,0x12345678,,soldier_sensor,"
        + "ALPHA-1,85,walking,low_battery,72,emergency,1705276800000,37.5,-122.25,100.0,,"
        + "0x12345678,1705276800000,0x12345678,0xA1B2C3D4")
  }

  @Test("a field is quoted where it must be and cannot start a formula")
  func fields() {
    #expect(field("ALPHA-1") == "ALPHA-1")
    #expect(field("a,b") == "\"a,b\"")
    #expect(field("a\"b") == "\"a\"\"b\"")
    #expect(field("=1+2") == "'=1+2")
    #expect(field("-5.5") == "-5.5")
    #expect(field("-5.5x") == "'-5.5x")
    #expect(field("@a,b") == "\"'@a,b\"")
    #expect(field("a\u{1B}[31m\u{202E}") == "a\u{FFFD}[31m\u{FFFD}")
  }
}
