import PeatTestSupport
import Testing

@Suite struct CommandRunTests {
  @Test func `the version goes to standard output`() throws {
    let run = try CommandRun(["--version"])
    #expect(run.status == 0)
    #expect(run.text.hasPrefix("peat-inspect "))
    #expect(run.standardError.isEmpty)
  }

  @Test func `an unknown option is status 2 with one line on standard error`() throws {
    let run = try CommandRun(["--fromat", "csv"])
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.standardError.split(separator: "\n").count == 1)
    #expect(run.standardError.contains("--format"))
  }

  @Test func `a tool that does not read its input is no failure of the run`() throws {
    let run = try CommandRun(
      ["--version"], input: .pipe([UInt8](repeating: 0x0A, count: 1 << 20)))
    #expect(run.status == 0)
  }
}
