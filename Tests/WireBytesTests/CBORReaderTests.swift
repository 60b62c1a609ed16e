import PeatTestSupport
import Testing
import WireBytes

/// CBOR by the examples of RFC 8949, appendix A, and what the reader refuses.
struct CBORReaderTests {
  private func read(_ text: String) throws -> CBORValue {
    let bytes = try #require(hexBytes(text))
    var reader = CBORReader(ByteReader(bytes.rawBytes, layer: .cbor))
    let value = try reader.next()
    #expect(reader.remaining == 0)
    return value
  }

  @Test(arguments: [
    ("00", CBORValue.unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)),
    ("1903e8", .unsigned(1000)), ("1a000f4240", .unsigned(1_000_000)),
    ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3903e7", .negative(999)),
    ("f90000", .float(0)), ("f93c00", .float(1)), ("f97bff", .float(65504)),
    ("f90001", .float(5.960464477539063e-8)), ("f9c400", .float(-4)), ("f97c00", .float(.infinity)),
    ("fa47c35000", .float(100_000)), ("fb3ff199999999999a", .float(1.1)), ("f4", .bool(false)),
    ("f5", .bool(true)), ("f6", .null), ("f7", .undefined), ("f0", .simple(16)),
    ("f8ff", .simple(255)),
    ("c074323031332d30332d32315432303a30343a30305a", .text("2013-03-21T20:04:00Z")),
    ("4401020304", .bytes([1, 2, 3, 4])), ("6161", .text("a")), ("62c3bc", .text("\u{FC}")),
    ("80", .array([])), ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
    ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
    ("7f657374726561646d696e67ff", .text("streaming")),
    ("9fff", .array([])),
    (
      "9f018202039f0405ffff",
      .array([
        .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
      ])
    ),
  ])
  func `the RFC's examples are read`(_ text: String, _ value: CBORValue) throws {
    #expect(try read(text) == value)
  }

  @Test func `maps are read by name`() throws {
    let map = try read("bf6346756ef563416d7421ff")
    #expect(map["Fun"] == .bool(true) && map["Amt"]?.integer == -2 && map["x"] == nil)
  }

  @Test(arguments: [
    // Cut, reserved, a length beyond the bytes, a break where none may be, no UTF-8, too deep.
    "", "18", "1c", "1f", "5a7fffffff00", "9bffffffffffffffff", "bbffffffffffffffff", "ff", "a1ff",
    "bf01ff", "61ff", "5f6161ff", "7f4161ff", "818181818181818181818100", "c1c1c1c1c1c1c1c1c1c100",
    "9f01", "bf6161", "5f",
  ])
  func `what is no CBOR is refused`(_ text: String) throws {
    #expect(throws: DecodeError.self) { try read(text) }
  }

  @Test func `numbers of entries are limited`() throws {
    #expect(throws: DecodeError.self) {
      try read("9f" + String(repeating: "00", count: CBORReader.entryLimit + 1) + "ff")
    }
    let lists = String(repeating: "9f" + String(repeating: "00", count: 200) + "ff", count: 30)
    #expect(throws: DecodeError.self) { try read("9f" + lists + "ff") }
  }
}
