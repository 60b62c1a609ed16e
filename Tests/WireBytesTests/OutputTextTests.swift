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
}
