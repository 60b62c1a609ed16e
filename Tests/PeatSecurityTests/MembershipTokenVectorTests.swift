import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct MembershipTokenVectorTests {
  @Test("Every line of membership_token.jsonl") func lines() throws {
    try forEachVector("membership_token") { vector in
      switch vector.kind {
      case "token_issue":
        let token = MembershipToken(
          member: try vector.input.bytes("member_public_key"),
          mesh: try vector.input.bytes("mesh_id"), callsign: try vector.input.text("callsign"),
          issued: try vector.input.uint64("issued_at_ms"),
          expires: try vector.input.uint64("expires_at_ms"),
          authority: Identity(seed: try vector.input.key("authority_private_key")))
        #expect(token?.encoded() == vector.expect["token"].bytes, "\(vector.name)")
      case "token_decode": try decode(vector)
      case "token_registry": try registry(vector)
      case "registry_decode":
        guard let bytes = vector.hex else { throw MissingValue(what: "hex") }
        let registry = try? IdentityRegistry(stored: bytes)
        #expect(registry?.count == vector.expect["size"].int, "\(vector.name)")
        #expect(registry?.stored() == vector.expect["reencoded"].bytes, "\(vector.name)")
        let callsigns = registry?.nodes.compactMap { registry?[$0]?.callsign } ?? []
        #expect(callsigns.first == vector.expect["callsign"].string, "\(vector.name)")
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func decode(_ vector: Vector) throws {
    let expect = vector.expect["decoded"]
    guard let token = try? MembershipToken(try vector.input.bytes("hex")) else {
      #expect(expect.isNull, "\(vector.name)")
      return
    }
    #expect(token.publicKey == expect["public_key"].bytes, "\(vector.name)")
    #expect(token.node.rawValue == expect["node_id"].uint32, "\(vector.name)")
    #expect(token.meshID == expect["mesh_id"].string, "\(vector.name)")
    #expect(token.callsign == expect["callsign"].string, "\(vector.name)")
    #expect(token.callsignBytes == expect["callsign_hex"].bytes, "\(vector.name)")
    #expect(token.issued == expect["issued_at_ms"].uint64, "\(vector.name)")
    #expect(token.expires == expect["expires_at_ms"].uint64, "\(vector.name)")
    #expect(token.encoded() == expect["reencoded"].bytes, "\(vector.name)")
    for pair in try expect.list("expired_at") {
      guard let now = pair[0].uint64 else { throw MissingValue(what: "expired_at") }
      #expect(token.isExpired(now: now) == pair[1].bool, "\(vector.name) at \(now)")
    }
    let authority = try vector.input.bytes("authority_public_key")
    #expect(
      token.isSigned(by: authority) == expect["valid_signature"].bool, "\(vector.name)")
    #expect(
      token.isValid(authority: authority, now: token.issued) == expect["valid_at_issue"].bool,
      "\(vector.name)")
  }

  private func registry(_ vector: Vector) throws {
    var registry = IdentityRegistry()
    for step in try vector.expect.list("steps") {
      let name = "\(vector.name), \(step["step"].string ?? "?")"
      let token = try MembershipToken(try step.bytes("token"))
      let node = registry.receive(
        token, authority: try step.bytes("authority_public_key"),
        now: try step.uint64("now_ms"))
      #expect(node?.rawValue == step["result"]["node_id"].uint32, "\(name)")
      #expect((node == nil) == (step["result"]["error"].string != nil), "\(name)")
      #expect(registry.count == step["size"].int, "\(name)")
      let record = registry[token.node]
      #expect(record?.callsign == step["callsign"].string, "\(name)")
      #expect(record.map { Int($0.verifications) } == step["record"]["count"].int, "\(name)")
      #expect(record?.firstSeen == step["record"]["first_seen_ms"].uint64, "\(name)")
      #expect(record?.lastSeen == step["record"]["last_seen_ms"].uint64, "\(name)")
    }
    for (member, expected) in vector.expect.object ?? [:] where member.hasPrefix("find_") {
      let found = registry.node(withCallsign: String(member.dropFirst("find_".count)))
      #expect(found?.rawValue == expected.uint32, "\(vector.name), \(member)")
    }
  }
}
