import CaptureFormats
import Testing
import WireBytes

@Suite struct PacketLoggerReaderTests {
  static func record(_ type: UInt8, _ data: [UInt8], big: Bool) -> [UInt8] {
    var file = ByteWriter()
    for value in [UInt32(9 + data.count), 1_760_000_000, 250_000] {
      if big { file.be32(value) } else { file.le32(value) }
    }
    file.u8(type)
    file.append(data)
    return file.bytes
  }

  @Test(arguments: [true, false])
  func `both byte orders are told apart by their chain of records`(_ big: Bool) throws {
    let file =
      Self.record(0, [3, 0x0C, 0], big: big) + Self.record(1, [0x0E, 0], big: big)
      + Self.record(0xFC, Array("a note".utf8), big: big)
      + Self.record(2, [0x40, 0, 0, 0], big: big) + Self.record(3, [0x40, 0x20, 0, 0], big: big)
      + Self.record(0x55, [], big: big)
    var reader = try CaptureReader(bytes: file, name: "memory")
    let walk = try Walk(&reader)
    #expect(reader.format == .packetLogger)
    #expect(walk.headers.map(\.frame) == [1, 2, 4, 5])
    #expect(walk.frameCount == 6)
    #expect(walk.headers.map(\.content) == [.command, .event, .acl, .acl])
    #expect(walk.headers.map(\.direction) == [.sent, .received, .sent, .received])
    #expect(walk.headers.first?.time?.nanoseconds == 1_760_000_000_250_000_000)
  }

  @Test func `an hcidump file is told from PacketLogger`() throws {
    var reader = try CaptureReader(bytes: HCIDumpSample.bytes, name: "memory")
    let walk = try Walk(&reader)
    #expect(reader.format == .hcidump)
    #expect(walk.headers.map(\.content) == [.command, .event, .acl])
    #expect(walk.headers.map(\.direction) == [.sent, .received, .received])
    #expect(walk.payloads.first == [3, 0x0C, 0])
    let instant = Timestamp(nanoseconds: 0x68E5_5C00 * 1_000_000_000 + 1000)
    #expect(walk.headers.first?.time == instant)
  }
}
