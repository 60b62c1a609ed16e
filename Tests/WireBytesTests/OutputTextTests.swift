import Foundation
import Testing
import WireBytes

@Suite struct OutputTextTests {
  private func text(_ body: (inout OutputText) -> Void) -> String {
    var text = OutputText(capacity: 0)
    body(&text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func `numbers of every length read back`() {
    var values: [UInt64] = [0, .max]
    var power: UInt64 = 1
    for _ in 0..<20 {
      values += [power &- 1, power, power &+ 1]
      power &*= 10
    }
    for value in values { #expect(text { $0.append(decimal: value) } == "\(value)") }
    #expect(text { $0.append(decimal: Int64.min) } == "-9223372036854775808")
    #expect(text { $0.append(decimal: Int8(-1)) } == "-1")
    #expect(text { $0.append(decimal: 7, width: 3) } == "007")
  }

  @Test func `hexadecimal digits of every byte at every place of a word`() {
    for count in 0..<10 {
      for byte in UInt8.min...UInt8.max {
        let bytes = [UInt8](repeating: byte, count: count)
        let expected = String(repeating: String(format: "%02x", Int(byte)), count: count)
        #expect(text { $0.append(hex: bytes) } == expected)
      }
    }
    #expect(text { $0.append(upperHex: 0x0189_ABEF) } == "0189ABEF")
  }

  @Test func `a string reads back from JSON, whatever its characters and their places`() throws {
    for place in 0..<17 {
      for scalar in (0...0x2FF).compactMap({ Unicode.Scalar($0 as UInt32) }) {
        let before = String(repeating: "a", count: place)
        let string = before + String(Character(scalar)) + "bcdefghij"
        let json = text { $0.append(jsonString: string) }
        let value = try JSONSerialization.jsonObject(
          with: Data(json.utf8), options: .fragmentsAllowed)
        #expect(value as? String == string)
        // What a terminal or a page acts on is escaped (cli.md).
        #expect(!json.unicodeScalars.contains(where: OutputText.isNeutralised))
        #expect(!json.contains("<"))
      }
    }
  }

  @Test func `a text grows beyond its room and can be used again`() {
    var output = OutputText(capacity: 1)
    for _ in 0..<1000 { output.append("0123456789") }
    #expect(output.count == 10_000)
    output.removeAll()
    output.append(raw: "é")
    #expect(output.slice.elementsEqual([0xC3, 0xA9]))
    let copy = output
    output.append(ascii: 0x21)
    #expect(copy.count == 2)
    #expect(Array(copy.bytes) == [0xC3, 0xA9])
  }

  @Test func `what acts on a terminal is replaced, and nothing else`() {
    // An escape, a bidi override, a line separator, a private use character, a C1 control.
    let text = "a\u{1B}b\u{202E}c\u{2028}d\u{E000}e\u{9B}f\u{7F}"
    #expect(OutputText.neutral(text) == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}f\u{FFFD}")
    for text in ["", "BRAVO-2", "Zoë", "日本語", "שָׁלוֹם", "नमस्ते", "Việt", "👍🏽", "❤\u{FE0F}"] {
      #expect(OutputText.neutral(text) == text)
    }
  }

  @Test(
    arguments: [
      "\u{301}", "\u{336}", "\u{489}", "\u{20DD}", "\u{1AB0}", "\u{E0100}", "\u{5B0}", "\u{93F}",
    ])
  func `marks beyond a few on a letter are replaced`(mark: String) {
    for base in ["a", "日", "é", " "] {
      let four = base + String(repeating: mark, count: 4)
      #expect(OutputText.neutral(four).utf8.elementsEqual(four.utf8))
      // The letter after them begins to count anew.
      let ten = base + String(repeating: mark, count: 10) + "x" + mark
      let expected = four + String(repeating: "\u{FFFD}", count: 6) + "x" + mark
      #expect(OutputText.neutral(ten).utf8.elementsEqual(expected.utf8))
      #expect(self.text { $0.append(csvField: ten) }.utf8.elementsEqual(expected.utf8))
    }
    // Without a letter it would sit on what stands before the text.
    #expect(OutputText.neutral(mark + "a").utf8.elementsEqual("\u{FFFD}a".utf8))
  }

  @Test func `marks beyond a few are escapes in JSON, so that nothing is lost`() throws {
    let string = "a" + String(repeating: "\u{301}", count: 50)
    let json = text { $0.append(jsonString: string) }
    #expect(json.unicodeScalars.count { $0 == "\u{301}" } == 4)
    #expect(json.contains("\\u0301"))
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    #expect((value as? String)?.utf8.elementsEqual(string.utf8) == true)
  }

  @Test(
    arguments: [
      "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\u{FF1D}1", "\u{FF0B}1", "\u{FF0D}1", "\u{FF20}a",
      "\u{FE66}1", "\u{FE62}1", "\u{FE63}1", "\u{FE6B}a", " =1", "\u{3000}\u{FF1D}1", "\u{A0}@a",
      "-inf",
      "+nan", "-0x1p3", "-",
    ])
  func `what a spreadsheet would run gets an apostrophe`(field: String) {
    #expect(text { $0.append(csvField: field) } == "'" + field)
  }

  @Test(
    arguments: [
      ("-1.5", "-1.5"), ("+2e-3", "+2e-3"), ("a=1", "a=1"), ("", ""), ("a,b", "\"a,b\""),
      ("a\"b", "\"a\"\"b\""), ("=\"a\"", "\"'=\"\"a\"\"\""), ("\ta", "'\u{FFFD}a"),
      ("\ra", "\"'\u{FFFD}a\""), ("日本", "日本"),
    ])
  func `fields are quoted as RFC 4180 asks, and numbers stay numbers`(field: String, csv: String) {
    #expect(text { $0.append(csvField: field) } == csv)
  }
}
