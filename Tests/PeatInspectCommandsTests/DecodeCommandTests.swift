import Foundation
import PeatTestSupport
import Testing

@Suite struct DecodeCommandTests {
  /// A document of node 207F0E0F without anything in it (cli.md, the first example record).
  private let document = "020000000f0e7f2000000000"

  @Test func `a document gives the message of its record behind the schema`() throws {
    let run = try CommandRun(["decode", document])
    #expect(
      run.text
        == #"{"schema":1,"kind":"document","node":"207F0E0F","document":{"version":2,"#
        + #""node":"207F0E0F","codec":"rust","counter":{},"total":0,"dropped":[]},"findings":[]}"#
        + "\n")
    #expect(run.status == 0)
    #expect(run.standardError.isEmpty)
  }

  @Test func `blank lines are passed over, and blanks around digits too`() throws {
    let input = "\n\(document)\r\n  \t\n  \(document.uppercased())\n\n\(document)"
    let run = try CommandRun(["decode"], input: .pipe(Array(input.utf8)))
    #expect(run.lines.count == 3)
    #expect(Set(run.lines).count == 1)
    #expect(run.status == 0)
  }

  @Test(arguments: [
    "02:00:00:00:0f:0e:7f:20:00:00:00:00", "02 00 00 00 0F 0E 7F 20 00 00 00 00",
    "02-00-00-00-0f-0e-7f-20-00-00-00-00", "0x020000000f0e7f2000000000",
    "02000000 0f0e7f20 00000000", "0x02, 0x00, 0x00, 0x00, 0x0f, 0x0e, 0x7f, 0x20, 0,0,0,0",
    "{0x2,0x0,0x0,0x0,0xf,0xe,0x7f,0x20,0x0,0x0,0x0,0x0}",
    "const uint8_t f[12] = { 0x02,0x00,0x00,0x00,\n 0x0f,0x0e,0x7f,0x20,0x00,0x00,0x00,0x00, };",
    #""\x02\x00\x00\x00\x0f\x0e\x7f\x20\x00\x00\x00\x00""#,
    "\"\\x02\\x00\\x00\\x00\\x0f\\x0e\" \\\n\"\\x7f\\x20\\x00\\x00\\x00\\x00\"",
  ])
  func `bytes are read as other tools write them`(spelling: String) throws {
    let run = try CommandRun(["decode", "-f", "ndjson", spelling])
    let isList = spelling.contains("0,0,0,0")
    // A bare digit is no byte: only a prefix lets a leading zero be left out.
    #expect(run.status == (isList ? 4 : 0))
    if !isList { #expect(try run.records().first?["node"].string == "207F0E0F") }
  }

  @Test func `what stands between digits is not passed over`() throws {
    for text in ["0 2000000", "02,z", "0x", "\\x2", "02..00", "0x020"] {
      let run = try CommandRun(["decode", "-f", "ndjson", text])
      #expect(run.status == 4, "\(text)")
      #expect(try run.records().map { $0["kind"].string } == ["malformed"], "\(text)")
    }
  }

  @Test func `a line that is not hexadecimal is malformed, and the others are decoded`() throws {
    let input = "\(document)\n02zz\n0\n\(document)\n"
    let run = try CommandRun(["decode"], input: .pipe(Array(input.utf8)))
    let records = try run.records()
    #expect(
      records.map { $0["kind"].string } == ["document", "malformed", "malformed", "document"])
    #expect(records[1]["offset"].int == 2)
    #expect(records[1]["reason"].string?.contains("'z'") == true)
    #expect(records[2]["offset"].int == 1)
    #expect(run.status == 4)
    #expect(run.standardError.contains("line 2"))
  }

  @Test func `many lines come back in their order, whoever decodes them`() throws {
    // Each document's version is its line's number, little endian; every 100th line is none.
    let input = (1...3000).map { number in
      if number % 100 == 0 { return "line \(number)" }
      let digits = String(UInt32(number).byteSwapped, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits + "0f0e7f2000000000"
    }
    let run = try CommandRun(["decode"], input: .pipe(Array(input.joined(separator: "\n").utf8)))
    let records = try run.records()
    #expect(records.count == 3000)
    for (index, record) in records.enumerated() {
      let number = index + 1
      if number % 100 == 0 {
        #expect(record["kind"].string == "malformed")
        // Of many alike only the first are told.
        if number <= 500 { #expect(run.standardError.contains("-: line \(number): ")) }
      } else {
        #expect(record["document"]["version"].int == number)
      }
    }
    #expect(run.status == 4)
  }

  @Test func `a malformed message leaves the status at 0`() throws {
    let run = try CommandRun(["decode", "2b0000008d470c16ffffffff"])
    let record = try #require(try run.records().first)
    #expect(record["reason"].string == "counter claims 4294967295 entries, at most 256")
    #expect(record["offset"].int == 8)
    #expect(run.status == 0)
  }

  @Test func `receivers come behind the message and before the findings`() throws {
    let run = try CommandRun(["decode", "b2"])
    let text = run.text
    let places = ["\"kind\"", "\"reason\"", "\"receivers\"", "\"findings\""].map {
      text.range(of: $0)?.lowerBound
    }
    #expect(!places.contains(nil))
    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
  }

  @Test func `--as reads the bytes as a kind whatever their first byte says`() throws {
    let run = try CommandRun(["decode", "--as", "node_info", "123456780100000155"])
    let record = try #require(try run.records().first)
    #expect(record["kind"].string == "node_info")
    #expect(record["node_info"]["node"].string == "12345678")
    let forced = try CommandRun(["decode", "--as", "relay", document]).records()
    #expect(forced.first?["kind"].string == "malformed")
  }

  @Test func `a mesh secret opens what session j encrypted`() throws {
    let truth = try JSON(
      parsing: Data(contentsOf: TestData.captures.appendingPathComponent("j-wrapped.truth.json")))
    let secrets = truth["secrets"]
    let documents = try #require(truth["documents"].array)
    let lines = documents.compactMap { $0["hex"].string }.joined(separator: "\n")
    let run = try CommandRun(
      [
        "decode", "--mesh", try #require(secrets["mesh"].string), "--secret",
        try #require(secrets["secret_hex"].string),
      ], input: .pipe(Array(lines.utf8)))
    let records = try run.records()
    #expect(records.count == documents.count)
    for (record, document) in zip(records, documents) {
      let inner = document["summary"]["inner"]
      guard document["summary"]["format"].string == "encrypted" else { continue }
      #expect(record["inner"]["node"].string == (inner["node"].string ?? inner["origin"].string))
      #expect(record["inner"]["document"]["version"].int == inner["version"].int)
    }
    #expect(run.standardError.contains("process list"))
  }

  @Test func `text is a dump with what a receiver drops below its field`() throws {
    // Activity 4 at offset 16 + 22 (protocol.md 2.4): the peripheral is dropped.
    let hex =
      "010000007856341200000000ab002300" + "7856347a" + "78563412" + "01"
      + "414c5048412d310000000000" + "62" + "04" + "00" + "4a" + "00" + "0000000000000000" + "00"
    let run = try CommandRun(["decode", "-f", "text", hex])
    let lines = run.lines
    let place = try #require(lines.firstIndex { $0.contains("activity") && $0.contains("04") })
    #expect(lines[place].hasPrefix("    38  04"))
    #expect(lines[place + 1].contains("peripheral dropped: activity 4 is above 3"))
    #expect(run.text.contains("\"ALPHA-1\""))
    #expect(run.text.contains("Rust drops peripheral"))
  }

  @Test func `control characters of a message do not reach the terminal`() throws {
    // An escape and a bell in the callsign.
    let hex =
      "010000007856341200000000ab002300" + "7856347a" + "78563412" + "01"
      + "1b5b33316d07000000000000" + "62" + "00" + "00" + "4a" + "00" + "0000000000000000" + "00"
    for format in ["text", "ndjson"] {
      let run = try CommandRun(["decode", "-f", format, hex])
      #expect(run.output.allSatisfy { $0 == 0x0A || $0 >= 0x20 })
    }
  }

  @Test func `a relay's content is dumped inside, with offsets of its own`() throws {
    let hex =
      "b100" + String(repeating: "00", count: 16) + "0107" + "78563412" + "0c000000" + document
    let lines = try CommandRun(["decode", "-f", "text", hex]).lines
    #expect(lines.contains { $0.hasPrefix("relay of 207F0E0F, 40 bytes") })
    #expect(lines.contains { $0.hasPrefix("    document of 207F0E0F, 12 bytes") })
    #expect(lines.contains { $0.hasPrefix("         0  02 00 00 00") })
  }

  @Test func `an answer comes before the next question`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandRun.binary)
    process.arguments = ["decode"]
    let questions = Pipe()
    let answers = Pipe()
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
    for _ in 0..<3 {
      try questions.fileHandleForWriting.write(contentsOf: Data("\(document)\n".utf8))
      var answer = Data()
      // Ends with the line: more is not sent before it is answered.
      while answer.last != 0x0A {
        let more = answers.fileHandleForReading.availableData
        if more.isEmpty { break }
        answer += more
      }
      #expect(answer.last == 0x0A)
    }
    try questions.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func `csv is no format of decode`() throws {
    #expect(try CommandRun(["decode", "-f", "csv", document]).status == 2)
  }
}
