import CaptureFormats
import Testing
import WireBytes

@Suite struct PcapngReaderTests {
  static let instant = Timestamp(nanoseconds: 1_760_000_000_123_456_789)

  static func walk(_ bytes: [UInt8]) throws -> Walk {
    var reader = try CaptureReader(bytes: bytes, name: "memory")
    return try Walk(&reader)
  }

  /// One block in either byte order; `words` are 32-bit fields.
  static func block(_ type: UInt32, big: Bool, _ words: [UInt32], _ data: [UInt8] = []) -> [UInt8] {
    var file = ByteWriter()
    func put(_ value: UInt32) { if big { file.be32(value) } else { file.le32(value) } }
    let padded = data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    let length = UInt32(12 + words.count * 4 + padded.count)
    put(type)
    put(length)
    for word in words { put(word) }
    file.append(padded)
    put(length)
    return file.bytes
  }

  static func section(big: Bool) -> [UInt8] {
    block(
      0x0A0D_0D0A, big: big,
      [0x1A2B_3C4D, big ? 0x0001_0000 : 0x0000_0001, 0xFFFF_FFFF, 0xFFFF_FFFF])
  }

  /// An interface block: link type, then options given as raw bytes.
  static func interface(_ link: UInt16, big: Bool, options: [UInt8] = []) -> [UInt8] {
    let first = big ? UInt32(link) << 16 : UInt32(link)
    return block(1, big: big, [first, 0], options)
  }

  @Test func `sections may change the byte order and count interfaces anew`() throws {
    let packet: [UInt8] = [1, 3, 0x0C, 0]
    var file: [UInt8] = []
    for big in [false, true] {
      file += Self.section(big: big) + Self.interface(187, big: big)
      file += Self.block(6, big: big, [0, 0, 1_000_000, 4, 4], packet)
    }
    let walk = try Self.walk(file)
    #expect(walk.headers.map { $0.time?.nanoseconds } == [1_000_000_000, 1_000_000_000])
    #expect(walk.headers.map(\.adapter) == [0, 0])
    #expect(walk.payloads == [[3, 0x0C, 0], [3, 0x0C, 0]])
    #expect(walk.damages.isEmpty)
  }

  @Test(
    arguments: [
      // if_tsresol, if_tsoffset, raw time, nanoseconds
      (3, 0, 1500, 1_500_000_000), (9, 0, 1500, 1500), (0, 0, 2, 2_000_000_000),
      (0x8A, 0, 1536, 1_500_000_000), (0x80 | 32, 0, 1 << 31, 500_000_000),
      (6, 100, 5, 100_000_005_000), (6, -3, 5, -2_999_995_000),
    ] as [(UInt8, Int64, UInt64, Int64)])
  func `time resolution and offset`(
    _ resolution: UInt8, _ offset: Int64, _ raw: UInt64, _ nanoseconds: Int64
  ) throws {
    var options = ByteWriter()
    options.append([9, 0, 1, 0, resolution, 0, 0, 0, 14, 0, 8, 0])
    options.le64(UInt64(bitPattern: offset))
    options.append([0, 0, 0, 0])
    let file =
      Self.section(big: false) + Self.interface(187, big: false, options: options.bytes)
      + Self.block(
        6, big: false, [0, UInt32(raw >> 32), UInt32(truncatingIfNeeded: raw), 4, 4],
        [4, 0xE, 0, 0])
    #expect(try Self.walk(file).headers.first?.time?.nanoseconds == nanoseconds)
  }

  @Test func `simple and old packet blocks are packets too`() throws {
    let file =
      Self.section(big: false) + Self.interface(187, big: false)
      + Self.block(3, big: false, [4], [1, 3, 0x0C, 0])
      // Interface 0, 5 drops; time, lengths.
      + Self.block(2, big: false, [5 << 16, 0, 9, 4, 6], [4, 0x0E, 0, 0])
    let walk = try Self.walk(file)
    #expect(walk.headers.map(\.content) == [.command, .event])
    #expect(walk.headers.map { $0.time?.nanoseconds } == [nil, 9000])
    #expect(walk.headers.map(\.drops) == [0, 5])
    #expect(walk.headers.last?.originalLength == 5)
  }

  @Test func `flags give the direction and foreign blocks and interfaces are passed over`() throws {
    var writer = PcapngWriter(application: "test")
    writer.interface(linkType: 1, name: "eth0")
    writer.interface(linkType: 187, name: "hci0")
    writer.block(0x0BAD_CAFE) { $0.append([1, 2, 3, 4, 5]) }
    writer.append([9, 9, 9], interface: 0, time: Self.instant)
    writer.append([2, 1, 0, 0, 0], interface: 1, time: Self.instant, direction: .received)
    writer.append(
      [2, 1, 0, 0, 0], interface: 1, time: Self.instant, direction: .sent, comment: "a note")
    writer.append([2, 1, 0, 0, 0], interface: 1, time: Self.instant, originalLength: 50)
    // Interface statistics: 4 packets were dropped by interface 1.
    writer.block(5) { body in
      for word in [1, 0, 0] as [UInt32] { body.le32(word) }
      body.append([5, 0, 8, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }
    writer.append([4, 0x0E, 0], interface: 1, time: Self.instant)
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    let walk = try Walk(&reader)
    #expect(walk.headers.map(\.frame) == [2, 3, 4, 5])
    #expect(walk.headers.map(\.direction) == [.received, .sent, .unknown, .received])
    #expect(walk.headers.map(\.directionGuessed) == [false, false, true, false])
    #expect(walk.headers.map(\.adapter) == [1, 1, 1, 1])
    #expect(walk.headers.map(\.drops) == [0, 0, 0, 4])
    #expect(walk.headers[2].originalLength == 49)
    #expect(
      walk.headers.first?.time
        == Timestamp(
          nanoseconds: Self.instant.nanoseconds, isNanosecondPrecise: true))
    #expect(walk.damages.isEmpty)
    #expect(reader.skippedRecordCount == 1)
  }

  @Test func `a file with foreign interfaces only is no Bluetooth capture`() throws {
    var writer = PcapngWriter()
    writer.interface(linkType: 1)
    writer.append([9, 9, 9], time: Self.instant)
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    var caught: CaptureError?
    do { _ = try Walk(&reader) } catch { caught = error as? CaptureError }
    #expect(caught?.kind == .notACapture)
    #expect(caught?.reason.contains("Ethernet") == true)
  }

  @Test func `a packet of an interface that was never described is damage`() throws {
    let file =
      Self.section(big: false) + Self.interface(187, big: false)
      + Self.block(6, big: false, [7, 0, 0, 4, 4], [4, 0x0E, 0, 0])
      + Self.block(6, big: false, [0, 0, 0, 4, 4], [4, 0x0E, 0, 0])
    let walk = try Self.walk(file)
    #expect(walk.headers.count == 1)
    #expect(walk.damages.map(\.offset) == [28 + 20])
    #expect(walk.damages.first?.reason.contains("interface 7") == true)
  }
}
