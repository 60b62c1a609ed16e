import Foundation
import PeatTestSupport
import Testing

/// Records of whole captures, against what the applications wrote down.
struct InspectTruthTests {
  @Test("the decoded documents of the meshes equal the truth's decoding")
  func meshDocuments() throws {
    for capture in try TruthCapture.all()
    where capture.isHCI && (capture.session == "l-mesh" || capture.session == "m-mesh-three") {
      let records = try CommandRun(["-f", "ndjson", capture.path]).records()
      #expect(records.count == capture.documents.count, "\(capture.file)")
      for (record, document) in zip(records, capture.documents) {
        compare(record, document.whole["summary"], capture.file)
      }
    }
  }

  @Test("plain documents whose version looks like a marker are read as plain")
  func collisions() throws {
    for capture in try TruthCapture.all() where capture.isHCI {
      let colliding = capture.documents.filter {
        let mark = $0.whole["first_byte_collides"]
        return !mark.isNull && mark.bool != false
      }
      guard !colliding.isEmpty else { continue }
      let records = try CommandRun(["-f", "ndjson", capture.path]).records()
      let plain = records.filter { $0["kind"].string == "document" }
      let payloads = Set(plain.compactMap { $0["payload"].string })
      for document in colliding {
        #expect(payloads.contains(hex(document.payload)), "\(capture.file)")
      }
    }
  }

  @Test("the CSV has a row for each message and opens in Python's csv module")
  func csvOpensInPython() throws {
    let capture = TestData.captures.appendingPathComponent("k-phone.btsnoop_hci.log").path
    let csv = try CommandRun(["-f", "csv", capture])
    let messages = try CommandRun(["-f", "ndjson", capture]).lines.count
    let python = try #require(
      ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [
      "-c",
      "import csv,sys; r=list(csv.reader(sys.stdin)); print(len(r)-1, len(set(map(len,r))))",
    ]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data(csv.output))
    try input.fileHandleForWriting.close()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: answer, as: UTF8.self) == "\(messages) 1\n")
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  private func compare(_ record: JSON, _ summary: JSON, _ name: String) {
    let document = record["document"]
    #expect(document["version"].int == summary["version"].int, "\(name)")
    #expect(document["node"].string == summary["node"].string, "\(name)")
    #expect(document["total"].int == summary["total"].int, "\(name)")
    if let counter = summary["counter"].object {
      #expect(
        (document["counter"].object ?? [:]).mapValues(\.int) == counter.mapValues(\.int),
        "\(name)")
    }
    let told = summary["peripheral"]
    let shown = document["peripheral"]
    if told.object != nil {
      for key in ["id", "type", "callsign"] where !told[key].isNull {
        #expect(shown[key].string == told[key].string, "\(name) \(key)")
      }
      if let battery = told["battery"].int {
        #expect(shown["health"]["battery"].int == battery, "\(name)")
      }
      if let time = told["timestamp_ms"].int { #expect(shown["time"].int == time, "\(name)") }
      if told["location"].object != nil {
        let latitude = told["location"]["lat"].double.map { Float($0) }
        #expect(shown["location"]["latitude"].double.map { Float($0) } == latitude, "\(name)")
      }
    }
    let emergency = summary["emergency"]
    #expect(emergency.object == nil || document["emergency"].object != nil, "\(name)")
    if emergency.object != nil {
      #expect(
        document["emergency"]["source"].string == emergency["source"].string, "\(name)")
    }
  }
}
