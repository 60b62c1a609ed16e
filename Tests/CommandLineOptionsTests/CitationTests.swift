import Foundation
import PeatTestSupport
import Testing

/// What sources, tests and pages cite can be opened in a clone: the page, and the heading in it.
@Suite struct CitationTests {
  private static let root = TestData.testsFolder.deletingLastPathComponent()
    .resolvingSymlinksInPath()
  private static let pages = ["protocol.md", "formats.md", "cli.md", "records.md"]

  /// Everything that may cite a page, but for the pages' own text and the test data.
  private static func texts() throws -> [(path: String, text: String)] {
    var paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples/README.md"]
    for folder in ["Sources", "Tests", "man", "docs", "scripts"] {
      let found = try FileManager.default.subpathsOfDirectory(
        atPath: root.appendingPathComponent(folder).path)
      paths += found.filter { $0.hasSuffix(".swift") || folder == "man" }
        .map { "\(folder)/\($0)" }
    }
    return try paths.filter { !$0.hasSuffix("CitationTests.swift") }.map {
      ($0, try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8))
    }
  }

  /// The numbers of a page's headings, `## 4. CRDT semantics` as `4`, and the words behind them.
  private static func headings(of page: String) throws -> (numbers: Set<String>, words: [String]) {
    let text = try String(
      contentsOf: root.appendingPathComponent("docs/\(page)"), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("#") }
      .map { $0.drop { $0 == "#" || $0 == " " } }
    let numbers = lines.map { String($0.prefix { $0.isNumber || $0 == "." }) }
      .map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    return (Set(numbers.filter { !$0.isEmpty }), lines.map(String.init))
  }

  @Test("every cited heading of a page exists", arguments: pages)
  func headings(page: String) throws {
    let (numbers, words) = try CitationTests.headings(of: page)
    #expect(!words.isEmpty)
    let name = page.replacingOccurrences(of: ".", with: "\\.")
    let cited = try Regex(
      "\(name) (?:(?<numbers>[0-9]+(?:\\.[0-9]+)*(?:(?:, | and | to )[0-9]+(?:\\.[0-9]+)*)*)"
        + "|\"(?<words>[^\"]+)\")", as: (Substring, numbers: Substring?, words: Substring?).self)
    for (path, text) in try CitationTests.texts() {
      // A citation may run over the end of a comment's line.
      let flat = text.replacing(/\n *\/\/\/? ?/, with: " ").replacing("\n", with: " ")
      for match in flat.matches(of: cited) {
        let each = match.output.numbers?.split { !$0.isNumber && $0 != "." } ?? []
        for number in each {
          #expect(numbers.contains(String(number)), "\(path) cites \(page) \(number)")
        }
        if let heading = match.output.words {
          #expect(words.contains { $0.hasPrefix(heading) }, "\(path) cites \(page) \(heading)")
        }
      }
    }
  }

  @Test("no page is cited that a clone does not have")
  func existing() throws {
    for (path, text) in try CitationTests.texts() where !path.hasPrefix("Tests/") {
      // The manual's source escapes hyphens.
      let plain = text.replacing("\\-", with: "-")
      for match in plain.matches(of: /([A-Za-z_\-]+\/)*[a-z][a-z_\-]*\.md\b/) {
        let name = String(match.output.0).replacing("share/doc/peat-inspect/", with: "docs/")
        let places = [name, "docs/\(name)", "Tests/\(name)", "samples/\(name)"]
        let isThere = places.contains {
          FileManager.default.fileExists(
            atPath: CitationTests.root.appendingPathComponent($0).path)
        }
        #expect(isThere || name == "expect.md", "\(path) cites \(name)")
      }
    }
  }
}
