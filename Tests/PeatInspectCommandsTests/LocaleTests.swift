import Foundation
import PeatTestSupport
import SystemIO
import Testing

/// Text in the characters of the user's locale.
struct LocaleTests {
  private static let sample = TestData.testsFolder.deletingLastPathComponent()
    .appendingPathComponent("samples/phone.log").path

  @Test(
    "under a C locale the text of every command is ASCII, line for line",
    arguments: [
      [sample], ["-v", sample], ["state", sample], ["check", sample], ["links", sample],
      ["stats", sample],
      ["emergencies", sample], ["convergence", sample],
      ["diff", sample, "--at", "20", "--at", "60"],
      ["decode", "-f", "text", "020000000f0e7f2000000000"], ["help"], ["help", "check"],
      ["--filter", "help"], ["/no/such/file→"],
    ])
  func ascii(_ arguments: [String]) throws {
    let plain = try CommandRun(arguments, environment: ["LC_ALL": "C.UTF-8"])
    for environment in [["LC_ALL": "C"], ["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "C.UTF-8"]] {
      let run = try CommandRun(arguments, environment: environment)
      #expect(run.status == plain.status)
      #expect(run.output.allSatisfy { $0 < 0x80 })
      #expect(run.standardError.utf8.allSatisfy { $0 < 0x80 })
      #expect(run.lines.count == plain.lines.count)
      #expect(run.lines.map(\.count) == plain.lines.map(\.count))
    }
  }

  @Test("records are the same under every locale", arguments: ["ndjson", "csv"])
  func records(format: String) throws {
    let arguments = ["-f", format, LocaleTests.sample]
    let plain = try CommandRun(arguments, environment: ["LC_ALL": "C.UTF-8"])
    #expect(try CommandRun(arguments, environment: ["LC_ALL": "C"]).output == plain.output)
  }

  @Test("the first locale variable that is set decides, and none says UTF-8")
  func variables() {
    func isAsked(_ values: [String: String]) -> Bool {
      ASCIISpelling.isAsked(by: Environment(values))
    }
    #expect(!isAsked([:]))
    #expect(isAsked(["LANG": "C"]))
    #expect(isAsked(["LANG": "de_DE.ISO-8859-1"]))
    #expect(!isAsked(["LANG": "de_DE.UTF-8"]))
    #expect(!isAsked(["LC_ALL": "en_US.utf8", "LANG": "C"]))
    #expect(isAsked(["LC_CTYPE": "POSIX", "LANG": "C.UTF-8"]))
  }

  @Test("what has no lookalike is a question mark, and joining marks go")
  func spelling() {
    let text = "A→B · é e\u{301} 漢"
    #expect(
      String(decoding: ASCIISpelling.spell(Array(text.utf8)[...]), as: UTF8.self) == "A>B * ? e ?")
    #expect(ASCIISpelling.spell([0x41, 0xFF][...]) == [0x41, 0x3F])
  }
}
