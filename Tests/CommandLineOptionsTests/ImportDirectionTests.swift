import Foundation
import PeatTestSupport
import Testing

/// The layers of the package, as its architecture sets them: a target imports what is listed beside
/// it, or any target of a lower layer; C modules only where they are listed.
@Suite struct ImportDirectionTests {
  private struct Rule {
    let layer: Int
    let siblings: Set<String>
    let libraries: Set<String>

    init(_ layer: Int, _ siblings: Set<String> = [], libraries: Set<String> = []) {
      self.layer = layer
      self.siblings = siblings
      self.libraries = libraries
    }
  }

  private static let rules: [String: Rule] = [
    "WireBytes": Rule(0),
    "SystemIO": Rule(0, libraries: ["Glibc"]),
    "CommandLineOptions": Rule(0),
    "CaptureFormats": Rule(1, ["WireBytes"]),
    "BluetoothProtocols": Rule(1, ["WireBytes"]),
    "PeatProtocol": Rule(1, ["WireBytes"]),
    "BluetoothMesh": Rule(1, ["WireBytes"]),
    "SMPProtocol": Rule(1, ["WireBytes"]),
    "PeatDissection": Rule(2, ["PeatSecurity"]),
    "MeshSecurity": Rule(2, ["PeatSecurity"], libraries: ["CCrypto"]),
    "FirmwareUpgrades": Rule(2),
    "MeshDissection": Rule(2, ["MeshSecurity", "PeatSecurity"]),
    "PeatReplay": Rule(2),
    "PeatSecurity": Rule(2, libraries: ["CSodium"]),
    "LiveCapture": Rule(2, ["BluetoothHost"], libraries: ["CPcap"]),
    "BluetoothHost": Rule(2, libraries: ["CBluetooth"]),
    "PeatTimeline": Rule(3),
    "PeatScreen": Rule(3, ["PeatTimeline", "PeatReports"], libraries: ["CNcurses"]),
    "PeatReports": Rule(3, ["PeatTimeline"], libraries: ["CSQLite"]),
    "PeatNode": Rule(3),
    "PeatReading": Rule(3, ["PeatTimeline"]),
    "CaptureSharing": Rule(3, ["PeatTimeline", "PeatReports"]),
    "PeatInspectCommands": Rule(4),
    "peat-inspect": Rule(5, libraries: ["Glibc"]),
  ]

  /// Layer 0 stands alone, and layer 1 looks only at WireBytes, but for the files that bytes of
  /// captures come in through.
  private static let inputFolder = "CaptureFormats/Input/"
  private static let inputImports: Set<String> = ["SystemIO", "Glibc", "CArchive", "CZlib"]

  /// Parts of the standard library.
  private static let standard: Set<String> = ["Swift", "Synchronization"]

  private struct Import {
    let target: String
    let path: String
    let module: String
  }

  private static func allImports() throws -> [Import] {
    let sources = TestData.testsFolder.deletingLastPathComponent()
      .appendingPathComponent("Sources").resolvingSymlinksInPath()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
      let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
      return text.split(separator: "\n").compactMap(module).map {
        Import(target: String(path.prefix { $0 != "/" }), path: path, module: $0)
      }
    }
  }

  /// The module of an import line, whatever access level, attribute or kind stands in it.
  private static func module(_ line: Substring) -> String? {
    let words = line.split { $0 == " " || $0 == ";" }
    let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    let kinds: Set<Substring> = [
      "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]
    guard let index = words.firstIndex(of: "import"),
      words[..<index].allSatisfy({ levels.contains($0) || $0.hasPrefix("@") })
    else { return nil }
    let rest = words[(index + 1)...].drop { kinds.contains($0) }
    return rest.first.map { name in String(name.prefix { $0 != "." }) }
  }

  private static func isAllowed(_ entry: Import) -> Bool {
    guard let rule = rules[entry.target] else { return false }
    if standard.contains(entry.module) || rule.libraries.contains(entry.module) { return true }
    if rule.siblings.contains(entry.module) { return true }
    if entry.path.hasPrefix(inputFolder) && inputImports.contains(entry.module) { return true }
    guard let other = rules[entry.module] else { return false }
    return rule.layer >= 2 && other.layer < rule.layer
  }

  @Test("every target imports lower layers only, and C libraries only where they belong")
  func directions() throws {
    let imports = try ImportDirectionTests.allImports()
    #expect(!imports.isEmpty)
    for entry in imports {
      #expect(
        ImportDirectionTests.isAllowed(entry), "\(entry.path) must not import \(entry.module)")
    }
  }

  @Test("Foundation is nowhere: it triples the start-up")
  func foundation() throws {
    let guilty = try ImportDirectionTests.allImports().filter {
      $0.module.hasPrefix("Foundation")
    }
    #expect(guilty.map(\.path) == [])
  }

  @Test("imports are recognised in all their forms")
  func forms() {
    let table = [
      ("import WireBytes", "WireBytes"), ("public import WireBytes", "WireBytes"),
      ("@preconcurrency package import Glibc", "Glibc"), ("import struct Glibc.stat", "Glibc"),
      ("import Foundation.NSData;", "Foundation"), ("// import Foundation", nil),
      ("let x = 1", nil),
    ]
    for (line, expected) in table {
      #expect(ImportDirectionTests.module(line[...]) == expected, "\(line)")
    }
  }

  @Test("the rules refuse what they are there to refuse")
  func refusals() {
    let table = [
      ("PeatProtocol", "a", "SystemIO"), ("CaptureFormats", "CaptureFormats/X.swift", "CArchive"),
      ("PeatDissection", "a", "PeatTimeline"), ("PeatReplay", "a", "CSodium"),
      ("WireBytes", "a", "Foundation"), ("Unknown", "a", "WireBytes"),
      ("PeatReplay", "a", "PeatDissection"),
    ]
    for (target, path, module) in table {
      #expect(
        !ImportDirectionTests.isAllowed(Import(target: target, path: path, module: module)))
    }
  }
}
