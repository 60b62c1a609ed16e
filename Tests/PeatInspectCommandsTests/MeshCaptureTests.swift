import Foundation
import PeatTestSupport
import Testing

@testable import PeatTimeline

/// Captures by an encoder of their own (`Tests/DATA.md`): several networks, an IV update, a key
/// refresh, friendship, a virtual address, messages in segments, relays, two proxies, the air; and
/// one of everything that can be wrong.
struct MeshCaptureTests {
  private static let folder = TestData.testsFolder.appendingPathComponent("MeshCaptures")
  private static let captures = [
    "several.btsnoop", "faults.btsnoop", "proxies.btsnoop", "air.pcap",
  ]

  private static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private static let databases = [
    "--cdb", path("north.cdb.json"), "--cdb", path("south.cdb.json"),
  ]

  private static func expected(_ name: String) throws -> JSON {
    try JSON(parsing: Data(contentsOf: folder.appendingPathComponent("expect.json")))[name]
  }

  /// Layer, ends, number, opcode, key and parameters, as one line.
  private func line(_ message: JSON, like wanted: JSON) -> String {
    ["layer", "src", "dst", "seq", "opcode", "app_key", "parameters"].map { name in
      // What the encoder says nothing of, it did not choose.
      wanted[name].isNull ? "-" : message[name].string ?? message[name].int.map(String.init) ?? "?"
    }.joined(separator: " ")
  }

  @Test(arguments: captures)
  func `every message of the encoder is a row, and no other`(name: String) throws {
    let run = try CommandRun(["-q", "-f", "ndjson"] + Self.databases + [Self.path(name)])
    let found = try run.records().map { $0["mesh"] }.filter {
      !["beacon", "pb-adv", "network"].contains($0["layer"].string ?? "network")
    }
    let wanted = try #require(try Self.expected(name)["messages"].array)
    #expect(found.count == wanted.count)
    for (one, other) in zip(found, wanted) {
      #expect(line(one, like: other) == line(other, like: other))
    }
  }

  @Test(arguments: captures)
  func `check finds what the encoder made wrong, and nothing else of a mesh`(name: String) throws {
    let run = try CommandRun(
      ["check", "-q", "-v", "-f", "ndjson"] + Self.databases + [Self.path(name)])
    let found = Set(
      try run.records().compactMap { $0["code"].string }.filter { $0.hasPrefix("mesh-") })
    let wanted = Set(try Self.expected(name)["codes"].array?.compactMap(\.string) ?? [])
    #expect(found.isSuperset(of: wanted), "missing \(wanted.subtracting(found))")
    if name != "faults.btsnoop" { #expect(found == wanted) }
  }

  @Test(arguments: captures)
  func `every record of a mesh is valid by the shipped schema`(name: String) throws {
    let schema = try SchemaValidator(
      contentsOf: TestData.testsFolder.deletingLastPathComponent()
        .appendingPathComponent("docs/record.schema.json"))
    for databases in [Self.databases, []] {
      let run = try CommandRun(["-q", "-f", "ndjson"] + databases + [Self.path(name)])
      for record in try run.records() {
        let faults = schema.faults(record)
        #expect(faults.isEmpty, "\(name): \(faults.prefix(3))")
      }
    }
  }

  @Test func `every code of a mesh has its example`() throws {
    let examples = Set(
      try Self.captures.flatMap {
        try Self.expected($0)["codes"].array?.compactMap(\.string) ?? []
      })
    let codes = FindingCode.allCases.map(\.rawValue).filter { $0.hasPrefix("mesh-") }
    // A beacon with the new key's flag, then the old key: the capture of real nodes has it. The
    // mismatch of meshes is Peat's.
    #expect(
      Set(codes).subtracting(examples).subtracting(["mesh-kr-mixed", "mesh-mismatch"]).isEmpty)
  }

  @Test func `a relayed PDU and its copies are one row that lists them`() throws {
    let run = try CommandRun(
      ["-q", "-f", "ndjson", "--filter", "mesh.seq == 10"] + Self.databases
        + [Self.path("several.btsnoop")])
    let row = try #require(try run.records().first)
    #expect(try run.records().count == 1)
    // Sent twice with TTL 5, relayed once with 4.
    #expect(row["seen_in"].array?.map { $0["ttl"].int } == [5, 5, 4])
  }

  @Test func `a request and its answer bear one number`() throws {
    let run = try CommandRun(
      ["-q", "-f", "ndjson", "--filter", "mesh.transaction"] + Self.databases
        + [Self.path("several.btsnoop")])
    var names: [Int: [String]] = [:]
    for record in try run.records() {
      let mesh = record["mesh"]
      names[try #require(mesh["transaction"].int), default: []].append(mesh["name"].string ?? "")
    }
    #expect(names[1] == ["GenericOnOffSet", "GenericOnOffStatus"])
    #expect(names.values.allSatisfy { $0.count == 2 })
  }

  @Test func `both networks are told by their names, with the IV index and its source`() throws {
    let run = try CommandRun(
      ["mesh", "-q", "-f", "ndjson"] + Self.databases + [Self.path("several.btsnoop")])
    let networks = try run.records().filter { $0["record"].string == "network" }
    let told = networks.map {
      "\($0["mesh"].string ?? "") \($0["network"].string ?? "") \($0["iv_index"].int ?? -1)"
        + " \($0["iv_source"].string ?? "")"
    }
    #expect(told == ["north net:0 301 told", "north net:1 300 searched", "south net:0 5 told"])
  }

  @Test(arguments: captures)
  func `damage of any byte ends as it does elsewhere`(name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    let folder = try ScratchFolder()
    for step in stride(from: 40, to: bytes.count, by: max(1, bytes.count / 24)) {
      var damaged = bytes
      damaged[step] ^= 0xFF
      let path = try folder.write(damaged, "damaged")
      for command in [["-f", "ndjson"], ["mesh"]] {
        let run = try CommandRun(command + ["-q"] + Self.databases + [path])
        #expect([0, 3, 4].contains(run.status), "byte \(step): \(run.status)")
      }
    }
  }
}
