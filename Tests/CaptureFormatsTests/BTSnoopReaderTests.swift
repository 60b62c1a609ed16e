import CaptureFormats
import Testing
import WireBytes

@Suite struct BTSnoopReaderTests {
  /// 2000-01-01T00:00:00Z, which BlueZ writes as 0x00E03AB44A676000.
  static let millennium = Timestamp(microseconds: 946_684_800_000_000)

  static func header(_ version: UInt32, _ datalink: UInt32) -> ByteWriter {
    var file = ByteWriter()
    file.append(Array("btsnoop\u{0}".utf8))
    file.be32(version)
    file.be32(datalink)
    return file
  }

  static func file(
    datalink: UInt32 = 1002, _ records: [(packet: [UInt8], flags: UInt32, raw: UInt64)]
  ) -> [UInt8] {
    var file = header(1, datalink)
    for record in records {
      file.be32(UInt32(record.packet.count))
      file.be32(UInt32(record.packet.count))
      file.be32(record.flags)
      file.be32(0)
      file.be64(record.raw)
      file.append(record.packet)
    }
    return file.bytes
  }

  static func walk(_ bytes: [UInt8]) throws -> Walk {
    var reader = try CaptureReader(bytes: bytes, name: "memory")
    return try Walk(&reader)
  }

  @Test func `BlueZ's constant for 2000 is 2000`() throws {
    let walk = try Self.walk(Self.file([([1, 3, 0x0C, 0], 2, 0x00E0_3AB4_4A67_6000)]))
    #expect(walk.headers.first?.time == Self.millennium)
  }

