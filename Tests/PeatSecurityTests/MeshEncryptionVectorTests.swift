import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct MeshEncryptionVectorTests {
  @Test("Every line of mesh_encryption.jsonl") func lines() throws {
    try forEachVector("mesh_encryption") { vector in
      let meshID = try vector.input.text("mesh_id")
      let secret = try vector.input.key("secret")
      let cipher = MeshCipher(meshID: meshID, secret: secret)
      switch vector.kind {
      case "mesh_key":
        let key = KeyDerivation.meshKey(meshID: meshID, secret: secret)
        #expect(key == (try vector.expect.key("key")), "\(vector.name)")
      case "mesh_seal":
        let frame = cipher.seal(
          try vector.input.bytes("plaintext"), nonce: try vector.input.bytes("nonce"))
        #expect(frame?.encoded() == vector.expect["frame"].bytes, "\(vector.name)")
        #expect(EncryptedFrame.overhead == vector.expect["overhead"].int, "\(vector.name)")
      case "mesh_open":
        try open(vector, cipher)
      default: Issue.record("\(vector.name): unknown kind \(vector.kind)")
      }
    }
  }

  private func open(_ vector: Vector, _ cipher: MeshCipher) throws {
    let bytes = try vector.input.bytes("frame")
    guard let frame = try? EncryptedFrame(bytes) else {
      #expect(vector.expect["error"] == .string("invalid_format"), "\(vector.name)")
      return
    }
    #expect(frame.encoded() == bytes, "\(vector.name)")
    guard let plaintext = cipher.open(frame) else {
      #expect(vector.expect["error"] == .string("decryption_failed"), "\(vector.name)")
      return
    }
    #expect(plaintext == (try vector.expect.bytes("plaintext")), "\(vector.name)")
  }
}
