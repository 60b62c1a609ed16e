import Foundation
import PeatTestSupport
import Testing

/// Captures of firmware upgrades against what was sent, by the command's own records: those of
/// `Neighbours/README.md`, and those of an encoder of their own (`Scripts/make_upgrades.py`).
struct UpgradeTruthTests {
  private static func path(_ name: String) -> String {
    TestData.testsFolder.appendingPathComponent(name).path
  }

  private static func json(_ name: String) throws -> JSON {
    try JSON(parsing: Data(contentsOf: TestData.testsFolder.appendingPathComponent(name)))
  }

  private static func rows(_ arguments: [String]) throws -> [JSON] {
    try CommandRun(["-q", "-f", "ndjson"] + arguments).records()
      .filter { $0["kind"].string == "smp" }
  }

  private static func upgrades(_ arguments: [String]) throws -> [JSON] {
    try CommandRun(["upgrades", "-q", "-f", "ndjson"] + arguments).records()
  }

  private static let made = [
    "confirm_only", "test_only", "reverted", "upload_only", "test_not_seen_again", "resumed",
    "rewinds", "two_boards", "interleaved", "slow", "mismatch", "refusals", "carriers",
    "two_images", "no_discovery", "unanswered", "back_again",
  ]

  private static func capture(_ name: String) -> String {
    path("UpgradeCaptures/\(name).btsnoop")
  }

  private func compare(_ records: [JSON], _ truth: [JSON]) {
    #expect(records.count == truth.count)
    for (record, wanted) in zip(records, truth) {
      for name in ["op", "version", "group", "command", "sequence", "body"] {
        #expect(record["smp"][name] == wanted[name], "\(name) of frame \(record["frame"])")
      }
      #expect(record["att"]["frames"] == wanted["frames"])
      #expect(record["direction"] == wanted["direction"])
    }
  }

