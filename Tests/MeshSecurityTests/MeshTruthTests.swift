import BluetoothMesh
import Foundation
import MeshSecurity
import PeatTestSupport
import Testing
import WireBytes

/// Traffic of BlueZ's meshd, and of an encoder of its own, against its truth (`Neighbours/README.md`).
struct MeshTruthTests {
  private static func json(_ name: String) throws -> JSON {
    let url = TestData.testsFolder.appendingPathComponent("Neighbours/\(name)")
    return try JSON(parsing: Data(contentsOf: url))
  }

  private static func keyring(_ name: String) throws -> MeshKeyring {
    let url = TestData.testsFolder.appendingPathComponent("Neighbours/\(name)")
    let bytes = [UInt8](try Data(contentsOf: url))
    var keyring = MeshKeyring()
    try keyring.add(MeshDatabase(bytes.rawBytes))
    return keyring
  }

  /// What differs between a PDU and its truth, field by field.
  private static func differences(_ bytes: [UInt8], _ truth: JSON, _ opener: inout MeshOpener)
    throws
    -> [String]
  {
    var wrong: [String] = []
    func expect(_ name: String, _ found: String?) {
      guard !truth[name].isNull else { return }
      let wanted = truth[name].string ?? truth[name].int.map(String.init) ?? "?"
      if found?.lowercased() != wanted.lowercased() {
        wrong.append("\(name): \(found ?? "-"), not \(wanted)")
      }
    }
    let use: NetworkCredentials.Use = truth["proxy_type"].int == 2 ? .proxy : .network
    switch try opener.open(bytes, use: use) {
    case .failure(let refusal):
      expect("layer", "network")
      switch refusal {
      case .noKey(let nid):
        expect("unopened", "no-key")
        expect("nid", String(nid))
      case .notOpened: expect("unopened", "no-key-opens")
      case .malformed: expect("malformed", "?")
      }
    case .success(let reading):
      let header = reading.pdu.header
      expect("net_key", reading.network.description)
      expect("iv_index", String(reading.ivIndex))
      #expect(reading.isExpectedIndex == (truth["iv_index"].int != 9))
      expect("ttl", String(header.ttl))
      expect("seq", String(header.sequence))
      expect("src", header.source.description)
      expect("dst", reading.pdu.destination.description)
      if truth["layer"].string != "ack", truth["layer"].string != "control" {
        expect("seq_auth", String(reading.messageSequence))
      }
      switch reading.content {
      case .access(let message, let key, let label):
        expect("layer", "access")
        expect("upper_key", key.description)
        let width = message.opcode > 0xFFFF ? 6 : message.opcode > 0xFF ? 4 : 2
        expect("opcode", Hexadecimal.upper(UInt64(message.opcode), width: width))
        expect("name", message.name)
        expect("parameters", Hexadecimal.string(message.parameters))
        expect("label", label.map { Hexadecimal.string($0.uuid) })
      case .control(let opcode, _):
        expect("layer", "control")
        expect("opcode", Hexadecimal.upper(UInt64(opcode), width: 2))
        expect("name", ControlOpcode.name(of: opcode))
      case .acknowledgment(let acknowledgment):
        expect("layer", "ack")
        expect("block_ack", Hexadecimal.upper(UInt64(acknowledgment.block), width: 8))
        expect("seq_zero", String(acknowledgment.sequenceZero))
      case .segment(let segment, _):
        expect("layer", "segment")
        expect("segment", String(segment.index))
        expect("last_segment", String(segment.last))
        expect("seq_zero", String(segment.sequenceZero))
      case .sealed: expect("layer", "upper")
      case .proxy(let configuration):
        expect("layer", "proxy")
        switch configuration {
        case .setFilter: expect("opcode", "00")
        case .add: expect("opcode", "01")
        case .remove: expect("opcode", "02")
        case .status: expect("opcode", "03")
        case .other: expect("opcode", "?")
        }
      case .malformed(let fault):
        expect("layer", "network")
        expect("malformed", fault.text)
      }
    }
    return wrong
  }

  @Test func `meshd's traffic reads as its truth, in each adapter's view`() throws {
    let truth = try Self.json("mesh-adv.truth.json")
    let keyring = try Self.keyring("mesh-adv.cdb.json")
    var openers: [Int: MeshOpener] = [:]
    var links: [String: ProvisioningTransactions] = [:]
    var wrong: [String] = []
    let rows = try #require(truth["rows"].array)
    #expect(rows.count == 2024)
    for row in rows {
      let bytes = try #require(row["bytes"].bytes)
      let adapter = try #require(row["adapter"].int)
      var opener = openers[adapter] ?? MeshOpener(keyring)
      defer { openers[adapter] = opener }
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      switch row["ad_type"].string {
      case "2b":
        let beacon = try MeshBeacon(&reader)
        let heard = try opener.hear(beacon)
        if case .unprovisioned(let device) = beacon {
          #expect(Hexadecimal.string(device.uuid) == row["uuid"].string)
        } else {
          #expect(heard.keys.map(\.description) == row["authentic"].array?.compactMap(\.string))
          #expect(heard.state.map { Int($0.ivIndex) } == row["iv_index"].int)
          #expect(heard.state.map { Int($0.flags) } == row["flags"].int)
        }
      case "29":
        let pdu = try GenericProvisioningPDU(&reader)
        #expect(Int(pdu.transaction) == row["transaction"].int)
        let key = "\(adapter) \(pdu.link)"
        if case .damaged = links[key, default: ProvisioningTransactions()].take(pdu) {
          wrong.append("frame \(row["frame"].int ?? 0): damaged transaction")
        }
      default:
        let found = try Self.differences(bytes, row, &opener)
        if !found.isEmpty { wrong.append("frame \(row["frame"].int ?? 0): \(found)") }
      }
    }
    #expect(wrong == [], "\(wrong.count) of \(rows.count)")
  }

  @Test func `a proxy's traffic reads as its truth, the IV index learnt from a beacon`() throws {
    let truth = try Self.json("mesh-proxy.truth.json")
    var opener = MeshOpener(try Self.keyring("mesh-gatt.cdb.json"))
    var wrong: [String] = []
    for row in try #require(truth["messages"].array) {
      guard let bytes = row["pdu"].bytes else { continue }
      if row["layer"].string == "beacon" {
        var reader = ByteReader(bytes.rawBytes, layer: .mesh)
        let heard = try opener.hear(MeshBeacon(&reader))
        #expect(heard.keys.count == 1 && heard.state.map { Int($0.ivIndex) } == row["iv_index"].int)
        continue
      }
      let found = try Self.differences(bytes, row, &opener)
      if !found.isEmpty { wrong.append("\(row["pdu"].string ?? ""): \(found)") }
    }
    #expect(wrong == [])
  }

  @Test func `without a beacon the IV index is searched`() throws {
    let truth = try Self.json("mesh-proxy.truth.json")
    var opener = MeshOpener(try Self.keyring("mesh-gatt.cdb.json"))
    let rows = try #require(truth["messages"].array)
    let first = try #require(rows.first { $0["layer"].string == "access" }?["pdu"].bytes)
    #expect(throws: Never.self) { try opener.open(first).get() }
    #expect(opener.ivIndex(of: 0) == 7)
  }
}
