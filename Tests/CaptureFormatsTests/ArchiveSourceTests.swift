import Foundation
import PeatTestSupport
import Testing
import WireBytes

@testable import CaptureFormats

/// Archives written by hand, without any compression.
enum HandMade {
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  static func zip(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var file = ByteWriter()
    var directory = ByteWriter()
    for member in members {
      let place = file.count
      var fields = ByteWriter()
      for value in [10, 0, 0, 0, 0x21] as [UInt16] { fields.le16(value) }
      fields.le32(crc32(member.bytes))
      fields.le32(UInt32(member.bytes.count))
      fields.le32(UInt32(member.bytes.count))
      fields.le16(UInt16(member.name.utf8.count))
      fields.le16(0)
      file.le32(0x0403_4B50)
      file.append(fields.bytes)
      file.append(Array(member.name.utf8))
      file.append(member.bytes)
      directory.le32(0x0201_4B50)
      directory.le16(10)
      directory.append(fields.bytes)
      directory.append([UInt8](repeating: 0, count: 10))
      directory.le32(UInt32(place))
      directory.append(Array(member.name.utf8))
    }
    let place = file.count
    file.append(directory.bytes)
    file.le32(0x0605_4B50)
    for value in [0, 0, members.count, members.count] { file.le16(UInt16(value)) }
    file.le32(UInt32(directory.count))
    file.le32(UInt32(place))
    file.le16(0)
    return file.bytes
  }

