import Foundation
import PeatTestSupport
import Testing

/// Every reason why a node has not acknowledged an emergency, in captures made for it, and that all
/// outputs tell the same of it.
struct EmergencyWhyTests {
  private typealias Parts = EmergencyParts

  /// A capture, what is to be told of one node of one of its emergencies, and with which evidence.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var node: UInt32
    var outcome: String
    var why: String
    /// A part of the sentence.
    var text: String
    var frames: [Int]
    var emergency: Int
    var build: @Sendable (inout CaptureBuilder) -> Void

    init(
      _ name: String, _ node: UInt32, _ outcome: String, _ why: String, _ text: String,
      frames: [Int], emergency: Int = 0, _ build: @escaping @Sendable (inout CaptureBuilder) -> Void
    ) {
      (self.name, self.node, self.outcome, self.why) = (name, node, outcome, why)
      (self.text, self.frames, self.emergency, self.build) = (text, frames, emergency, build)
    }

    var testDescription: String { name }
  }

  @Test("each reason is told, with its sentence and its packets, alike in every output")
  func reasons() throws {
    for item in EmergencyWhyTests.cases {
      let folder = try ScratchFolder()
      var capture = CaptureBuilder()
      item.build(&capture)
      let path = try folder.write(capture.bytes, "x.btsnoop")
      let records = try CommandRun(["emergencies", "-q", "-f", "ndjson", path]).records()
      try #require(records.count > item.emergency, "\(item.name)")
      let record = records[item.emergency]
      let id = Parts.id(item.node)
      let nodes = record["nodes"].array ?? []
      let node = try #require(nodes.first { $0["node"].string == id }, "\(item.name)")
      #expect(node["outcome"].string == item.outcome, "\(item.name)")
      #expect(node["why"].string == item.why, "\(item.name)")
      #expect(node["text"].string?.contains(item.text) == true, "\(item.name) \(node["text"])")
      #expect(node["frames"].array?.compactMap(\.int) == item.frames, "\(item.name)")
      try agree(records, path, folder, item.name)
    }
  }

  @Test("a node that never used the key of an encrypted emergency could not read it")
  func decryption() throws {
    // An application's encrypted document in which ALPHA-1 (270F108F) carries an emergency.
    let session = try #require(TruthCapture.all().first { $0.session == "j-wrapped" })
    let sealed = try #require(session.documents.first { $0.sequence == 4 }).payload
    let folder = try ScratchFolder()
    var capture = CaptureBuilder()
    capture.open()
    capture.notify(Parts.document(Parts.bravo, 2, naming: [0x270F_108F]))
    capture.write(sealed)
    capture.wait(1)
    capture.notify(Parts.document(Parts.bravo, 3, naming: [0x270F_108F]))
    let path = try folder.write(capture.bytes, "x.btsnoop")
    let secret = "3b3801d84e1453a02e39606cbb1a8ee044e9fd60c45167fa17d4f6b2568d22dc"
    let arguments = ["emergencies", "-q", "-f", "ndjson", path]
    let keyed = try CommandRun(arguments + ["--mesh", "ALFA", "--secret", secret]).records()
    let nodes = try #require(keyed.first)["nodes"].array ?? []
    let bravo = try #require(nodes.first { $0["node"].string == Parts.id(Parts.bravo) })
    #expect(bravo["why"].string == "decrypt_failure")
    #expect(bravo["outcome"].string == "not_reached")
    #expect(bravo["frames"].array?.compactMap(\.int) == [11, 12])
    #expect(try CommandRun(arguments).records().isEmpty)
  }

  @Test("an emergency that is raised again once it was cleared is told apart")
  func raisedAgain() throws {
    let folder = try ScratchFolder()
    var capture = CaptureBuilder()
    let (alpha, bravo) = (Parts.alpha, Parts.bravo)
    capture.open()
    var times: [UInt64] = []
    for version: UInt32 in [2, 5] {
      times.append(capture.now)
      let raised = (alpha, capture.now, [(alpha, true), (bravo, false)])
      let acked = (alpha, raised.1, [(alpha, true), (bravo, true)])
      capture.write(Parts.document(alpha, version, emergency: raised, naming: [bravo]))
      capture.wait(1)
      capture.notify(Parts.document(bravo, version, emergency: acked))
      capture.wait(1)
      capture.write(Parts.document(alpha, version + 1, naming: [bravo]))
      capture.notify(Parts.document(bravo, version + 1))
      capture.wait(5)
    }
    let path = try folder.write(capture.bytes, "x.btsnoop")
    let records = try CommandRun(["emergencies", "-q", "-f", "ndjson", path]).records()
    #expect(records.compactMap { $0["stamp"].uint64 } == times)
    for record in records {
      #expect(record["verdict"].string?.hasPrefix("acked by all 2 after 1.0 s") == true)
      #expect(
        record["cleared"].array?.compactMap { $0["node"].string } == ["0A000001", "0A000002"])
      #expect(record["superseded_by"].isNull)
    }
    try agree(records, path, folder, "raised again")
  }

  @Test("no reason is left without a case")
  func complete() throws {
    let help = try CommandRun(["emergencies", "--help"]).text
    let told = EmergencyWhyTests.cases.map(\.why) + ["decrypt_failure"]
    let list = help.split(separator: "as \"why\" in the records:").last ?? ""
    let codes = list.split(separator: "\n").compactMap { line -> String? in
      guard let end = line.firstIndex(of: ":") else { return nil }
      let word = line[..<end]
      return word.allSatisfy { $0.isLowercase || $0 == "_" } ? String(word) : nil
    }
    #expect(codes.count > 15)
    for code in codes { #expect(told.contains(code), "\(code)") }
  }

  /// CSV, database, page, ticket and text tell what the records do.
  private func agree(
    _ records: [JSON], _ path: String, _ folder: ScratchFolder, _ name: String
  ) throws {
    let rows = records.flatMap { $0["nodes"].array ?? [] }
    let table = try CommandRun(["emergencies", "-q", "-f", "csv", path]).text
    let lines = table.split(separator: "\n").dropFirst()
    #expect(lines.count == rows.count, "\(name)")
    for (line, row) in zip(lines, rows) {
      #expect(line.contains("0x\(row["node"].string ?? "?"),"), "\(name)")
      #expect(line.contains(",\(row["outcome"].string ?? "?"),"), "\(name)")
      if let why = row["why"].string { #expect(line.contains(",\(why),"), "\(name)") }
      let frames = (row["frames"].array ?? []).compactMap(\.int).map { "\($0)" }
      #expect(line.contains(",\(frames.joined(separator: ";")),"), "\(name)")
    }
    // Lines that are broken go on with two blanks.
    let text = try CommandRun(["emergencies", "-q", path]).text
      .replacingOccurrences(of: "\n  ", with: " ")
    let ticket = try CommandRun(["emergencies", "-q", "-f", "markdown", path]).text
    for record in records {
      let verdict = try #require(record["verdict"].string)
      // Records have whole dates, and ids behind callsigns.
      let count = verdict.prefix { $0 != ";" }
      #expect(text.contains(count) && ticket.contains(count), "\(name): \(verdict)")
    }
    // Of those whom only counters name, text lists the first few.
    for row in rows where row["why"].string != "not_recorded" {
      let id = try #require(row["node"].string)
      let outcome = ["carried": "CARRIED ONLY", "not_reached": "NOT REACHED"]
      if let word = outcome[row["outcome"].string ?? ""], row["hearsay"].isNull {
        #expect(text.contains(word), "\(name)")
      }
      #expect(text.contains(id) && ticket.contains(id), "\(name): \(id)")
    }
    try database(path, folder, name)
    try page(records, path, name)
  }

  private func database(_ path: String, _ folder: ScratchFolder, _ name: String) throws {
    guard PythonScript.isAvailable else { return }
    let files = ["x.db", "x.csv", "f.ndjson", "e.ndjson"].map { folder.path($0) }
    _ = try CommandRun(["-q", "-f", "sqlite", "-o", files[0], path])
    _ = try CommandRun(["-q", "-f", "csv", "-o", files[1], path])
    _ = try CommandRun(["check", "-q", "-v", "-f", "ndjson", "-o", files[2], path])
    _ = try CommandRun(["emergencies", "-q", "-f", "ndjson", "-o", files[3], path])
    let found = try PythonScript.run("database.py", files)
    #expect(found["problems"].array?.isEmpty == true, "\(name): \(found["problems"])")
  }

  private func page(_ records: [JSON], _ path: String, _ name: String) throws {
    let page = try CommandRun(["-q", "-f", "html", path]).text
    let begin = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
    let data = try JSON(parsing: Data(page[begin.upperBound..<end.lowerBound].utf8))
    let shown = data["emergencies"].array ?? []
    #expect(shown.count == records.count, "\(name)")
    for (shown, record) in zip(shown, records) {
      for (one, other) in zip(shown["nodes"].array ?? [], record["nodes"].array ?? []) {
        #expect(one["why"] == other["why"], "\(name)")
        if !other["why"].isNull { #expect(one["frames"] == other["frames"], "\(name)") }
      }
    }
  }
}