  @Test(arguments: ["smp-test-confirm", "smp-errors"])
  func `every message of the truth is a row, and no other`(name: String) throws {
    let truth = try Self.json("Neighbours/\(name).truth.json")
    compare(
      try Self.rows([Self.path("Neighbours/\(name).h4.btsnoop")]),
      try #require(truth["messages"].array))
  }

  @Test(arguments: made)
  func `every message of the encoder is a row, and no other`(name: String) throws {
    let expected = try Self.json("UpgradeCaptures/expect.json")[name]
    compare(
      try Self.rows([Self.capture(name)]), try #require(expected["messages"].array))
  }

  @Test(arguments: made)
  func `each upgrade is told as it went`(name: String) throws {
    let expected = try Self.json("UpgradeCaptures/expect.json")[name]
    let wanted = try #require(expected["upgrades"].array)
    let found = try Self.upgrades([Self.capture(name)])
    #expect(found.count == wanted.count)
    for (upgrade, truth) in zip(found, wanted) {
      for key in ["device", "mode", "outcome"] { #expect(upgrade[key] == truth[key], "\(key)") }
      if truth["confirmed"].bool != nil { #expect(upgrade["confirmed"] == truth["confirmed"]) }
      if !truth["mtu"].isNull { #expect(upgrade["mtu"] == truth["mtu"]) }
      let upload = upgrade["images"].array?.first?["upload"] ?? .null
      for key in ["acknowledged", "complete", "resumes"] where !truth[key].isNull {
        #expect(upload[key] == truth[key], "\(key)")
      }
      if !truth["version"].isNull {
        #expect(upgrade["images"].array?.first?["version"] == truth["version"])
      }
      if let links = truth["links"].int { #expect(upgrade["links"].array?.count == links) }
      if let images = truth["images"].int { #expect(upgrade["images"].array?.count == images) }
    }
    let codes = Set(wanted.flatMap { $0["codes"].array ?? [] }.compactMap(\.string))
    let check = try CommandRun(["check", "-q", "-f", "ndjson", Self.capture(name)]).records()
    #expect(codes.isSubset(of: check.compactMap { $0["code"].string }))
    // Nothing is found where nothing was wrong.
    if codes.isEmpty, !["refusals"].contains(name) {
      #expect(!check.contains { $0["code"].string?.hasPrefix("smp-") ?? false })
    }
  }

  @Test func `the upgrade of the truth is confirmed, and what was refused is told`() throws {
    let good = try Self.upgrades([Self.path("Neighbours/smp-test-confirm.h4.btsnoop")])
    let truth = try Self.json("Neighbours/smp-test-confirm.truth.json")
    #expect(good.count == 1)
    let upgrade = try #require(good.first)
    #expect(upgrade["mode"] == truth["mode"] && upgrade["outcome"] == truth["outcome"])
    let upload = upgrade["images"].array?.first?["upload"] ?? .null
    #expect(upload["length"] == truth["image_bytes"] && upload["sha"] == truth["image_sha256"])
    let bad = try Self.upgrades([Self.path("Neighbours/smp-errors.h4.btsnoop")])
    #expect(bad.first?["outcome"].string == "refused" && bad.first?["unanswered"].int == 1)
    // Version 2 image code 28; version 1 codes 3 and 10 (smp.md, 5).
    let why = bad.first?["refusals"].array?.map {
      "\($0["of"].string ?? ""): \($0["why"].string ?? "")"
    }
    #expect(
      why == [
        "reset: busy (code 10), \"busy\"", "test: invalid value (code 3)",
        "upload: an image is pending already (image code 28)",
      ])
  }

  @Test func `damaged bodies are rows with a finding, and what follows is read on`() throws {
    let rows = try Self.rows([Self.capture("damaged")])
    let codes = rows.map { $0["findings"].array?.compactMap { $0["code"].string } ?? [] }
    // Two messages, seven damaged bodies, of which two have maps that can be read; then two more.
    #expect(rows.count == 13)
    #expect(codes[2..<9].allSatisfy { $0.contains("smp-bad-cbor") })
    #expect(codes[9].contains("smp-cut"))
    #expect(rows.count { $0["smp"]["body"].isNull } == 5)
    let end = try CommandRun(["check", "-q", "-f", "ndjson", Self.capture("damaged")]).records()
    // The message that never became whole, and the value that is of none.
    #expect(end.first { $0["code"].string == "smp-cut" }?["count"].int == 2)
  }

  @Test func `two captures of one upgrade count once, and parts of one go on`() throws {
    let whole = Self.capture("resumed")
    #expect(try Self.upgrades([whole, whole]).count == 1)
    let both = try Self.upgrades([
      Self.capture("test_not_seen_again"), Self.capture("back_again"),
    ])
    #expect(both.map { $0["mode"].string } == ["testAndConfirm"])
    #expect(both.map { $0["outcome"].string } == ["confirmed"])
  }

  @Test func `a capture that ends anywhere is told up to there`() throws {
    let bytes = [UInt8](
      try Data(
        contentsOf: TestData.testsFolder.appendingPathComponent("UpgradeCaptures/resumed.btsnoop")))
    let folder = try ScratchFolder()
    let whole = try Self.rows([Self.capture("resumed")]).count
    for length in stride(from: 200, to: bytes.count, by: 1777) {
      let file = try folder.write(Array(bytes[..<length]), "cut.btsnoop")
      let rows = try Self.rows([file])
      #expect(rows.count <= whole)
      #expect(try Self.upgrades([file]).count <= 1)
    }
  }

  @Test func `messages are chosen by filters and by time`() throws {
    let file = Self.path("Neighbours/smp-test-confirm.h4.btsnoop")
    let truth = try #require(
      try Self.json("Neighbours/smp-test-confirm.truth.json")["messages"].array)
    func count(_ filter: String) throws -> Int { try Self.rows(["--filter", filter, file]).count }
    #expect(try count("smp.group == 1") == truth.count { $0["group"].int == 1 })
    #expect(
      try count("smp.op == write_response") == truth.count { $0["op"].string == "write_response" })
    #expect(try count("smp.sequence > 250") == truth.count { ($0["sequence"].int ?? 0) > 250 })
    #expect(try count("kind == smp") == truth.count)
    #expect(try count("kind == document") == 0)
    #expect(
      try Self.rows(["--filter", "smp.rc > 0", Self.path("Neighbours/smp-errors.h4.btsnoop")]).count
        == 4)
    // The reset is at 0.525 s, the list behind it at 12.762 s.
    let late = try Self.rows(["--from", "2026-12-03T00:00:05Z", file])
    #expect(late.count == 4)
    #expect(try Self.rows(["--to", "2026-12-03T00:00:05Z", file]).count == truth.count - 4)
  }

  @Test func `a stray value is never taken for a firmware upgrade`() throws {
    for name in ["l-mesh.h4.btsnoop", "i-malformed.h4.btsnoop"] {
      #expect(try Self.rows([Self.path("Captures/\(name)")]).isEmpty)
      #expect(try Self.upgrades([Self.path("Captures/\(name)")]).isEmpty)
    }
  }
}
