import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct SignedPayloadVectorTests {
  @Test("Every line of signed_payload.jsonl") func lines() throws {
    try forEachVector("signed_payload") { vector in
      switch vector.kind {
      case "signed_payload_encode":
        let signer = Identity(seed: try vector.input.key("private_key"))
        guard let marker = vector.input["marker"].uint8 else {
          throw MissingValue(what: "marker")
        }
        let signed = SignedPayload(
          marker: marker, payload: try vector.input.bytes("payload"), signer: signer)
        #expect(signed.encoded() == (try vector.expect.bytes("wire")), "\(vector.name)")
        #expect(signer.publicKey == (try vector.expect.bytes("public_key")), "\(vector.name)")
      case "signed_payload_decode":
        try decode(vector)
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func decode(_ vector: Vector) throws {
    let wire = try vector.input.bytes("wire")
    let expected = vector.expect["decoded"]
    guard let signed = try? SignedPayload(wire) else {
      #expect(expected.isNull, "\(vector.name)")
      #expect(vector.expect["valid"].bool != true, "\(vector.name)")
      #expect(vector.expect["decode_verified"].bool != true, "\(vector.name)")
      return
    }
    #expect(signed.marker == expected["marker"].uint8, "\(vector.name)")
    #expect(signed.payload == expected["payload"].bytes, "\(vector.name)")
    #expect(signed.signature == expected["signature"].bytes, "\(vector.name)")
    #expect(signed.encoded() == wire, "\(vector.name)")
    let isValid = signed.isValid(publicKey: try vector.input.bytes("public_key"))
    #expect(isValid == vector.expect["valid"].bool, "\(vector.name)")
    #expect(isValid == vector.expect["decode_verified"].bool, "\(vector.name)")
  }
}
