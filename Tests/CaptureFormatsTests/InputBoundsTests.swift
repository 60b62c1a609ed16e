import PeatTestSupport
import Testing
import WireBytes

@testable import CaptureFormats

/// A pipe that never ends: the same bytes over and over.
private final class EndlessSource: ByteSource {
  private let bytes: [UInt8]
  private(set) var given = 0
  let isSeekable = false
  var totalBytes: Int? { nil }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    let count = min(buffer.count - start, bytes.count)
    buffer.replaceSubrange(start..<start + count, with: bytes[..<count])
    given += count
    return count
  }

  func rewind() -> Bool { false }
}

@Suite struct InputBoundsTests {
  @Test func `an endless text without a log is given up`() throws {
    let source = EndlessSource(Array(repeating: 0x79, count: 4096))
    var window = ByteWindow(source: source, capacity: 1 << 16)
    let found = try FormatSniffer.bugReport(&window, path: "-", longestSearch: 1 << 18)
    #expect(found == nil)
    #expect(source.given < 1 << 19)
  }

  @Test func `a marker line without an end is not held`() throws {
    let source = EndlessSource(Array("--- BEGIN:BTSNOOP_LOG_SUMMARY ".utf8))
    var window = ByteWindow(source: source, capacity: 1 << 12)
    #expect(throws: CaptureError.self) {
      _ = try FormatSniffer.bugReport(&window, path: "-")
    }
    #expect(source.given < 1 << 17)
    #expect(window.buffer.count == 1 << 12)
  }

  @Test func `a length that the input only claims takes no memory`() throws {
    let bytes = [UInt8](repeating: 1, count: 9000)
    var window = ByteWindow(source: ChunkSource(bytes, size: 1000), capacity: 512)
    #expect(try !window.has(ByteWindow.limit))
    #expect(window.available == 9000)
    #expect(window.buffer.count <= 4 * 9000)
  }

  @Test func `a window that one record made large is given back`() throws {
    let source = EndlessSource(Array(repeating: 1, count: 4096))
    var window = ByteWindow(source: source, capacity: 4096)
    #expect(try window.has(1 << 20))
    for _ in 0..<64 {
      window.position += window.available
      window.keep = window.position
      #expect(try window.has(16))
    }
    #expect(window.buffer.count == 4096)
  }

  @Test func `a pcapng block longer than the file is damage and not read`() throws {
    var file = ByteWriter()
    for word in [0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, 0xFFFF_FFFF, 0xFFFF_FFFF, 28] as [UInt32] {
      file.le32(word)
    }
    for word in [6, 16 << 20, 0, 0, 0, 0] as [UInt32] { file.le32(word) }
    var reader = try CaptureReader(bytes: file.bytes, name: "memory")
    let isEmpty = try reader.next() == nil
    #expect(isEmpty)
    #expect(reader.damage?.offset == 28)
    #expect(reader.damage?.reason.contains("16777216 bytes, 24 are left") == true)
  }

  @Test func `members are told apart by their place, whatever their names`() throws {
    let plain = try ArchiveSourceTests.sample("a-two-nodes.h4.btsnoop")
    let expected = try ArchiveSourceTests.walk(plain).frameCount
    let text = Array("text".utf8)
    for name in ["bücher/β.log", String(repeating: "n", count: 90)] {
      let archive = HandMade.tar([(name, text), (name, plain)])
      #expect(try ArchiveSourceTests.walk(archive).frameCount == expected, "\(name)")
    }
    var reader = try CaptureReader(
      bytes: HandMade.zip([("straße.log", plain), ("x.txt", text)]), name: "memory")
    #expect(reader.members == ["straße.log"])
    #expect(try Walk(&reader).frameCount == expected)
  }

  @Test func `an archive of folders alone holds no regular file`() throws {
    var archive = HandMade.tar([("folder", [])])
    // Type flag 5 is a directory; the checksum is the sum of the header's bytes.
    archive[156] += 5
    let sum =
      archive[..<148].reduce(0) { $0 + Int($1) } + 8 * 0x20
      + archive[156..<512].reduce(0) { $0 + Int($1) }
    let digits = String(sum, radix: 8)
    archive.replaceSubrange(
      148..<154, with: (String(repeating: "0", count: 6 - digits.count) + digits).utf8)
    #expect {
      _ = try CaptureReader(bytes: archive, name: "memory")
    } throws: {
      let error = $0 as? CaptureError
      return error?.kind == .notACapture && error?.reason.contains("no regular file") == true
    }
  }

  @Test func `long names of members are shortened in messages`() throws {
    let name = String(repeating: "n", count: 5000)
    let archive = HandMade.zip([(name, Array("hello".utf8))])
    #expect {
      _ = try CaptureReader(bytes: archive, name: "memory")
    } throws: { (($0 as? CaptureError)?.reason.count ?? .max) < 200 }
  }
}
