import Testing
import WireBytes

@Suite struct ByteReaderTests {
  /// 01 to 10: each byte tells its place.
  private static let sixteen = [UInt8](1...16)

  private func read<T>(
    _ bytes: [UInt8] = ByteReaderTests.sixteen,
    _ body: (inout ByteReader) throws(DecodeError) -> T
  ) throws(DecodeError) -> T {
    var reader = ByteReader(bytes.rawBytes, base: 100, layer: .att)
    return try body(&reader)
  }

  @Test func `integers have their bytes in the order that their name says`() throws {
    #expect(try read { (r) throws(DecodeError) in try r.u8() } == 0x01)
    #expect(try read([0xFF]) { (r) throws(DecodeError) in try r.i8() } == -1)
    #expect(try read { (r) throws(DecodeError) in try r.le16() } == 0x0201)
    #expect(try read { (r) throws(DecodeError) in try r.le24() } == 0x03_0201)
    #expect(try read { (r) throws(DecodeError) in try r.le32() } == 0x0403_0201)
    #expect(try read { (r) throws(DecodeError) in try r.le48() } == 0x0605_0403_0201)
    #expect(try read { (r) throws(DecodeError) in try r.le64() } == 0x0807_0605_0403_0201)
    #expect(try read { (r) throws(DecodeError) in try r.be16() } == 0x0102)
    #expect(try read { (r) throws(DecodeError) in try r.be32() } == 0x0102_0304)
    #expect(try read { (r) throws(DecodeError) in try r.be64() } == 0x0102_0304_0506_0708)
    // IEEE 754: sign 0, exponent 127, no fraction is one.
    #expect(try read([0, 0, 0x80, 0x3F]) { (r) throws(DecodeError) in try r.leFloat() } == 1)
  }

  @Test func `a read behind the end says where and what was missing, and moves nothing`() throws {
    typealias Read = (inout ByteReader) throws(DecodeError) -> Void
    let reads: [(Int, Read)] = [
      (1, { (r) throws(DecodeError) in _ = try r.u8() }),
      (1, { (r) throws(DecodeError) in _ = try r.i8() }),
      (2, { (r) throws(DecodeError) in _ = try r.le16() }),
      (3, { (r) throws(DecodeError) in _ = try r.le24() }),
      (4, { (r) throws(DecodeError) in _ = try r.le32() }),
      (6, { (r) throws(DecodeError) in _ = try r.le48() }),
      (8, { (r) throws(DecodeError) in _ = try r.le64() }),
      (2, { (r) throws(DecodeError) in _ = try r.be16() }),
      (4, { (r) throws(DecodeError) in _ = try r.be32() }),
      (8, { (r) throws(DecodeError) in _ = try r.be64() }),
      (4, { (r) throws(DecodeError) in _ = try r.leFloat() }),
      (7, { (r) throws(DecodeError) in try r.skip(7) }),
      (7, { (r) throws(DecodeError) in _ = try r.array(7) }),
      (.max, { (r) throws(DecodeError) in try r.skip(.max) }),
      (-1, { (r) throws(DecodeError) in try r.skip(-1) }),
      (-1, { (r) throws(DecodeError) in _ = try r.array(-1) }),
      (.min, { (r) throws(DecodeError) in _ = try r.split(.min, layer: .l2cap) }),
    ]
    for (needed, read) in reads {
      // One byte less than is asked for, behind two that were read.
      let available = (1...8).contains(needed) ? needed - 1 : 3
      let bytes = [UInt8](repeating: 0xAA, count: 2 + available)
      var reader = ByteReader(bytes.rawBytes, base: 100, layer: .att)
      try reader.skip(2)
      var found: DecodeError?
      do throws(DecodeError) { try read(&reader) } catch { found = error }
      #expect(found?.kind == .truncated)
      #expect(found?.layer == .att)
      #expect(found?.offset == 102)
      #expect(found?.needed == needed)
      #expect(found?.available == available)
      let (remaining, offset) = (reader.remaining, reader.offset)
      #expect(remaining == available)
      #expect(offset == 102)
    }
  }

  @Test func `a part ends where it was cut, counts on, and carries its own layer`() throws {
    var reader = ByteReader(ByteReaderTests.sixteen.rawBytes, base: 100, layer: .att)
    try reader.skip(4)
    var part = try reader.split(3, layer: .l2cap)
    var found = [reader.offset, part.remaining, part.offset]
    #expect(found == [107, 3, 104])
    let layer = part.layer
    #expect(layer == .l2cap)
    let first = try part.u8()
    #expect(first == 5)
    // What follows in the whole is no part of the part.
    var fault: DecodeError?
    do throws(DecodeError) { _ = try part.le32() } catch { fault = error }
    #expect(fault?.layer == .l2cap)
    #expect(fault?.available == 2)
    let peeked = [part.peek(1), part.peek(2)]
    #expect(peeked == [7, nil])
    let rest = part.rest()
    #expect(rest == [6, 7])
    found = [part.remaining, Int(try reader.u8())]
    #expect(found == [0, 8])
  }

  @Test func `views, arrays and peeks show the same bytes`() throws {
    var reader = ByteReader(ByteReaderTests.sixteen.rawBytes, layer: .att)
    let inside = [reader.peek(), reader.peek(15)]
    #expect(inside == [1, 16])
    for place in [-1, 16, Int.min, Int.max] {
      let outside = reader.peek(place)
      #expect(outside == nil)
    }
    let parts = [
      try reader.array(2), [UInt8](try reader.view(3)), [UInt8](reader.bytes), reader.rest(),
      reader.rest(), try reader.array(0),
    ]
    #expect(parts == [[1, 2], [3, 4, 5], [UInt8](6...16), [UInt8](6...16), [], []])
    let last = reader.peek()
    #expect(last == nil)
  }

  @Test func `an empty reader is at its end`() {
    let none: [UInt8] = []
    var reader = ByteReader(none.rawBytes, base: 7, layer: .att)
    let (isAtEnd, offset, rest) = (reader.isAtEnd, reader.offset, reader.rest())
    #expect(isAtEnd)
    #expect(offset == 7)
    #expect(rest == [])
  }
}
