import Foundation
import PeatTestSupport
import Testing

@Suite(.enabled(if: PythonScript.isAvailable, "needs python3")) struct LimitsPageTests {
  @Test("docs/limits.md names every limit of the sources, with its value")
  func page() throws {
    let run = try PythonScript.output(of: "../scripts/limits", ["check"])
    #expect(run.status == 0, "\(String(decoding: run.data, as: UTF8.self))")
  }
}