  @Test func `H4 type bytes name the packet and flag bit 0 its direction`() throws {
    let raw: UInt64 = 0x00E0_3AB4_4A67_6000
    let walk = try Self.walk(
      Self.file([
        ([1, 3, 0x0C, 0], 2, raw), ([4, 0x0E, 0], 3, raw), ([2, 0x40, 0x20, 0, 0], 1, raw),
        ([3, 0, 0, 0], 0, raw), ([5, 0, 0, 0, 0], 0, raw), ([9, 1], 0, raw), ([2], 0, raw),
        ([], 0, raw),
      ]))
    #expect(
      walk.headers.map(\.content) == [.command, .event, .acl, .sco, .iso, .other, .acl, .other])
    #expect(
      walk.headers.map(\.direction) == [
        .sent, .received, .received, .sent, .sent, .sent, .sent, .sent,
      ])
    #expect(walk.payloads.prefix(2) == [[3, 0x0C, 0], [0x0E, 0]])
    #expect(walk.headers.map(\.frame) == Array(1...8))
    #expect(walk.headers.first?.fileOffset == 16 + 24 + 1)
    #expect(walk.damages.isEmpty)
  }

  @Test func `datalink 1001 takes the kind from the flags`() throws {
    let raw: UInt64 = 0x00E0_3AB4_4A67_6000
    let walk = try Self.walk(
      Self.file(
        datalink: 1001,
        [
          ([3, 0x0C, 0], 2, raw), ([0x0E, 0], 3, raw), ([0x40, 0x20, 0, 0], 0, raw),
          ([0x40, 0x20, 0, 0], 1, raw),
        ]))
    #expect(walk.headers.map(\.content) == [.command, .event, .acl, .acl])
    #expect(walk.headers.map(\.direction) == [.sent, .received, .sent, .received])
    #expect(walk.payloads.first == [3, 0x0C, 0])
  }

  @Test func `the monitor's flags are adapter and opcode`() throws {
    let raw: UInt64 = 0x00E0_3AB4_4A67_6000
    let opcodes: [UInt32] = [2, 3, 4, 5, 6, 7, 18, 19, 0, 12, 0xFF]
    let walk = try Self.walk(
      Self.file(datalink: 2001, opcodes.map { ([7, 7, 7], 3 << 16 | $0, raw) }))
    #expect(
      walk.headers.map(\.content) == [
        .command, .event, .acl, .acl, .sco, .sco, .iso, .iso, .monitorNote, .monitorNote,
        .monitorNote,
      ])
    #expect(walk.headers.allSatisfy { $0.adapter == 3 })
    #expect(walk.headers.map(\.monitorOpcode) == opcodes.map { UInt16($0) })
    #expect(walk.headers.map(\.direction).suffix(4) == [.received, .unknown, .unknown, .unknown])
  }

  @Test func `cut packets keep their original length and drops are counted`() throws {
    var writer = BTSnoopWriter()
    writer.append([2, 1, 2, 3], flags: 1, time: Self.millennium, originalLength: 30, drops: 7)
    let walk = try Self.walk(writer.output.bytes)
    #expect(walk.headers.first?.originalLength == 29)
    #expect(walk.payloads == [[1, 2, 3]])
    #expect(walk.headers.first?.drops == 7)
  }

  @Test func `clocks without the epoch or in milliseconds keep their differences`() throws {
    let now: UInt64 = 1_760_000_000_000_000
    let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000
    let packet: [UInt8] = [1, 3, 0x0C, 0]
    for (first, unit) in [(now, 1), (now / 1000, 1000), ((epoch + now) / 1000, 1000)]
      as [(UInt64, UInt64)]
    {
      var reader = try CaptureReader(
        bytes: Self.file([(packet, 0, first), (packet, 0, first + 5_000_000 / unit)]),
        name: "memory")
      #expect(reader.notes.count == 1)
      let walk = try Walk(&reader)
      let times = walk.headers.compactMap { $0.time?.nanoseconds }
      #expect(times == [Int64(now) * 1000, Int64(now + 5_000_000) * 1000])
    }
    var reader = try CaptureReader(
      bytes: Self.file([(packet, 0, .max / 4), (packet, 0, .max / 4 + 10)]), name: "memory")
    #expect(reader.notes.count == 1)
    let times = try Walk(&reader).headers.compactMap { $0.time?.nanoseconds }
    #expect(times == [0, 10_000])
  }

  @Test func `a clock that is set during the capture is no damage`() throws {
    let packet: [UInt8] = [1, 3, 0x0C, 0]
    let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000
    let now = epoch + 1_760_000_000_000_000
    let walk = try Self.walk(
      Self.file([
        (packet, 0, epoch + 5), (packet, 0, epoch + 9), (packet, 0, now), (packet, 0, now + 1),
        (packet, 0, now - 90_000_000), (packet, 0, epoch), (packet, 0, now),
      ]))
    #expect(walk.damages.isEmpty)
    #expect(walk.headers.count == 7)
  }

  @Test(arguments: [1003, 1004, 2002, 0, 9999] as [UInt32])
  func `other datalinks are refused by number`(_ datalink: UInt32) {
    #expect {
      _ = try CaptureReader(bytes: Self.header(1, datalink).bytes, name: "memory")
    } throws: { error in
      let error = error as? CaptureError
      return error?.kind == .unsupported && error?.reason.contains("\(datalink)") == true
        && error?.offset == 12
    }
  }

  @Test func `an empty log is a capture without records`() throws {
    let walk = try Self.walk(Self.header(1, 1002).bytes)
    #expect(walk.headers.isEmpty)
    #expect(walk.damages.isEmpty)
  }

  @Test func `zeros behind the last record are damage, named once`() throws {
    let raw: UInt64 = 0x00E0_3AB4_4A67_6000
    let good = Self.file([([1, 3, 0x0C, 0], 2, raw)])
    let walk = try Self.walk(good + [UInt8](repeating: 0, count: 4096))
    #expect(walk.headers.count == 1)
    #expect(walk.damages.map(\.offset) == [good.count])
    #expect(walk.damages.first?.reason.contains("zeros") == true)
  }
}
