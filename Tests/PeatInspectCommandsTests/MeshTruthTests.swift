import Foundation
import PeatTestSupport
import Testing

/// Captures of Bluetooth meshes against their truth (`Neighbours/README.md`), by the command's own
/// records: every message with its layer, ends, numbers, opcode, parameters and key, and no other.
struct MeshTruthTests {
  private static let folder = TestData.testsFolder.appendingPathComponent("Neighbours")

  private static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private static func truth(_ name: String) throws -> JSON {
    try JSON(parsing: Data(contentsOf: folder.appendingPathComponent(name)))
  }

  private static func records(_ arguments: [String]) throws -> [JSON] {
    let run = try CommandRun(["-q", "-f", "ndjson"] + arguments)
    return try run.records().filter { $0["kind"].string == "mesh" }
  }

  /// Equal, but that digits of keys are `x` in records.
  private func agrees(_ record: JSON, _ truth: JSON) -> Bool {
    if truth.isNull { return true }
    guard let wanted = truth.string, let found = record.string else { return record == truth }
    return wanted.count == found.count
      && zip(wanted.lowercased(), found.lowercased()).allSatisfy { $1 == "x" || $0 == $1 }
  }

  /// What differs between a record and its truth.
  private func differences(
    _ record: JSON, _ truth: JSON, _ names: [String], ttl: JSON? = nil
  ) -> [String] {
    names.filter { name in
      let key = name == "upper_key" ? "app_key" : name
      let found = name == "ttl" ? ttl ?? record["ttl"] : record[key]
      return !agrees(found, truth[name])
    }
  }

  private static let names = [
    "layer", "src", "dst", "seq", "ttl", "opcode", "name", "parameters", "net_key", "upper_key",
    "iv_index", "unopened",
  ]

  private func compare(_ records: [JSON], _ messages: [JSON]) {
    #expect(records.count == messages.count)
    for (record, truth) in zip(records, messages) {
      let mesh = record["mesh"]
      #expect(differences(mesh, truth, Self.names).isEmpty, "\(truth["pdu"])")
      #expect(record["payload"].bytes == truth["pdu"].bytes)
      #expect(record["att"]["frames"] == truth["frames"])
      #expect(record["direction"] == truth["direction"])
      #expect(agrees(mesh["fields"]["block_ack"], truth["block_ack"]))
      guard !truth["segment"].isNull else { continue }
      #expect(mesh["segments"]["index"] == truth["segment"])
      #expect(mesh["segments"]["last"] == truth["last_segment"])
      #expect(mesh["segments"]["seq_auth"] == truth["seq_auth"])
    }
  }

