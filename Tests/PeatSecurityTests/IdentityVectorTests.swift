import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct IdentityVectorTests {
  @Test("Every line of identity.jsonl") func lines() throws {
    try forEachVector("identity") { vector in
      switch vector.kind {
      case "identity": try identity(vector)
      case "attestation": try attestation(vector)
      case "verify_signature":
        let isValid = Ed25519.isValid(
          signature: try vector.input.bytes("signature"),
          of: try vector.input.bytes("message"),
          publicKey: try vector.input.bytes("public_key"))
        #expect(isValid == vector.expect["valid"].bool, "\(vector.name)")
      case "identity_registry":
        var registry = IdentityRegistry()
        let known = vector.input["pre_register"]
        if !known.isNull {
          registry.preRegister(
            try known.node("node_id"), publicKey: try known.bytes("public_key"),
            now: try known.uint64("now_ms"))
        }
        let attestation = try Attestation(try vector.input.bytes("attestation"))
        let now = vector.input["now_ms"].uint64 ?? attestation.timestamp
        check(registry.receive(attestation, now: now), registry, vector.expect, vector.name)
      case "identity_registry_steps":
        var registry = IdentityRegistry()
        for step in try vector.expect.list("steps") {
          let attestation = try Attestation(try step.bytes("attestation"))
          let outcome = registry.receive(attestation, now: try step.uint64("now_ms"))
          let name = "\(vector.name), \(step["step"].string ?? "?")"
          check(outcome, registry, step, name)
          #expect(registry.count == step["size"].int, "\(name)")
        }
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func identity(_ vector: Vector) throws {
    let identity = Identity(seed: try vector.input.key("private_key"))
    #expect(identity.publicKey == vector.expect["public_key"].bytes, "\(vector.name)")
    #expect(identity.node.rawValue == vector.expect["node_id"].uint32, "\(vector.name)")
    let message = try vector.input.bytes("message")
    let signature = identity.signature(of: message)
    #expect(signature == vector.expect["signature"].bytes, "\(vector.name)")
    #expect(
      Ed25519.isValid(signature: signature, of: message, publicKey: identity.publicKey),
      "\(vector.name)")
    let attestation = identity.attestation(
      at: try vector.input.uint64("attestation_timestamp_ms"))
    #expect(attestation.encoded() == vector.expect["attestation"].bytes, "\(vector.name)")
    #expect(attestation.isValid, "\(vector.name)")
  }

  private func attestation(_ vector: Vector) throws {
    guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
    let expect = vector.expect["decoded"]
    guard let attestation = try? Attestation(bytes) else {
      #expect(expect.isNull, "\(vector.name)")
      return
    }
    #expect(attestation.node.rawValue == expect["node_id"].uint32, "\(vector.name)")
    #expect(attestation.publicKey == expect["public_key"].bytes, "\(vector.name)")
    #expect(attestation.timestamp == expect["timestamp_ms"].uint64, "\(vector.name)")
    #expect(attestation.signature == expect["signature"].bytes, "\(vector.name)")
    #expect(attestation.isValid == expect["valid"].bool, "\(vector.name)")
    #expect(attestation.encoded() == expect["reencoded"].bytes, "\(vector.name)")
  }

  private func check(
    _ outcome: IdentityRegistry.Outcome, _ registry: IdentityRegistry, _ expect: JSON,
    _ name: String
  ) {
    #expect(outcome.rawValue == expect["result"].string, "\(name)")
    #expect(registry.stored() == expect["encoded"].bytes, "\(name)")
  }
}
