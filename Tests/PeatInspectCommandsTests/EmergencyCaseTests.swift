import PeatTestSupport
import Testing

/// Kinds of emergencies that no capture of a session holds, built packet by packet.
struct EmergencyCaseTests {
  private typealias Parts = EmergencyParts

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
    let name = Parts.id(id)
    return try #require(record["nodes"].array?.first { $0["node"].string == name }, "\(name)")
  }

  @Test("a later emergency does not hide an earlier one, and says that it took its place")
  func twoEmergencies() throws {
    let records = try emergencies { capture in
      capture.open()
      let first = (Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false)])
      capture.write(Parts.document(Parts.alpha, 2, emergency: first))
      capture.wait(1)
      capture.notify(Parts.document(Parts.bravo, 2, emergency: first, naming: [Parts.alpha]))
      capture.wait(5)
      let second = (Parts.bravo, capture.now, [(Parts.alpha, false), (Parts.bravo, true)])
      capture.notify(Parts.document(Parts.bravo, 3, emergency: second, naming: [Parts.alpha]))
      capture.wait(1)
      let acked = (Parts.bravo, second.1, [(Parts.alpha, true), (Parts.bravo, true)])
      capture.write(Parts.document(Parts.alpha, 3, emergency: acked))
    }
    try #require(records.count == 2)
    #expect(records.map { $0["source"].string } == ["0A000001", "0A000002"])
    #expect(records[0]["superseded_by"].string == "0A000002")
    let bravo = try node(records[0], Parts.bravo)
    #expect(bravo["outcome"].string == "carried")
    #expect(bravo["why"].string == "superseded")
    #expect(try node(records[1], Parts.alpha)["outcome"].string == "acked")
  }

  @Test("emergencies of two meshes stand apart, each with its own nodes")
  func twoMeshes() throws {
    let records = try emergencies { capture in
      capture.advertise(Parts.bravoAddress, Parts.announce("ALFA", Parts.bravo))
      capture.advertise(Parts.charlieAddress, Parts.announce("OTTO", Parts.charlie))
      capture.open(0x40, peer: Parts.bravoAddress)
      capture.open(0x41, peer: Parts.charlieAddress)
      let one = (Parts.bravo, capture.now, [(Parts.bravo, true)])
      capture.notify(Parts.document(Parts.bravo, 2, emergency: one), on: 0x40)
      capture.wait(1)
      let other = (Parts.charlie, capture.now, [(Parts.charlie, true), (Parts.delta, false)])
      capture.notify(Parts.document(Parts.charlie, 2, emergency: other), on: 0x41)
    }
    try #require(records.count == 2)
    #expect(records.map { $0["mesh"].string } == ["ALFA", "OTTO"])
    #expect(records[0]["nodes"].array?.compactMap { $0["node"].string } == ["0A000002"])
    #expect(
      records[1]["nodes"].array?.compactMap { $0["node"].string } == ["0B000003", "0B000004"])
    let delta = try node(records[1], Parts.delta)
    #expect(delta["outcome"].string == "unknown")
    #expect(delta["why"].string == "not_recorded")
    #expect(delta["text"].string?.contains("cannot be seen") == true)
  }

  /// A link that ends before the emergency and comes back once it is cleared.
  private static func away(_ capture: inout CaptureBuilder) {
    capture.open()
    capture.write(Parts.document(Parts.alpha, 2))
    capture.notify(Parts.document(Parts.bravo, 2, naming: [Parts.alpha]))
    capture.wait(2)
    // Disconnection Complete with connection timeout.
    capture.packet([0x04, 0x05, 4, 0, 0x40, 0, 0x08], from: .peer, isControl: true)
    capture.wait(2)
    capture.open(0x41, peer: Parts.charlieAddress)
    let event = (
      Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false), (Parts.charlie, false)]
    )
    capture.write(Parts.document(Parts.alpha, 3, emergency: event), on: 0x41)
    let acked = (
      Parts.alpha, event.1, [(Parts.alpha, true), (Parts.bravo, false), (Parts.charlie, true)]
    )
    capture.notify(
      Parts.document(Parts.charlie, 2, emergency: acked, naming: [Parts.alpha]), on: 0x41)
    capture.wait(10)
    capture.write(Parts.document(Parts.alpha, 4), on: 0x41)
    capture.wait(2)
    capture.open(0x42, peer: Parts.bravoAddress)
    capture.notify(Parts.document(Parts.bravo, 3, naming: [Parts.alpha]), on: 0x42)
    capture.wait(4)
    capture.write(Parts.document(Parts.alpha, 5), on: 0x41)
  }

  @Test("a node whose link was down while it lasted was not reached, from when to when and why")
  func linkDown() throws {
    let records = try emergencies(Self.away)
    let bravo = try node(try #require(records.first), Parts.bravo)
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
      capture.notify(Parts.document(Parts.bravo, 2))
      let event = (Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false)])
      let value = Parts.document(Parts.alpha, 2, emergency: event, naming: [Parts.bravo])
      capture.att([0x12, 0x12, 0] + value, from: .host)
      // Error Response: Write Request, handle 0x12, insufficient authentication.
      capture.att([0x01, 0x12, 0x12, 0, 0x05], from: .peer)
      capture.wait(1)
      capture.notify(Parts.document(Parts.bravo, 3))
    }
    let record = try #require(records.first)
    let bravo = try node(record, Parts.bravo)
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["why"].string == "refused")
    #expect(bravo["text"].string?.contains("ATT error 5") == true)
  }

  @Test("a write without an answer may be lost, and is said to be unanswered")
  func unanswered() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Parts.document(Parts.bravo, 2))
      let event = (Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false)])
      let value = Parts.document(Parts.alpha, 2, emergency: event, naming: [Parts.bravo])
      capture.att([0x12, 0x12, 0] + value, from: .host)
      capture.wait(1)
      capture.disconnect()
    }
    let bravo = try node(try #require(records.first), Parts.bravo)
    #expect(bravo["why"].string == "no_response")
  }

  @Test("a document whose version looks like a marker is misread, which is why it is not carried")
  func collision() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Parts.document(Parts.bravo, 2))
      let event = (Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false)])
      // AE: receivers take it for an encrypted frame (protocol.md 2.9).
      capture.write(Parts.document(Parts.alpha, 0xAE, emergency: event, naming: [Parts.bravo]))
      capture.wait(1)
      capture.notify(Parts.document(Parts.bravo, 3))
      capture.wait(1)
      capture.notify(Parts.document(Parts.bravo, 4))
    }
    let bravo = try node(try #require(records.first), Parts.bravo)
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["why"].string == "version_collision")
    #expect(bravo["text"].string?.contains("Rust tries to decrypt it and drops it") == true)
  }

  @Test("a node that was told and is not heard again cannot be judged")
  func nothingAfter() throws {
    let records = try emergencies { capture in
      capture.open()
      capture.notify(Parts.document(Parts.bravo, 2))
      let event = (Parts.alpha, capture.now, [(Parts.alpha, true), (Parts.bravo, false)])
      capture.write(Parts.document(Parts.alpha, 2, emergency: event, naming: [Parts.bravo]))
    }
    let bravo = try node(try #require(records.first), Parts.bravo)
    #expect(bravo["outcome"].string == "unknown")
    #expect(bravo["why"].string == "nothing_after")
  }

  @Test("an emergency stamped with an uptime is dropped by every receiver, and said so")
  func uptime() throws {
    let records = try emergencies { capture in
      capture.open()
      let event = (Parts.alpha, UInt64(60_000), [(Parts.alpha, true), (Parts.bravo, false)])
      capture.write(Parts.document(Parts.alpha, 2, emergency: event, naming: [Parts.bravo]))
      capture.notify(Parts.document(Parts.bravo, 2))
    }
    let record = try #require(records.first)
    #expect(record["verdict"].string?.contains("every receiver drops it") == true)
    #expect(try node(record, Parts.bravo)["why"].string == "clock")
  }

  @Test("short lives of one link, and a link that only one end uses, are findings")
  func links() throws {
    let flapping = try findings { capture in
      for _ in 0..<4 {
        capture.open()
        capture.notify(Parts.document(Parts.bravo, 2))
        capture.wait(2)
        capture.disconnect()
        capture.wait(1)
      }
    }
    #expect(flapping.contains("link-flapping"))
    let oneWay = try findings { capture in
      capture.open()
      for version in 2..<10 {
        capture.write(Parts.document(Parts.alpha, UInt32(version)))
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