  @Test func `a phone's session with a proxy is told message by message`() throws {
    let truth = try Self.truth("mesh-proxy.truth.json")
    let records = try Self.records([
      "--cdb", Self.path("mesh-gatt.cdb.json"), Self.path("mesh-proxy.h4.btsnoop"),
    ])
    compare(records, try #require(truth["messages"].array))
  }

  @Test(arguments: ["provisioner_private", "device_private"])
  func `provisioning over GATT is opened by either end's private key`(end: String) throws {
    let truth = try Self.truth("pb-gatt-cmac.truth.json")
    let messages = try #require(truth["messages"].array)
    let folder = try ScratchFolder()
    let keys = try folder.write(
      Array("provisioning private \(try #require(truth[end].string))\n".utf8), "keys")
    let records = try Self.records(["--keys", keys, Self.path("pb-gatt-cmac.h4.btsnoop")])
    compare(records, messages)
    let data = try #require(records.first { $0["mesh"]["name"].string == "Data" })
    // The truth's 25 bytes: key 16, index 2, flags 1, IV index 4, address 2.
    let opened = try #require(messages.first { !$0["opened"].isNull }?["opened"].bytes)
    #expect(data["mesh"]["fields"]["address"].string == "0009")
    #expect(Array(opened.suffix(2)) == [0, 9])
    #expect(data["mesh"]["fields"]["iv_index"].int == Int(opened[22]))
  }

  @Test func `every advertisement of three real nodes is a row, or a copy of one`() throws {
    let truth = try Self.truth("mesh-adv.truth.json")
    let records = try Self.records([
      "--cdb", Self.path("mesh-adv.cdb.json"), Self.path("mesh-adv.monitor.btsnoop"),
    ])
    struct Place: Hashable {
      var frame: Int
      var adapter: Int
    }
    var places: [Place: [(record: JSON, ttl: JSON)]] = [:]
    var count = 0
    for record in records {
      let own = [(record["frame"], record["link"]["adapter"], record["mesh"]["ttl"])]
      let seen = record["seen_in"].array?.map { ($0["frame"], $0["adapter"], $0["ttl"]) } ?? own
      for (frame, adapter, ttl) in seen {
        let place = Place(frame: try #require(frame.int), adapter: try #require(adapter.int))
        places[place, default: []].append((record, ttl))
        count += 1
      }
    }
    let rows = try #require(truth["rows"].array)
    #expect(count == rows.count)
    for row in rows {
      let place = Place(
        frame: try #require(row["frame"].int), adapter: try #require(row["adapter"].int))
      let fits = (places[place] ?? []).contains { record, ttl in
        isRow(row, record["mesh"], ttl)
      }
      #expect(fits, "\(row["frame"]) \(row["adapter"]) \(row["layer"]) \(row["bytes"])")
    }
  }

  private func isRow(_ row: JSON, _ mesh: JSON, _ ttl: JSON) -> Bool {
    // A segment that comes again is a copy of the one that made its message whole.
    let isCopiedSegment = row["layer"].string == "segment" && !mesh["segments"].isNull
    let names = Self.names.filter {
      !isCopiedSegment || !["layer", "opcode", "name", "parameters", "upper_key"].contains($0)
    }
    guard differences(mesh, row, names, ttl: ttl).isEmpty else { return false }
    let fields = [
      "form", "uuid", "oob", "network_id", "flags", "link", "gpc", "total", "fcs", "data",
      "block_ack", "seq_zero", "obo", "init_ttl", "features", "hops", "authentic",
    ]
    guard ["beacon", "pb-adv", "ack", "control"].contains(row["layer"].string ?? "") else {
      return true
    }
    return fields.allSatisfy { agrees(mesh["fields"][$0], row[$0]) }
  }

  @Test(arguments: [
    ["--cdb", "mesh-gatt.cdb.json", "mesh-proxy.h4.btsnoop"],
    ["--cdb", "mesh-adv.cdb.json", "mesh-adv.monitor.btsnoop"],
  ])
  func `no output shows a key`(arguments: [String]) throws {
    let database = try Self.truth(arguments[1])
    let keys =
      (database["netKeys"].array ?? []).flatMap { [$0["key"], $0["oldKey"]] }
      + (database["appKeys"].array ?? []).map { $0["key"] }
      + (database["nodes"].array ?? []).map { $0["deviceKey"] }
    let words = [arguments[0], Self.path(arguments[1]), Self.path(arguments[2])]
    for command in [
      ["-f", "ndjson"], ["-f", "csv"], ["-v"], ["check", "-v"], ["mesh"], ["mesh", "-f", "ndjson"],
    ] {
      let text = try CommandRun(command + words).text.lowercased()
      for key in keys.compactMap(\.string) { #expect(!text.contains(key.lowercased())) }
    }
  }

  @Test func `check tells what is wrong in the proxy's capture`() throws {
    let run = try CommandRun([
      "check", "-f", "ndjson", "--cdb", Self.path("mesh-gatt.cdb.json"),
      Self.path("mesh-proxy.h4.btsnoop"),
    ])
    let codes = Set(try run.records().compactMap { $0["code"].string })
    // README of the captures: a replay, a configuration without answer, a missing segment, SEQ that
    // falls, IV index + 2, an unknown NID, a collision of NIDs, and an orphan of SAR.
    #expect(
      codes.isSuperset(of: [
        "mesh-replay", "mesh-config-unanswered", "mesh-segments-unacked", "mesh-seq-reset",
        "mesh-wrong-iv", "mesh-no-key", "mesh-no-key-opens", "mesh-sar-order",
      ]))
    #expect(run.status == 1)
  }

  @Test func `without keys everything is a row that says so`() throws {
    let records = try Self.records([Self.path("mesh-proxy.h4.btsnoop")])
    let truth = try Self.truth("mesh-proxy.truth.json")
    #expect(records.count == truth["messages"].array?.count)
    #expect(
      records.allSatisfy {
        $0["mesh"]["layer"].string == "beacon" || $0["mesh"]["unopened"].string == "no-key"
      })
  }

  @Test func `a file that is no database is refused with its place, and nothing of it is shown`()
    throws
  {
    let folder = try ScratchFolder()
    let file = try folder.write(Array("{\"netKeys\": [{\"key\": \"7d\"}]}".utf8), "bad.json")
    let run = try CommandRun(["--cdb", file, Self.path("mesh-proxy.h4.btsnoop")])
    #expect(run.status == 3 && run.standardError.contains("at byte"))
    #expect(!run.standardError.contains("7d\""))
  }
}
