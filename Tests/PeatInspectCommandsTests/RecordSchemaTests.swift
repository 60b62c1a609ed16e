import Foundation
import PeatTestSupport
import Testing

/// The schema that ships with the project, against every record of every capture.
struct RecordSchemaTests {
  @Test("every line of every capture is valid by the shipped schema")
  func everyLineIsValid() throws {
    let schema = try SchemaValidator(
      contentsOf: TestData.testsFolder.deletingLastPathComponent()
        .appendingPathComponent("docs/record.schema.json"))
    var lines = 0
    for folder in [TestData.captures, TestData.bugReports] {
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      for file in files where !file.hasSuffix(".json") && !file.hasSuffix(".md") {
        let path = folder.appendingPathComponent(file).path
        // The long meshes hold nothing but the kinds of the others.
        if file.hasPrefix("l-") || file.hasPrefix("m-") { continue }
        for record in try CommandRun(["-q", "-f", "ndjson", path]).records() {
          lines += 1
          let faults = schema.faults(record)
          #expect(faults.isEmpty, "\(file): \(faults.prefix(3))")
        }
      }
    }
    #expect(lines > 0)
  }
}