  static func tar(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var file: [UInt8] = []
    for member in members {
      var header = [UInt8](repeating: 0, count: 512)
      func put(_ text: String, at place: Int) {
        header.replaceSubrange(place..<(place + text.utf8.count), with: text.utf8)
      }
      put(member.name, at: 0)
      put("0000644", at: 100)
      put("0000000", at: 108)
      put("0000000", at: 116)
      let size = String(member.bytes.count, radix: 8)
      put(String(repeating: "0", count: 11 - size.count) + size, at: 124)
      put("00000000000", at: 136)
      put("        ", at: 148)
      put("0", at: 156)
      put("ustar\u{0}00", at: 257)
      let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
      put(String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ", at: 148)
      file += header + member.bytes
      file += [UInt8](repeating: 0, count: (512 - member.bytes.count % 512) % 512)
    }
    return file + [UInt8](repeating: 0, count: 1024)
  }

  /// A gzip file of stored blocks.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var file = ByteWriter()
    file.append([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    let pieces = stride(from: 0, to: max(1, bytes.count), by: 65_535).map {
      bytes[$0..<min(bytes.count, $0 + 65_535)]
    }
    for (index, piece) in pieces.enumerated() {
      file.u8(index == pieces.count - 1 ? 1 : 0)
      file.le16(UInt16(piece.count))
      file.le16(~UInt16(piece.count))
      file.append(piece)
    }
    file.le32(crc32(bytes))
    file.le32(UInt32(truncatingIfNeeded: bytes.count))
    return file.bytes
  }
}

@Suite struct ArchiveSourceTests {
  static func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestData.captures.appendingPathComponent(name)))
  }

  static func walk(_ bytes: [UInt8]) throws -> Walk {
    var reader = try CaptureReader(bytes: bytes, name: "memory")
    return try Walk(&reader)
  }

  static func temporary(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "peat-\(UUID().uuidString)")
    try Data(bytes).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    try body(path.path)
  }

  @Test func `packed captures give what the plain one gives, from a file and from a pipe`() throws {
    let plain = try Self.sample("d-fragments.h4.btsnoop")
    let whole = try Self.walk(plain)
    let packed: [(String, [UInt8])] = [
      ("gzip", HandMade.gzip(plain)), ("zip", HandMade.zip([("a/b.log", plain)])),
      ("tar", HandMade.tar([("a/b.log", plain)])),
      ("tar.gz", HandMade.gzip(HandMade.tar([("a/b.log", plain)]))),
      ("gzip twice", HandMade.gzip(HandMade.gzip(plain))),
      ("gzip in zip", HandMade.zip([("b.log.gz", HandMade.gzip(plain))])),
    ]
    for (name, bytes) in packed {
      try Self.temporary(bytes) { path in
        var reader = try CaptureReader(path: path)
        let first = try Walk(&reader)
        #expect(first.headers == whole.headers, "\(name)")
        #expect(first.payloads == whole.payloads, "\(name)")
        #expect(first.damages.isEmpty, "\(name): \(first.damages)")
        #expect(try reader.rewind(), "\(name)")
        let second = try Walk(&reader)
        #expect(second.headers == whole.headers, "\(name) again")
        #expect(reader.totalBytes == bytes.count, "\(name)")
      }
      var pipe = try CaptureReader(source: ChunkSource(bytes, size: 4096), name: "-")
      let piped = try Walk(&pipe)
      #expect(piped.headers == whole.headers, "\(name) through a pipe")
    }
  }

  @Test(arguments: ["gzip", "zstd", "xz", "bzip2", "lz4"])
  func `what the usual tools pack is read`(_ tool: String) throws {
    let program = "/usr/bin/\(tool)"
    guard FileManager.default.isExecutableFile(atPath: program) else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "-c", TestData.captures.appendingPathComponent("a-two-nodes.phdr.pcapng").path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    #expect(try Self.walk(bytes).frameCount == 102)
  }

  @Test func `a cut gzip file keeps the records before the cut`() throws {
    let plain = try Self.sample("d-fragments.h4.btsnoop")
    let packed = HandMade.gzip(plain)
    let whole = try Self.walk(plain)
    let walk = try Self.walk(Array(packed[..<(packed.count / 2)]))
    #expect(walk.headers.count > whole.headers.count / 3)
    #expect(walk.headers == Array(whole.headers.prefix(walk.headers.count)))
    #expect(walk.damages.count == 1)
    #expect(walk.damages.first?.reason.contains("cut") == true)
  }

  @Test func `a gzip file keeps every record before the cut, wherever it is`() throws {
    let plain = try Self.sample("a-two-nodes.h4.btsnoop")
    let whole = try Self.walk(plain)
    for (name, packed, front) in [
      ("gzip", HandMade.gzip(plain), 15),
      ("tar.gz", HandMade.gzip(HandMade.tar([("a.log", plain)])), 527),
    ] {
      for length in stride(from: front + 20, to: front + plain.count, by: 97) {
        let walk = try Self.walk(Array(packed[..<length]))
        let expected = zip(whole.headers, whole.payloads).prefix {
          $0.0.fileOffset + $0.1.count <= length - front
        }
        #expect(walk.headers == expected.map(\.0), "\(name) cut at \(length)")
        #expect(walk.damages.count == 1, "\(name) cut at \(length): \(walk.damages)")
      }
    }
  }

  @Test func `a bug report's full log is taken before its summary, and not the earlier session`()
    throws
  {
    let folder = TestData.bugReports.appendingPathComponent("07-bugreport-btsnooz")
    var full = try CaptureReader(path: folder.appendingPathComponent("bugreport-full.zip").path)
    #expect(full.members == ["FS/data/misc/bluetooth/logs/btsnoop_hci.log"])
    #expect(full.otherMembers == ["FS/data/misc/bluetooth/logs/btsnoop_hci.log.last"])
    #expect(full.format == .btsnoop)
    let fullTimes = try Walk(&full).headers.map { $0.time?.nanoseconds }
    var cut = try CaptureReader(path: folder.appendingPathComponent("bugreport-cut-only.zip").path)
    #expect(cut.format == .bugReport)
    let cutTimes = try Walk(&cut).headers.map { $0.time?.nanoseconds }
    #expect(cutTimes == fullTimes)
    #expect(fullTimes.count == 14)
    for name in ["bugreport-cut-only.txt", "btsnooz_hci.log", "btsnooz-v1.txt"] {
      var other = try CaptureReader(path: folder.appendingPathComponent(name).path)
      #expect(try Walk(&other).headers.map { $0.time?.nanoseconds } == fullTimes, "\(name)")
    }
  }

  @Test func `a member can be named`() throws {
    let folder = TestData.bugReports.appendingPathComponent("07-bugreport-btsnooz")
    let archive = folder.appendingPathComponent("bugreport-full.zip").path
    var reader = try CaptureReader(
      path: archive + "!FS/data/misc/bluetooth/logs/btsnoop_hci.log.last")
    #expect(reader.members == ["FS/data/misc/bluetooth/logs/btsnoop_hci.log.last"])
    #expect(try Walk(&reader).frameCount > 0)
    #expect {
      _ = try CaptureReader(path: archive + "!nothing")
    } throws: { ($0 as? CaptureError)?.kind == .notFound }
  }

  @Test func `numbered parts are joined in the order of their numbers`() throws {
    let plain = try Self.sample("d-fragments.h4.btsnoop")
    let whole = try Self.walk(plain)
    let header = Array(plain[..<16])
    let first = whole.headers[40].fileOffset - 25
    let second = whole.headers[120].fileOffset - 25
    let logs = "FS/data/misc/bluetooth/logs/btsnoop_hci.log"
    let archive = HandMade.zip([
      (logs + ".10", header + plain[second...]), (logs + ".0", Array(plain[..<first])),
      (logs + ".2", header + plain[first..<second]), (logs + ".last", plain),
    ])
    var reader = try CaptureReader(bytes: archive, name: "memory")
    #expect(reader.members == [".0", ".2", ".10"].map { logs + $0 })
    let walk = try Walk(&reader)
    #expect(walk.payloads == whole.payloads)
    #expect(walk.damages.isEmpty)
  }

  @Test func `a sysdiagnose archive's PacketLogger files are read one after another`() throws {
    let plain = try Self.sample("a-two-nodes.big-endian.pklg")
    let archive = HandMade.gzip(
      HandMade.tar([
        ("sysdiagnose/README.txt", Array("hello\n".utf8)),
        ("sysdiagnose/logs/Bluetooth/bluetoothd-hci-2.pklg", plain),
        ("sysdiagnose/logs/Bluetooth/bluetoothd-hci-1.pklg", plain),
      ]))
    var reader = try CaptureReader(bytes: archive, name: "memory")
    #expect(reader.members.map { $0.suffix(6) } == ["1.pklg", "2.pklg"])
    let walk = try Walk(&reader)
    let single = try Self.walk(plain)
    #expect(walk.damages.isEmpty, "\(walk.damages)")
    #expect(walk.frameCount == 2 * single.frameCount)
  }

  @Test func `an archive without a capture says what it has`() throws {
    let archive = HandMade.zip([("notes.md", Array("hello".utf8))])
    #expect {
      _ = try CaptureReader(bytes: archive, name: "memory")
    } throws: { ($0 as? CaptureError)?.reason.contains("notes.md") == true }
  }

  @Test func `archives inside archives end at a depth`() throws {
    var bytes = try Self.sample("a-two-nodes.h4.btsnoop")
    for _ in 0..<6 { bytes = HandMade.zip([("inner.zip", bytes)]) }
    #expect {
      _ = try CaptureReader(bytes: bytes, name: "memory")
    } throws: { ($0 as? CaptureError)?.reason.contains("deep") == true }
  }

  @Test func `damaged archives end in an error or a damage and never trap`() throws {
    let plain = try Self.sample("a-two-nodes.h4.btsnoop")
    var random = Seeded(state: 9)
    for original in [
      HandMade.zip([("a.log", plain), ("b.log", plain)]), HandMade.gzip(plain),
      HandMade.gzip(HandMade.tar([("a.log", plain)])),
    ] {
      for _ in 0..<60 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = Int.random(in: 0..<min(bytes.count, 700), using: &random)
          bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) {
          bytes = Array(bytes[..<Int.random(in: 1..<bytes.count, using: &random)])
        }
        guard var reader = try? CaptureReader(bytes: bytes, name: "memory") else { continue }
        while let record = try? reader.next() { _ = record.frame }
      }
    }
  }
}
