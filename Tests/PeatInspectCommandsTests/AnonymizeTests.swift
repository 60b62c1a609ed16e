import Foundation
import PeatTestSupport
import Testing

/// `--anonymize`: results with pseudonyms in the place of what names somebody.
@Suite(.enabled(if: PythonScript.isAvailable, "there is no python3"))
struct AnonymizeTests {
  private static let captures: [String] = {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: TestData.captures.path)) ?? []
    return names.filter { name in
      !name.contains("/")
        && ["btsnoop", "pcap", "pcapng", "pklg", "log"].contains { name.hasSuffix("." + $0) }
    }.sorted()
  }()

  private static let key = "000102030405060708090a0b0c0d0e0f"
  private static let hidden = ["--anonymize", "--anonymize-key", key]

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  private func truth(of name: String) -> String {
    path(String(name.prefix { $0 != "." }) + ".truth.json")
  }

  /// What a command says of captures and of their anonymised copies, compared but for names.
  private func compare(
    _ command: String, _ words: [String], _ files: [String]
  ) throws -> JSON {
    let before = folder.path("before.ndjson")
    let after = folder.path("after.ndjson")
    let first = try CommandRun(
      [command, "-q", "-f", "ndjson", "-o", before] + words + files.map(path))
    let second = try CommandRun(
      [command, "-q", "-f", "ndjson", "-o", after] + Self.hidden + words + files.map(path))
    #expect(first.status == second.status, "\(second.standardError)")
    return try PythonScript.run("same_but_names.py", [before, after])
  }

  @Test("the anonymised capture gives the same but for names", arguments: captures)
  func same(name: String) throws {
    for command in ["inspect", "check", "convergence", "links", "emergencies"] {
      let found = try compare(command, [], [name])
      #expect(found["problems"].array?.isEmpty == true, "\(command): \(found["problems"])")
    }
  }

  @Test func `several captures of one mesh are still one mesh`() throws {
    let files = [
      "m-mesh-three.alpha.h4.btsnoop", "m-mesh-three.bravo.phdr.pcapng",
      "m-mesh-three.echo.monitor.btsnoop",
    ]
    for command in ["inspect", "convergence"] {
      let found = try compare(command, [], files)
      #expect(found["problems"].array?.isEmpty == true, "\(command): \(found["problems"])")
      #expect((found["records"].int ?? 0) > 100)
    }
  }

  @Test("nothing of the truth is in the anonymised capture", arguments: captures)
  func search(name: String) throws {
    let written = folder.path("hidden.pcapng")
    _ = try CommandRun(
      ["-q", "-f", "pcapng", "--all-packets", "-o", written] + Self.hidden + [path(name)])
    let found = try PythonScript.run("find_names.py", [truth(of: name), written])
    #expect(found["found"].array?.isEmpty == true, "\(found["found"])")
    #expect((found["needles"].int ?? 0) > 10 && (found["bytes"].int ?? 0) > 500)
  }

  /// The search would find what is there.
  @Test func `the search finds the original`() throws {
    let written = folder.path("plain.pcapng")
    let name = "a-two-nodes.h4.btsnoop"
    _ = try CommandRun(["-q", "-f", "pcapng", "--all-packets", "-o", written, path(name)])
    let found = try PythonScript.run("find_names.py", [truth(of: name), written])
    #expect(found["found"].array?.count == 10)
  }

  @Test(
    "no format shows what was in the capture",
    arguments: [
      "a-two-nodes.h4.btsnoop", "e-churn.monitor.pcap", "j-wrapped.h4.btsnoop",
      "k-phone.btsnoop_hci.log", "a-two-nodes.air256.pcap", "l-mesh.h4.btsnoop",
    ])
  func formats(name: String) throws {
    let forms: [(command: String, format: String)] =
      [
        "text", "ndjson", "csv", "sqlite", "html", "markdown", "geojson", "kml", "pcapng",
      ].map { ("inspect", $0) }
      + ["text", "ndjson", "csv", "markdown", "geojson", "kml"].map { ("state", $0) }
      + ["text", "ndjson", "csv"].flatMap { format in
        ["check", "convergence", "links", "emergencies"].map { ($0, format) }
      }
    var files: [String] = []
    for (command, format) in forms {
      let file = folder.path("\(command).\(format)")
      let words = ["--mesh", "ALFA", "--secret", Self.secret, "--positions", "drop"]
      let run = try CommandRun(
        [command, "-q", "-f", format, "-o", file] + Self.hidden + words + [path(name)])
      #expect(FileManager.default.fileExists(atPath: file), "\(run.standardError)")
      files.append(file)
    }
    let found = try PythonScript.run("find_names.py", [truth(of: name)] + files)
    #expect(found["found"].array?.isEmpty == true, "\(found["found"])")
  }

  private static let secret = "3b3801d84e1453a02e39606cbb1a8ee044e9fd60c45167fa17d4f6b2568d22dc"

  @Test func `frames that a key opens are sealed anew and open again`() throws {
    let keys = ["--mesh", "ALFA", "--secret", Self.secret]
    let found = try compare("state", keys, ["j-wrapped.h4.btsnoop"])
    #expect(found["problems"].array?.isEmpty == true, "\(found["problems"])")
    #expect((found["records"].int ?? 0) > 2)
  }

  @Test func `the same key gives the same pseudonyms, and no key others each time`() throws {
    let words = ["-q", "-f", "csv", "--anonymize"]
    let capture = path("a-two-nodes.h4.btsnoop")
    let first = try CommandRun(words + ["--anonymize-key", Self.key, capture]).text
    #expect(first == (try CommandRun(words + ["--anonymize-key", Self.key, capture]).text))
    let drawn = try CommandRun(words + [capture]).text
    #expect(drawn != (try CommandRun(words + [capture]).text))
  }

  @Test func `a node and an address are chosen by their own names`() throws {
    let words = ["-q", "-f", "csv"] + Self.hidden
    let capture = path("a-two-nodes.h4.btsnoop")
    // Of 14 messages of the truth file, ALPHA-1 sent six; the first line has the columns' names.
    let node = try CommandRun(words + ["--node", "207F0E0F", capture]).text
    #expect(node.split(whereSeparator: \.isNewline).count == 7)
    let peer = try CommandRun(words + ["--peer", "CA:FE:38:11:F0:DB", capture]).text
    #expect(peer.split(whereSeparator: \.isNewline).count == 15)
  }

  @Test func `the day is moved when that is asked for`() throws {
    let capture = path("a-two-nodes.h4.btsnoop")
    let moved = try CommandRun(
      ["-q", "-f", "ndjson", "--anonymize-time"] + Self.hidden + [capture]
    ).text
    #expect(!moved.contains("2026-03-01") && moved.contains("T11:33:57.0"))
  }

  @Test(arguments: [
    ["--each"], ["--follow"], ["--bond-cache", "x"], ["--filter", "node == 1"],
    ["--anonymize-time", "--from", "2026-03-01T11:33:59Z"], ["--anonymize-key", "/dev/null"],
  ])
  func `what does not go together is refused with a sentence`(words: [String]) throws {
    let run = try CommandRun(["--anonymize"] + words + [path("a-two-nodes.h4.btsnoop")])
    #expect(run.status == 2)
    #expect(run.standardError.contains("anonymize") && run.output.isEmpty)
  }

  @Test(arguments: ["text", "ndjson", "markdown", "kml"])
  func `the result says what could still identify somebody`(format: String) throws {
    let run = try CommandRun(
      ["-f", format] + Self.hidden + [path("a-two-nodes.h4.btsnoop")])
    #expect(run.text.contains("could still identify"))
  }
}
