import CaptureFormats
import Testing
import WireBytes

@Suite struct PcapReaderTests {
  static let instant = Timestamp(nanoseconds: 1_760_000_000_123_456_789)

  @Test(arguments: [false, true], [false, true])
  func `both byte orders and both time units`(_ isNano: Bool, _ isBig: Bool) throws {
    var writer = PcapWriter(linkType: 201, isNanosecond: isNano, isBigEndian: isBig)
    writer.append([0, 0, 0, 1, 4, 0x0E, 0], time: Self.instant, originalLength: 40)
    writer.append([0, 0, 0, 0, 2, 0x40, 0, 0, 0], time: Self.instant)
    writer.append([0, 0], time: Self.instant)
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    let walk = try Walk(&reader)
    let time = isNano ? 1_760_000_000_123_456_789 : 1_760_000_000_123_456_000
    #expect(walk.headers.map { $0.time?.nanoseconds } == [Int64](repeating: Int64(time), count: 3))
    #expect(walk.headers.allSatisfy { $0.time?.isNanosecondPrecise == isNano })
    #expect(walk.headers.map(\.content) == [.event, .acl, .other])
    #expect(walk.headers.map(\.direction) == [.received, .sent, .unknown])
    #expect(walk.payloads == [[0x0E, 0], [0x40, 0, 0, 0], [0, 0]])
    #expect(walk.headers.map(\.originalLength) == [35, 4, 2])
  }

  @Test func `link type 187 knows the direction of commands and events only`() throws {
    var writer = PcapWriter(linkType: 187)
    for type in [1, 4, 2] as [UInt8] { writer.append([type, 0, 0, 0], time: Self.instant) }
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    let walk = try Walk(&reader)
    #expect(walk.headers.map(\.direction) == [.sent, .received, .unknown])
    #expect(walk.headers.map(\.directionGuessed) == [false, false, true])
  }

  @Test func `link type 254 begins with adapter and opcode`() throws {
    var writer = PcapWriter(linkType: 254)
    writer.append([0, 1, 0, 5, 9, 9], time: Self.instant)
    writer.append([0xFF, 0xFF, 0, 12, 0x41, 0], time: Self.instant)
    writer.append([0, 1], time: Self.instant)
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    let walk = try Walk(&reader)
    #expect(walk.headers.map(\.content) == [.acl, .monitorNote, .other])
    #expect(walk.headers.map(\.adapter) == [1, 0xFFFF, 0])
    #expect(walk.headers.map(\.monitorOpcode) == [5, 12, 0])
    #expect(walk.payloads == [[9, 9], [0x41, 0], [0, 1]])
  }

  @Test(
    arguments: [
      (251, .linkLayer251), (256, .linkLayer256), (272, .nordic272), (157, .nordic157),
    ] as [(UInt32, RecordContent)])
  func `air captures pass through whole`(_ number: UInt32, _ content: RecordContent) throws {
    var writer = PcapWriter(linkType: number)
    writer.append([1, 2, 3], time: Self.instant)
    var reader = try CaptureReader(bytes: writer.output.bytes, name: "memory")
    let walk = try Walk(&reader)
    #expect(walk.headers.first?.content == content)
    #expect(walk.payloads == [[1, 2, 3]])
  }

  @Test(
    arguments: [
      (1, "Ethernet"), (186, "USB"), (266, "USB"),
      (255, "classic"), (147, "private"), (4242, "not a Bluetooth capture"),
    ] as [(UInt32, String)])
  func `other link types are refused by name`(_ number: UInt32, _ text: String) {
    #expect {
      _ = try CaptureReader(bytes: PcapWriter(linkType: number).output.bytes, name: "memory")
    } throws: { error in
      let error = error as? CaptureError
      return error?.kind == .notACapture
        && error?.description.hasPrefix("memory: offset 20: linktype \(number)") == true
        && error?.reason.contains(text) == true
    }
  }

  @Test(
    arguments: [
      ([], "empty"), ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0], "ELF"), ([1, 2], "too few"),
      ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], "PNG"), (Array("hello, world\n".utf8), "text"),
      ([UInt8](repeating: 0, count: 600), "no supported file header"),
    ] as [([UInt8], String)])
  func `what is no capture is named`(_ bytes: [UInt8], _ text: String) {
    #expect {
      _ = try CaptureReader(bytes: bytes, name: "memory")
    } throws: { error in
      let error = error as? CaptureError
      return error?.kind == .notACapture && error?.reason.contains(text) == true
    }
  }

  @Test func `files that cannot be opened say why`() {
    #expect(throws: CaptureError.self) { _ = try CaptureReader(path: "/nonexistent/file") }
    #expect {
      _ = try CaptureReader(path: "/nonexistent/file")
    } throws: { ($0 as? CaptureError)?.kind == .notFound }
    #expect {
      _ = try CaptureReader(path: "/")
    } throws: { ($0 as? CaptureError)?.reason.contains("directory") == true }
  }
}
