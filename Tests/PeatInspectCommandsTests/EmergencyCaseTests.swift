import PeatTestSupport
import Testing

/// Kinds of emergencies that no capture of a session holds, built packet by packet.
///
/// Documents are written by protocol.md 2.1 and 2.7: version, node, counter, then section AC with
/// source, time and who has acknowledged.
struct EmergencyCaseTests {
  private static let alpha: UInt32 = 0x0A00_0001
  private static let bravo: UInt32 = 0x0A00_0002
  private static let charlie: UInt32 = 0x0B00_0003
  private static let delta: UInt32 = 0x0B00_0004
  private static let bravoAddress: UInt64 = 0xC000_0000_0001
  private static let charlieAddress: UInt64 = 0xC000_0000_0003

  private static func le(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  /// A document with a count of the node's own and, where there is one, an emergency.
  private static func document(
    _ node: UInt32, _ version: UInt32,
    emergency: (UInt32, UInt64, [(UInt32, Bool)])? = nil,
    naming others: [UInt32] = []
  ) -> [UInt8] {
    let counted = ([node] + others).sorted()
    var bytes = le(UInt64(version), 4) + le(UInt64(node), 4) + le(UInt64(counted.count), 4)
    for other in counted { bytes += le(UInt64(other), 4) + le(1, 8) }
    if let (source, time, acks) = emergency {
      var body = le(UInt64(source), 4) + le(time, 8)
      body += le(UInt64(acks.count), 4)
      for (other, isAcked) in acks { body += le(UInt64(other), 4) + [isAcked ? 1 : 0] }
      bytes += [0xAC, 0] + le(UInt64(body.count), 2) + body
    }
    return bytes
  }

  /// An advertisement whose name tells mesh and node (protocol.md 1.3).
  private static func announce(_ mesh: String, _ node: UInt32) -> [UInt8] {
    let digits = String(node, radix: 16, uppercase: true)
    let name = Array(
      "PEAT_\(mesh)-\(String(repeating: "0", count: 8 - digits.count))\(digits)".utf8)
    return [UInt8(name.count + 1), 0x09] + name
  }

  private func emergencies(_ build: (inout CaptureBuilder) -> Void) throws -> [JSON] {
    let folder = try ScratchFolder()
    var builder = CaptureBuilder()
    build(&builder)
    let path = try folder.write(builder.bytes, "x.btsnoop")
    let run = try CommandRun(["emergencies", "-q", "-f", "ndjson", path])
    #expect(run.status == 0)
    return try run.records()
  }

  private func findings(_ build: (inout CaptureBuilder) -> Void) throws -> Set<String> {
    let folder = try ScratchFolder()
    var builder = CaptureBuilder()
    build(&builder)
    let path = try folder.write(builder.bytes, "x.btsnoop")
    let records = try CommandRun(["check", "-q", "-f", "ndjson", path]).records()
    return Set(records.compactMap { $0["code"].string })
  }

  private func node(_ record: JSON, _ id: UInt32) throws -> JSON {
    let digits = String(id, radix: 16, uppercase: true)
    let name = String(repeating: "0", count: 8 - digits.count) + digits
    return try #require(record["nodes"].array?.first { $0["node"].string == name }, "\(name)")
  }

  @Test("a later emergency does not hide an earlier one, and says that it took its place")
  func twoEmergencies() throws {
    let records = try emergencies { capture in
      capture.open()
      let first = (Self.alpha, capture.now, [(Self.alpha, true), (Self.bravo, false)])
      capture.write(Self.document(Self.alpha, 2, emergency: first))
      capture.wait(1)
      capture.notify(Self.document(Self.bravo, 2, emergency: first, naming: [Self.alpha]))
      capture.wait(5)
      let second = (Self.bravo, capture.now, [(Self.alpha, false), (Self.bravo, true)])
      capture.notify(Self.document(Self.bravo, 3, emergency: second, naming: [Self.alpha]))
      capture.wait(1)
      let acked = (Self.bravo, second.1, [(Self.alpha, true), (Self.bravo, true)])
      capture.write(Self.document(Self.alpha, 3, emergency: acked))
    }
    try #require(records.count == 2)
    #expect(records.map { $0["source"].string } == ["0A000001", "0A000002"])
    #expect(records[0]["superseded_by"].string == "0A000002")
    let bravo = try node(records[0], Self.bravo)
    #expect(bravo["outcome"].string == "carried")
    #expect(bravo["why"].string == "superseded")
    #expect(try node(records[1], Self.alpha)["outcome"].string == "acked")
  }

  @Test("emergencies of two meshes stand apart, each with its own nodes")
  func twoMeshes() throws {
    let records = try emergencies { capture in
      capture.advertise(Self.bravoAddress, Self.announce("ALFA", Self.bravo))
      capture.advertise(Self.charlieAddress, Self.announce("OTTO", Self.charlie))
      capture.open(0x40, peer: Self.bravoAddress)
      capture.open(0x41, peer: Self.charlieAddress)
      let one = (Self.bravo, capture.now, [(Self.bravo, true)])
      capture.notify(Self.document(Self.bravo, 2, emergency: one), on: 0x40)
      capture.wait(1)
      let other = (Self.charlie, capture.now, [(Self.charlie, true), (Self.delta, false)])
      capture.notify(Self.document(Self.charlie, 2, emergency: other), on: 0x41)
    }
    try #require(records.count == 2)
    #expect(records.map { $0["mesh"].string } == ["ALFA", "OTTO"])
    #expect(records[0]["nodes"].array?.compactMap { $0["node"].string } == ["0A000002"])
    #expect(
      records[1]["nodes"].array?.compactMap { $0["node"].string } == ["0B000003", "0B000004"])
    let delta = try node(records[1], Self.delta)
    #expect(delta["outcome"].string == "unknown")
    #expect(delta["why"].string == "not_recorded")
    #expect(delta["text"].string?.contains("cannot be seen") == true)
  }

