import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct GenesisVectorTests {
  @Test("Every line of genesis.jsonl") func lines() throws {
    try forEachVector("genesis") { vector in
      switch vector.kind {
      case "genesis": try genesis(vector)
      case "genesis_decode": try decode(vector)
      case "persisted_state": try persisted(vector)
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func genesis(_ vector: Vector) throws {
    guard let policy = vector.input["policy"].uint8.flatMap({ Genesis.Policy(rawValue: $0) }),
      let genesis = Genesis(
        name: try vector.input.text("mesh_name"), seed: try vector.input.key("seed"),
        creator: Identity(seed: try vector.input.key("creator_private_key")),
        created: try vector.input.uint64("created_at_ms"), policy: policy)
    else { throw MissingValue(what: "policy") }
    let expect = vector.expect
    let mesh = genesis.mesh
    #expect(mesh.meshID == expect["mesh_id"].string, "\(vector.name)")
    #expect(
      mesh.encryptionSecret() == (try expect.key("encryption_secret")), "\(vector.name)")
    #expect(mesh.beaconKey() == (try expect.key("beacon_key_base")), "\(vector.name)")
    #expect(mesh.meshKey() == (try expect.key("mesh_encryption_key")), "\(vector.name)")
    #expect(
      EncryptedBeacon.meshBytes(meshID: mesh.meshID) == expect["beacon_mesh_id_bytes"].bytes,
      "\(vector.name)")
    #expect(genesis.creator.publicKey == expect["creator_public_key"].bytes, "\(vector.name)")
    #expect(genesis.stored() == expect["encoded"].bytes, "\(vector.name)")
  }

  private func decode(_ vector: Vector) throws {
    let expect = vector.expect["decoded"]
    guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
    guard let genesis = try? Genesis(stored: bytes) else {
      #expect(expect.isNull, "\(vector.name)")
      return
    }
    #expect(genesis.name == expect["mesh_name"].string, "\(vector.name)")
    #expect(genesis.mesh.meshID == expect["mesh_id"].string, "\(vector.name)")
    #expect(genesis.seed.copy() == expect["seed"].bytes, "\(vector.name)")
    #expect(genesis.policy.rawValue == expect["policy"].uint8, "\(vector.name)")
    #expect(genesis.created == expect["created_at_ms"].uint64, "\(vector.name)")
    #expect(genesis.creator.publicKey == expect["creator_public_key"].bytes, "\(vector.name)")
    #expect(genesis.stored() == expect["reencoded"].bytes, "\(vector.name)")
  }

  private func persisted(_ vector: Vector) throws {
    guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
    let expect = vector.expect
    do {
      let state = try PersistedState(bytes)
      #expect(expect["error"].isNull, "\(vector.name)")
      #expect(state.version == expect["version"].uint32, "\(vector.name)")
      #expect(state.identity.node.rawValue == expect["node_id"].uint32, "\(vector.name)")
      #expect(state.savedAt == expect["persisted_at_ms"].uint64, "\(vector.name)")
      #expect(state.genesis?.mesh.meshID == expect["genesis_mesh_id"].string, "\(vector.name)")
      #expect(state.registry.count == expect["registry_size"].int, "\(vector.name)")
      #expect(state.revoked == (try expect.list("revoked")).map(\.bytes), "\(vector.name)")
      #expect(state.encoded() == expect["reencoded"].bytes, "\(vector.name)")
    } catch let fault as PersistedState.Fault {
      #expect(fault.rawValue == expect["error"].string, "\(vector.name)")
    }
  }
}
