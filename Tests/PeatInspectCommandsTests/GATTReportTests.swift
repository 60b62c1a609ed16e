import Foundation
import PeatTestSupport
import Testing

/// Reports of GATT traffic (Tests/BugReports2, Tests/Cases), and what their pages describe beside
/// what they hold.
struct GATTReportTests {
  private static func report(_ path: String) -> String {
    TestData.bugReports2.appendingPathComponent(path).path
  }

  private static func smallCase(_ name: String) -> String {
    TestData.testsFolder.appendingPathComponent("Cases/\(name)").path
  }

  /// Version and node of each document, as hexadecimal digits of its first eight bytes.
  private static func heads(_ run: CommandRun) throws -> [String] {
    try run.records().filter { $0["kind"].string == "document" }
      .compactMap { $0["payload"].string.map { String($0.prefix(16)) } }
  }

  private static func document(_ version: UInt8, _ node: UInt32) -> [UInt8] {
    let id = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: node >> $0) }
    return [version, 0, 0, 0] + id + [1, 0, 0, 0] + id + [version, 0, 0, 0, 0, 0, 0, 0]
  }

  private static let v1 = "0100000044332211"
  private static let other1 = "0100000088776655"

  @Test("Service Changed of a bonded device counts from the indication on")
  func serviceChanged() throws {
    // Expected: 09-service-changed/expect.md.
    let path = Self.report("09-service-changed/not-rediscovered.btsnoop")
    let run = try CommandRun(["-f", "ndjson", path])
    #expect(try Self.heads(run) == [Self.v1, Self.other1])
    #expect(try run.records().count == 2)
    #expect(run.standardError.contains("2 values were not shown"))
    #expect(try CommandRun(["check", path]).status == 0)
  }

  @Test("ATT over BR/EDR is read where its channel is opened")
  func classic() throws {
    // Expected: 11-att-over-bredr/expect.md.
    let run = try CommandRun(["-f", "ndjson", Self.report("11-att-over-bredr/psm31.btsnoop")])
    #expect(try Self.heads(run) == [Self.v1, Self.other1])
  }

  @Test("what one capture discovered is used in others, in both orders", arguments: [false, true])
  func severalCaptures(isReversed: Bool) throws {
    // Expected: 13-bonded-reconnect/expect.md.
    let files = ["first", "second"].map { Self.report("13-bonded-reconnect/\($0).btsnoop") }
    let run = try CommandRun(["-f", "ndjson"] + (isReversed ? files.reversed() : files))
    #expect(
      try Self.heads(run) == [Self.v1, Self.other1, "0500000044332211", "0300000088776655"])
    #expect(run.standardError.contains("1 value was not shown"))
    for command in ["state", "convergence"] {
      let told = try CommandRun([command] + files)
      #expect(told.status == 0 && told.standardError.contains("1 value was not shown"))
    }
  }

  @Test("a bonded peer's two documents alone are counted, and a bond cache names them")
  func bondCache() throws {
    let folder = try ScratchFolder()
    let second = Self.report("13-bonded-reconnect/second.btsnoop")
    let alone = try CommandRun(["-f", "ndjson", second])
    #expect(try alone.records().isEmpty)
    #expect(alone.standardError.contains("3 values were not shown"))
    let cache = ["--bond-cache", folder.path("bonds")]
    _ = try CommandRun(cache + [Self.report("13-bonded-reconnect/first.btsnoop")])
    let run = try CommandRun(["-f", "ndjson"] + cache + [second])
    #expect(try Self.heads(run) == ["0500000044332211", "0300000088776655"])
  }

  @Test("beside a discovered peer, another one's 24 documents are known by content")
  func oneOfTwoUnnamed() throws {
    // Expected: 13-bonded-reconnect/expect.md, one-of-two-unnamed: 26 documents.
    var capture = CaptureBuilder()
    capture.open(0x40, peer: 0xC000_0000_0001)
    capture.connect(0x41, peer: 0xC000_0000_0002)
    capture.write(Self.document(1, 0x5566_7788))
    for version in 1...24 {
      capture.att(
        [0x1B, 0x2A, 0] + Self.document(UInt8(version), 0x1122_3344), from: .peer, on: 0x41)
    }
    capture.write(Self.document(2, 0x5566_7788))
    let folder = try ScratchFolder()
    let run = try CommandRun(["-f", "ndjson", try folder.write(capture.bytes, "capture")])
    let records = try run.records()
    #expect(records.count == 26)
    #expect(records.count { $0["att"]["resolved_by"].string == "content" } == 24)
  }

  @Test("a device under changing private addresses is one, by a key of the capture or of the user")
  func privateAddresses() throws {
    // Expected: 15-rotating-addresses/expect.md.
    let path = Self.report("15-rotating-addresses/irk-in-capture.btsnoop")
    let expected = [Self.v1, "0200000044332211", Self.other1]
    let peer = ["--peer", "00:A0:50:11:22:33"]
    #expect(try Self.heads(CommandRun(["-f", "ndjson", path])) == expected)
    #expect(try Self.heads(CommandRun(["-f", "ndjson"] + peer + [path])) == expected)

    let (bytes, key) = try Self.withoutPairing(path)
    let folder = try ScratchFolder()
    let bare = try folder.write(bytes, "bare")
    #expect(try Self.heads(CommandRun(["-f", "ndjson", bare])) == [Self.v1])
    let keys = try folder.write(Array("irk 00:A0:50:11:22:33 \(key)\n".utf8), "irk.keys")
    let options = ["-f", "ndjson", "--keys", keys]
    #expect(try Self.heads(CommandRun(options + [bare])) == expected)
    #expect(try Self.heads(CommandRun(options + peer + [bare])) == expected)
  }

  /// A btsnoop file without its Security Manager packets, and the key that one of them held, most
  /// significant byte first.
  private static func withoutPairing(_ path: String) throws -> (bytes: [UInt8], key: String) {
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var kept = Array(file.prefix(16))
    var key = ""
    var place = 16
    while place + 24 <= file.count {
      let length = file[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
      let record = Array(file[place..<place + 24 + length])
      let packet = Array(record.dropFirst(24))
      place += record.count
      guard packet.count > 9, packet[0] == 2, packet[7] == 6 else {
        kept += record
        continue
      }
      if packet[9] == 8 {
        key = packet[10..<26].reversed().map { String(format: "%02x", $0) }.joined()
      }
    }
    return (kept, key)
  }

  @Test(
    "what controllers log on handles of no connection is none", arguments: ["inspect", "check"])
  func vendorHandles(command: String) throws {
    // Expected: 19-vendor-acl-handles/expect.md.
    let path = Self.report("19-vendor-acl-handles/qca-mtk-diag.btsnoop")
    let run = try CommandRun((command == "inspect" ? [] : [command]) + ["-f", "ndjson", path])
    if command == "inspect" {
      #expect(try Self.heads(run) == [Self.v1, Self.other1, "0200000044332211"])
    } else {
      #expect(run.status == 0)
    }
    #expect(!run.text.contains("\"code\":\"acl-"))
  }

  @Test("a value of several that the MTU cut is not blamed on an encoder")
  func readMultiple() throws {
    // Expected: 22-read-multiple-cut/expect.md.
    let path = Self.report("22-read-multiple-cut/rmv.btsnoop")
    let records = try CommandRun(["-f", "ndjson", path]).records()
    #expect(records.count == 3)
    #expect(records.map { $0["cut_by"].string } == [nil, "mtu", nil])
    let check = try CommandRun(["check", path])
    #expect(!check.text.contains("malformed-message"))
    #expect(check.text.contains("55 of 60 bytes"))
  }

  @Test("--handle counts where discovery says otherwise; else -v names the handle")
  func handleOption() throws {
    // Expected: 32-handle-option/expect.md.
    let path = Self.report("32-handle-option/vendor-uuid.btsnoop")
    let hinted = try CommandRun(["-f", "ndjson", "--handle", "0x12", path])
    #expect(try Self.heads(hinted).count == 3)
    let plain = try CommandRun(["-v", "-f", "ndjson", path])
    #expect(try plain.records().isEmpty)
    #expect(
      plain.standardError.contains("handle 0x0012 (fff1): 3 values, not a Peat characteristic"))
  }

  @Test("values read by type in a reconnection do not wipe the table")
  func readsByType() throws {
    // Expected: Tests/Cases/README.md.
    let run = try CommandRun([
      "-f", "ndjson", Self.smallCase("reconnect-two-reads-no-discovery.btsnoop"),
    ])
    #expect(try Self.heads(run).count == 4)
  }

  @Test("a part of a long write that is not in the capture is the capture's gap")
  func lostPart() throws {
    // Expected: Tests/Cases/README.md.
    let path = Self.smallCase("long-write-part-lost.btsnoop")
    let run = try CommandRun(["-f", "ndjson", path])
    #expect(run.status == 4)
    #expect(try run.records().map { $0["cut_by"].string } == ["capture"])
    #expect(!(try CommandRun(["check", path])).text.contains("encoder"))
  }

  @Test("a gap is told with the first message behind it")
  func gapOnce() throws {
    var capture = CaptureBuilder()
    capture.open()
    capture.write(Self.document(1, 0x5566_7788))
    let value = Self.document(2, 0x5566_7788)
    let pdu: [UInt8] = [UInt8(value.count + 3), 0, 4, 0, 0x52, 0x12, 0] + value
    capture.acl(pdu, from: .host, drops: 3)
    for version: UInt8 in 3...5 {
      var next = pdu
      next[7] = version
      next[23] = version
      capture.acl(next, from: .host, drops: 3)
    }
    let folder = try ScratchFolder()
    let path = try folder.write(capture.bytes, "capture")
    for format in ["ndjson", "csv", "text"] {
      let run = try CommandRun(["-f", format, path])
      let told = run.lines.count { $0.contains("packets are missing from the capture before it") }
      let codes = run.lines.count { $0.contains("dropped-packets") }
      #expect(format == "csv" ? codes == 1 : told == 1, "\(format)")
    }
  }
}