  /// A link that ends before the emergency and comes back once it is cleared.
  private static func away(_ capture: inout CaptureBuilder) {
    capture.open()
    capture.write(document(alpha, 2))
    capture.notify(document(bravo, 2, naming: [alpha]))
    capture.wait(2)
    // Disconnection Complete with connection timeout.
    capture.packet([0x04, 0x05, 4, 0, 0x40, 0, 0x08], from: .peer, isControl: true)
    capture.wait(2)
    capture.open(0x41, peer: charlieAddress)
    let event = (alpha, capture.now, [(alpha, true), (bravo, false), (charlie, false)])
    capture.write(document(alpha, 3, emergency: event), on: 0x41)
    let acked = (alpha, event.1, [(alpha, true), (bravo, false), (charlie, true)])
    capture.notify(document(charlie, 2, emergency: acked, naming: [alpha]), on: 0x41)
    capture.wait(10)
    capture.write(document(alpha, 4), on: 0x41)
    capture.wait(2)
    capture.open(0x42, peer: bravoAddress)
    capture.notify(document(bravo, 3, naming: [alpha]), on: 0x42)
    capture.wait(4)
    capture.write(document(alpha, 5), on: 0x41)
  }

  @Test("a node whose link was down while it lasted was not reached, from when to when and why")
  func linkDown() throws {
    let records = try emergencies(Self.away)
    let bravo = try node(try #require(records.first), Self.bravo)
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["why"].string == "link_down")
    #expect(bravo["reason"].string == "connection_timeout")
    #expect(!bravo["from"].isNull)
    #expect(bravo["frames"].array?.isEmpty == false)
    #expect(bravo["text"].string?.contains("out of reach") == true)
    let found = try findings(Self.away)
    #expect(found.isSuperset(of: ["emergency-not-seen", "emergency-link-down"]))
  }

