import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct EncryptedBeaconVectorTests {
  @Test("Every line of encrypted_beacon.jsonl") func lines() throws {
    try forEachVector("encrypted_beacon") { vector in
      switch vector.kind {
      case "encrypted_beacon_encrypt":
        let beacon = try beacon(vector.input)
        let bytes = beacon?.sealed(
          key: try vector.input.key("beacon_key"), nonce: try vector.input.bytes("nonce"))
        #expect(bytes == (try vector.expect.bytes("beacon")), "\(vector.name)")
      case "encrypted_beacon_decrypt":
        let bytes = try vector.input.bytes("hex")
        let opened = EncryptedBeacon(bytes, key: try vector.input.key("beacon_key"))
        let expected = vector.expect["decrypted"]
        #expect(opened == (expected.isNull ? nil : try beacon(expected)), "\(vector.name)")
        #expect(
          EncryptedBeacon.isCandidate(bytes) == vector.expect["looks_encrypted"].bool,
          "\(vector.name)")
      case "mesh_id_bytes":
        let bytes = EncryptedBeacon.meshBytes(meshID: try vector.input.text("mesh_id"))
        #expect(bytes == (try vector.expect.bytes("bytes")), "\(vector.name)")
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func beacon(_ json: JSON) throws -> EncryptedBeacon? {
    guard let capabilities = json["capabilities"].uint16,
      let level = json["hierarchy_level"].uint8, let battery = json["battery_percent"].uint8
    else { throw MissingValue(what: "capabilities, hierarchy_level or battery_percent") }
    return EncryptedBeacon(
      mesh: try json.bytes("mesh_id_bytes"), node: try json.node("node_id"),
      capabilities: capabilities, hierarchyLevel: level, battery: battery)
  }
}
