import Foundation
import PeatTestSupport
import Testing

/// The captures rebuilt from public bug reports, against the facts in their `expect.md`.
struct BugReportTests {
  @Test("a first fragment may hold one byte of the L2CAP header, or none")
  func oneByteStart() throws {
    try compare("01-one-byte-start-fragment", ["capture.btsnoop"])
  }

  @Test("overrun, abandoned start and orphan continuation are told, and lose nothing else")
  func overrun() throws {
    try compare("02-fragment-overrun", ["capture.btsnoop"])
    let run = try CommandRun(["--utc", path("02-fragment-overrun", "capture.btsnoop")])
    let codes = run.standardError.split(separator: "\n").compactMap { line in
      line.split(separator: "[").last.map { String($0.dropLast()) }
    }
    #expect(codes == ["acl-overrun", "acl-abandoned-start", "acl-orphan-continuation"])
    #expect(run.status == 0)
  }

  @Test("connection handles have twelve bits, with and without type bytes")
  func twelveBits() throws {
    try compare("03-handle-above-255", ["capture.btsnoop", "capture.h1.btsnoop"])
  }

  @Test("broken advertising reports are counted and stop nothing")
  func brokenAdvertising() throws {
    try compare("04-ext-adv-truncated", ["capture.btsnoop"])
    let run = try CommandRun([path("04-ext-adv-truncated", "capture.btsnoop")])
    let malformed = run.standardError.split(separator: "\n").filter {
      $0.hasSuffix("[hci-malformed-event]")
    }
    let facts = try facts("04-ext-adv-truncated")
    #expect(malformed.count == facts["malformed_events"].int)
    #expect(run.status == 0)
  }

  @Test("several reports in one advertising event hide no document")
  func severalReports() throws {
    try compare("05-several-adv-reports", ["capture.btsnoop"])
  }

  @Test("boundary flag 00 is a start in both directions")
  func boundaryFlag() throws {
    try compare("06-pklg-pb-00", ["capture.pklg"])
  }

  @Test("interfaces of a pcapng file keep their own time and their own connections")
  func twoInterfaces() throws {
    try compare("08-pcapng-two-interfaces", ["capture.pcapng"])
    let run = try CommandRun([path("08-pcapng-two-interfaces", "short-idb.pcapng")])
    #expect(run.status == 3 || run.status == 4)
    #expect(run.standardError.contains("offset 28"))
  }

  // MARK: - Facts

  private func path(_ folder: String, _ file: String) -> String {
    TestData.bugReports.appendingPathComponent(folder).appendingPathComponent(file).path
  }

  /// The JSON block of a report's `expect.md`.
  private func facts(_ folder: String) throws -> JSON {
    let text = try String(
      contentsOf: TestData.bugReports.appendingPathComponent("\(folder)/expect.md"),
      encoding: .utf8)
    let block = text.components(separatedBy: "```json")[1].components(separatedBy: "```")[0]
    return try JSON(parsing: Data(block.utf8))
  }

  private func compare(_ folder: String, _ files: [String]) throws {
    let facts = try facts(folder)
    let expected = try #require(facts["documents"].array)
    for file in files {
      let run = try CommandRun(["-f", "ndjson", path(folder, file)])
      let records = try run.records()
      #expect(run.status == 0, "\(folder)/\(file)")
      #expect(records.count == expected.count, "\(folder)/\(file)")
      for (record, fact) in zip(records, expected) { compare(record, fact, "\(folder)/\(file)") }
      let last = try #require(records.last)
      #expect(last["effect"]["mesh_total"].int == facts["merged_total"].int)
    }
  }

  private func compare(_ record: JSON, _ fact: JSON, _ name: String) {
    #expect(record["time"].string.flatMap(microseconds) == fact["time_us"].int, "\(name)")
    #expect(record["link"]["connection"].int == number(fact["conn"]), "\(name)")
    #expect(record["att"]["handle"].int == number(fact["attr"]), "\(name)")
    let direction = fact["dir"].string == "tx" ? "sent" : "received"
    #expect(record["direction"].string == direction, "\(name)")
    let opcodes = [
      "notify": "notification", "write_cmd": "write_command", "write_req": "write_request",
    ]
    #expect(record["att"]["opcode"].string == fact["op"].string.flatMap { opcodes[$0] })
    let document = record["document"]
    #expect(document["version"].int == fact["version"].int, "\(name)")
    #expect(document["node"].string.map { "0x" + $0 } == fact["node"].string, "\(name)")
    #expect(document["total"].int == fact["total"].int, "\(name)")
    let counter = fact["counter"].object ?? [:]
    let shown = document["counter"].object ?? [:]
    #expect(
      shown.mapValues(\.int)
        == Dictionary(uniqueKeysWithValues: counter.map { (String($0.dropFirst(2)), $1.int) }))
    if let adapter = fact["interface"].int {
      #expect(record["link"]["adapter"].int == adapter, "\(name)")
    }
  }

  private func number(_ hex: JSON) -> Int? {
    hex.string.flatMap { Int($0.dropFirst(2), radix: 16) }
  }

  /// Microseconds since 1970 of `2025-10-09T08:53:20.014200Z`.
  private func microseconds(_ text: String) -> Int? {
    let parts = text.dropLast().split(separator: ".")
    // Nine decimals where the interface counts nanoseconds.
    guard parts.count == 2, parts[1].count == 6 || parts[1].hasSuffix("000"),
      let fraction = Int(parts[1].prefix(6))
    else { return nil }
    let formatter = ISO8601DateFormatter()
    guard let date = formatter.date(from: parts[0] + "Z") else { return nil }
    return Int(date.timeIntervalSince1970) * 1_000_000 + fraction
  }
}
