import Foundation
import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

/// The recorded session `j-wrapped`, against what its nodes wrote down (Tests/Captures).
@Suite struct WrappedSessionTests {
  private func truth() throws -> JSON {
    try JSON(
      parsing: Data(
        contentsOf: TestData.captures.appendingPathComponent("j-wrapped.truth.json")))
  }

  @Test func `Exactly the frames of the session's mesh open, and to what was sealed`() throws {
    let truth = try truth()
    let mesh = try truth["secrets"].text("mesh")
    let secret = try truth["secrets"].key("secret_hex")
    let derived = try truth["secrets"].key("derived_key_hex")
    #expect(KeyDerivation.meshKey(meshID: mesh, secret: secret) == derived)
    var keyring = Keyring()
    keyring.addMesh(id: mesh, secret: secret)
    for document in try truth.list("documents") where document["hex"].bytes?.first == 0xAE {
      let name = "document \(document["seq"].int ?? -1)"
      let frame = try EncryptedFrame(document.bytes("hex"))
      let inner = document["summary"]["inner"]
      switch keyring.open(frame) {
      case .opened(let plaintext, let key):
        #expect(key == "mesh:\(mesh)", "\(name)")
        #expect(!inner.isNull, "\(name)")
        let length = plaintext.count + EncryptedFrame.overhead
        #expect(length == document["length"].int, "\(name)")
        if inner["format"].string == "full" {
          let node = try Document.decode(plaintext, chat: true).document.node
          #expect(node.description == inner["node"].string, "\(name)")
        }
      case .unopened(let reason):
        #expect(inner.isNull, "\(name)")
        let isDamaged = try document.text("form").contains("tag damaged")
        let expected: Unopened = isDamaged ? .tagMismatch : .noKeyOpens
        #expect(reason == expected, "\(name)")
      }
    }
  }
}
