import Foundation
import PeatTestSupport
import Testing

/// GATT conversations whose truth was written from the Core Specification (Tests/Scenarios/README.md).
@Suite(.enabled(if: PythonScript.isAvailable, "needs python3")) struct ScenarioTests {
  @Test(
    "every conversation is told as the specification has it, and what is not shown is counted",
    arguments: [("gatt.jsonl", 87), ("more.jsonl", 31)])
  func conversations(file: String, least: Int) throws {
    let path = TestData.testsFolder.appendingPathComponent("Scenarios/\(file)").path
    let (_, data) = try PythonScript.output(
      of: "Scenarios/run.py", ["--tool", CommandRun.binary, "--default-output", "--json", path])
    let lines = data.split(separator: 0x0A)
    #expect(lines.count >= least, "\(file) holds fewer scenarios than it should")
    for line in lines {
      let scenario = try JSON(parsing: Data(line))
      let faults = scenario["faults"].array.map { $0.compactMap(\.string) } ?? ["no answer"]
      #expect(faults.isEmpty, "\(scenario["kind"].string ?? "")/\(scenario["name"].string ?? "")")
    }
  }
}
