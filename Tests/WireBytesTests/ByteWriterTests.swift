import Testing
import WireBytes

@Suite struct ByteWriterTests {
  private func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    body(&writer)
    return writer.bytes
  }

  @Test func `integers have their bytes in the order that their name says`() {
    #expect(bytes { $0.u8(0xAB) } == [0xAB])
    #expect(bytes { $0.le16(0x0102) } == [2, 1])
    #expect(bytes { $0.le32(0x0102_0304) } == [4, 3, 2, 1])
    #expect(bytes { $0.le48(0x0102_0304_0506) } == [6, 5, 4, 3, 2, 1])
    #expect(bytes { $0.le64(0x0102_0304_0506_0708) } == [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(bytes { $0.be16(0x0102) } == [1, 2])
    #expect(bytes { $0.be32(0x0102_0304) } == [1, 2, 3, 4])
    #expect(bytes { $0.be64(0x0102_0304_0506_0708) } == [1, 2, 3, 4, 5, 6, 7, 8])
    // IEEE 754: minus two is sign 1, exponent 128.
    #expect(bytes { $0.leFloat(-2) } == [0, 0, 0, 0xC0])
  }

  @Test func `what does not fit in 48 bits is cut`() {
    #expect(bytes { $0.le48(.max) } == [UInt8](repeating: 0xFF, count: 6))
    #expect(bytes { $0.le48(1 << 48) } == [0, 0, 0, 0, 0, 0])
  }

  @Test func `a length is that of its body, also of one inside another`() {
    let written = bytes { writer in
      writer.u8(9)
      writer.le16LengthPrefixed { outer in
        outer.u8(1)
        outer.le16LengthPrefixed { $0.append([7, 8]) }
      }
      writer.u8(10)
    }
    // 1 byte, 2 of length, 2 bytes: five.
    #expect(written == [9, 5, 0, 1, 2, 0, 7, 8, 10])
    #expect(bytes { $0.le16LengthPrefixed { _ in } } == [0, 0])
  }

  @Test(arguments: [(65_535, 0xFFFF), (65_536, 0), (65_537, 1)])
  func `a length wraps at 65 536, as the reference's encoder does`(count: Int, length: UInt16) {
    let written = bytes { $0.le16LengthPrefixed { $0.append(repeatElement(0, count: count)) } }
    #expect(written.count == count + 2)
    #expect(UInt16(written[0]) | UInt16(written[1]) << 8 == length)
  }

  @Test func `what was written reads back`() throws {
    var writer = ByteWriter(capacity: 3)
    writer.le48(0x1234_5678_9ABC)
    writer.be32(0xDEAD_BEEF)
    writer.leFloat(.pi)
    writer.append([1, 2, 3])
    #expect(writer.count == 17)
    let bytes = writer.bytes
    var reader = ByteReader(bytes.rawBytes, layer: .att)
    let number = try reader.le48()
    #expect(number == 0x1234_5678_9ABC)
    let word = try reader.be32()
    #expect(word == 0xDEAD_BEEF)
    let float = try reader.leFloat()
    #expect(float == .pi)
    let rest = reader.rest()
    #expect(rest == [1, 2, 3])
  }
}
