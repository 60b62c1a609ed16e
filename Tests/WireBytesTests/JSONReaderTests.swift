import Testing
import WireBytes

struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONNode {
    let bytes = Array(text.utf8)
    var reader = JSONReader(bytes.rawBytes)
    return try reader.document()
  }

  @Test func `values are read with their places`() throws {
    let node = try read(
      " {\"a\": [1, -2.5e3, \"\\u00e9\\ud83d\\ude00\\n\"], \"b\": {\"c\": null}} ")
    #expect(node.offset == 1)
    let list = try #require(node["a"]?.array)
    #expect(list.map(\.offset) == [8, 11, 19])
    #expect(list[0].integer == 1 && list[1].value == .number("-2.5e3"))
    #expect(list[2].string == "\u{E9}\u{1F600}\n")
    #expect(node["b"]?["c"]?.value == .null && node["x"] == nil)
    #expect(try read("9223372036854775808").value == .number("9223372036854775808"))
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), ("{\"a\":1,\"a\":2}", 7), ("01", 1), ("-", 1),
    ("1.", 2), ("1e", 2), ("\"\u{1}\"", 1), ("\"\\x\"", 2), ("\"\\ud800\"", 1), ("tru", 3),
    ("nul1", 3), ("[] []", 3), ("'a'", 0), ("{a:1}", 1), ("\"a", 2),
  ])
  func `what is no JSON is refused at its place`(_ text: String, _ offset: Int) throws {
    let fault = #expect(throws: DecodeError.self) { try read(text) }
    #expect(fault?.offset == offset && fault?.layer == .json)
  }

  @Test func `bytes that are no UTF-8 are refused, and nesting is limited`() throws {
    let bytes: [UInt8] = [0x22, 0xFF, 0x22]
    #expect(throws: DecodeError.self) {
      var reader = JSONReader(bytes.rawBytes)
      _ = try reader.document()
    }
    let deep = JSONReader.depthLimit
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try read(nested(deep)) }
    #expect(throws: DecodeError.self) { try read(nested(deep + 2)) }
  }
}