  @Test("a refused write did not reach the node, and the error is named")
  func refused() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Self.document(Self.bravo, 2))
      let event = (Self.alpha, capture.now, [(Self.alpha, true), (Self.bravo, false)])
      let value = Self.document(Self.alpha, 2, emergency: event, naming: [Self.bravo])
      capture.att([0x12, 0x12, 0] + value, from: .host)
      // Error Response: Write Request, handle 0x12, insufficient authentication.
      capture.att([0x01, 0x12, 0x12, 0, 0x05], from: .peer)
      capture.wait(1)
      capture.notify(Self.document(Self.bravo, 3))
    }
    let record = try #require(records.first)
    let bravo = try node(record, Self.bravo)
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["why"].string == "refused")
    #expect(bravo["text"].string?.contains("ATT error 5") == true)
  }

  @Test("a write without an answer may be lost, and is said to be unanswered")
  func unanswered() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Self.document(Self.bravo, 2))
      let event = (Self.alpha, capture.now, [(Self.alpha, true), (Self.bravo, false)])
      let value = Self.document(Self.alpha, 2, emergency: event, naming: [Self.bravo])
      capture.att([0x12, 0x12, 0] + value, from: .host)
      capture.wait(1)
      capture.disconnect()
    }
    let bravo = try node(try #require(records.first), Self.bravo)
    #expect(bravo["why"].string == "no_response")
  }

  @Test("a document whose version looks like a marker is misread, which is why it is not carried")
  func collision() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Self.document(Self.bravo, 2))
      let event = (Self.alpha, capture.now, [(Self.alpha, true), (Self.bravo, false)])
      // AE: receivers take it for an encrypted frame (protocol.md 2.9).
      capture.write(Self.document(Self.alpha, 0xAE, emergency: event, naming: [Self.bravo]))
      capture.wait(1)
      capture.notify(Self.document(Self.bravo, 3))
      capture.wait(1)
      capture.notify(Self.document(Self.bravo, 4))
    }
    let bravo = try node(try #require(records.first), Self.bravo)
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["why"].string == "version_collision")
    #expect(bravo["text"].string?.contains("Rust tries to decrypt it and drops it") == true)
  }

  @Test("a node that was told and is not heard again cannot be judged")
  func nothingAfter() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Self.document(Self.bravo, 2))
      let event = (Self.alpha, capture.now, [(Self.alpha, true), (Self.bravo, false)])
      capture.write(Self.document(Self.alpha, 2, emergency: event, naming: [Self.bravo]))
    }
    let bravo = try node(try #require(records.first), Self.bravo)
    #expect(bravo["outcome"].string == "unknown")
    #expect(bravo["why"].string == "nothing_after")
  }

  @Test("an emergency stamped with an uptime is dropped by every receiver, and said so")
  func uptime() throws {
    let records = try emergencies { capture in
      capture.open()
      let event = (Self.alpha, UInt64(60_000), [(Self.alpha, true), (Self.bravo, false)])
      capture.write(Self.document(Self.alpha, 2, emergency: event, naming: [Self.bravo]))
      capture.notify(Self.document(Self.bravo, 2))
    }
    let record = try #require(records.first)
    #expect(record["verdict"].string?.contains("every receiver drops it") == true)
    #expect(try node(record, Self.bravo)["why"].string == "clock")
  }

  @Test("short lives of one link, and a link that only one end uses, are findings")
  func links() throws {
    let flapping = try findings { capture in
      for _ in 0..<4 {
        capture.open()
        capture.notify(Self.document(Self.bravo, 2))
        capture.wait(2)
        capture.disconnect()
        capture.wait(1)
      }
    }
    #expect(flapping.contains("link-flapping"))
    let oneWay = try findings { capture in
      capture.open()
      for version in 2..<10 {
        capture.write(Self.document(Self.alpha, UInt32(version)))
        capture.wait(5)
      }
    }
    #expect(oneWay.contains("one-way-link"))
    #expect(!flapping.contains("one-way-link") && !oneWay.contains("link-flapping"))
  }

  @Test("check names who did not acknowledge first, and nothing else as an error")
  func phone() throws {
    let path = TestData.captures.appendingPathComponent("k-phone.btsnoop_hci.log").path
    let records = try CommandRun(["check", "-q", "-f", "ndjson", path]).records()
    let errors = records.filter { $0["severity"].string == "error" }
    #expect(Set(errors.compactMap { $0["code"].string }) == ["emergency-not-acked"])
    #expect(Set(errors.compactMap { $0["node"].string }) == ["0804B7EC", "0804B82A"])
    #expect(records.prefix(2).allSatisfy { $0["code"].string == "emergency-not-acked" })
    let only = try CommandRun(["check", "-q", "--only", "old-document", path])
    #expect(only.text.hasPrefix("no findings: 80 messages of 4 nodes, 6 links, 1 emergency"))
  }

  @Test("captures in which nothing was lost have no error")
  func healthy() throws {
    for capture in try TruthCapture.all()
    where ["a", "b", "d"].contains(capture.session.prefix(1)) {
      let records = try CommandRun(["check", "-q", "-f", "ndjson", capture.path]).records()
      #expect(!records.contains { $0["severity"].string == "error" }, "\(capture.file)")
    }
  }

  @Test("connections are rows of their own with --events, valid by the schema")
  func events() throws {
    let schema = try SchemaValidator(
      contentsOf: TestData.testsFolder.deletingLastPathComponent()
        .appendingPathComponent("docs/record.schema.json"))
    let path = TestData.captures.appendingPathComponent("e-churn.h4.btsnoop").path
    let records = try CommandRun(["-q", "--events", "-f", "ndjson", path]).records()
    let events = records.filter { $0["kind"].string == "event" }
    for record in records { #expect(schema.faults(record).isEmpty, "\(schema.faults(record))") }
    // The truth lists six connections, all of which open and close in the capture.
    #expect(events.count { $0["event"].string == "connected" } == 6)
    #expect(events.count { $0["event"].string == "disconnected" } == 6)
    #expect(
      events.allSatisfy { $0["event"].string != "disconnected" || $0["reason"].string != nil })
    #expect(events.count { $0["event"].string == "mtu" && $0["mtu"].int == 247 } == 6)
    let frames = records.compactMap { $0["frame"].int }
    #expect(frames == frames.sorted())
    let plain = try CommandRun(["-q", "-f", "ndjson", path]).records()
    #expect(plain.count == records.count - events.count)
  }
}
