import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct KeyringTests {
  /// protocol.md, example 1.
  static let document: [UInt8] = [1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]
  /// protocol.md, example 5: example 1 in the mesh DEMO, whose secret is 00..1F.
  static let frame =
    "ae00101112131415161718191a1bf46d9e6500799414c5278bc8cb408b6e4d476d2a8182ab925af26e4f"
  static let secret = (0..<32).map { UInt8($0) }

  private func keyring(_ lines: String...) throws -> Keyring {
    var contents = Array(lines.joined(separator: "\n").utf8)
    var keyring = Keyring()
    keyring.add(try KeysFile(wiping: &contents, file: "keys"))
    return keyring
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private var demo: String { "mesh DEMO secret \(hex(Self.secret))" }

  @Test func `The worked example opens with the mesh's secret`() throws {
    let frame = try EncryptedFrame(bytes(Self.frame))
    var keys = try keyring("mesh OTHER secret \(hex(Self.secret))", demo)
    #expect(keys.open(frame) == .opened(plaintext: Self.document, key: "mesh:DEMO"))
    #expect(keys.open(frame) == .opened(plaintext: Self.document, key: "mesh:DEMO"))
  }

  @Test func `Without a key of the sort the reason is no-key`() throws {
    var keys = try keyring("authority public \(hex(Self.secret))")
    #expect(keys.open(try EncryptedFrame(bytes(Self.frame))) == .unopened(.noKey))
    #expect(keys.open(beacon: [UInt8](repeating: 2, count: 21)) == .unopened(.noKey))
    #expect(keys.open(beacon: [2]) == .unopened(.tooShort))
    #expect(!keys.isEmpty && Keyring().isEmpty)
  }

  @Test func `A wrong key and a wrong mesh id give no-key-opens`() throws {
    let frame = try EncryptedFrame(bytes(Self.frame))
    var wrongMesh = try keyring("mesh Demo secret \(hex(Self.secret))")
    #expect(wrongMesh.open(frame) == .unopened(.noKeyOpens))
    var wrongSecret = try keyring("mesh DEMO secret \(String(repeating: "00", count: 32))")
    #expect(wrongSecret.open(frame) == .unopened(.noKeyOpens))
  }

  @Test func `Each damaged tag bit gives tag-mismatch under the right key only`() throws {
    let sound = try bytes(Self.frame)
    for index in sound.count - 16..<sound.count {
      var damaged = sound
      damaged[index] ^= 0x10
      let frame = try EncryptedFrame(damaged)
      var right = try keyring("mesh OTHER secret \(hex(Self.secret))", demo)
      #expect(right.open(frame) == .unopened(.tagMismatch))
      var wrong = try keyring("mesh OTHER secret \(hex(Self.secret))")
      #expect(wrong.open(frame) == .unopened(.noKeyOpens))
    }
  }

  @Test func `Text that the caller finds incredible is no tag mismatch`() throws {
    var damaged = try bytes(Self.frame)
    damaged[damaged.count - 1] ^= 1
    let frame = try EncryptedFrame(damaged)
    var keys = Keyring(isCredible: { _ in false })
    keys.addMesh(id: "DEMO", secret: try #require(SecretKey(Self.secret)))
    #expect(keys.open(frame) == .unopened(.noKeyOpens))
    var trusting = Keyring(isCredible: { $0 == Self.document })
    trusting.addMesh(id: "DEMO", secret: try #require(SecretKey(Self.secret)))
    #expect(trusting.open(frame) == .unopened(.tagMismatch))
  }

  @Test func `A frame under the old labels is named so`() throws {
    let secret = try #require(SecretKey(Self.secret))
    let old = MeshCipher(meshID: "DEMO", secret: secret, labels: .hive)
    let frame = try #require(old.seal(Self.document, nonce: [UInt8](0..<12)))
    var keys = try keyring(demo)
    #expect(keys.open(frame) == .opened(plaintext: Self.document, key: "mesh:DEMO/hive"))
  }

  @Test func `A genesis opens frames of both labels and its beacons`() throws {
    let mesh = GenesisMesh(name: "ALPHA-TEAM", seed: try #require(SecretKey(Self.secret)))
    #expect(mesh.meshID == "2EB1E57D")  // protocol.md, example 14
    var keys = try keyring("genesis ALPHA-TEAM seed \(hex(Self.secret))")
    for (labels, name) in [(KeyLabels.peat, "mesh:2EB1E57D"), (.hive, "mesh:2EB1E57D/hive")] {
      let cipher = MeshCipher(key: mesh.meshKey(labels: labels))
      let frame = try #require(cipher.seal(Self.document, nonce: [UInt8](0..<12)))
      #expect(keys.open(frame) == .opened(plaintext: Self.document, key: name))
      let node = NodeID(rawValue: 7)
      let beacon = try #require(
        EncryptedBeacon(
          mesh: EncryptedBeacon.meshBytes(meshID: mesh.meshID), node: node, capabilities: 0,
          hierarchyLevel: 0, battery: 255))
      let sealed = try #require(
        beacon.sealed(key: mesh.beaconKey(labels: labels), nonce: [1, 2, 3, 4]))
      #expect(keys.open(beacon: sealed) == .opened(node: node, key: name))
    }
  }

  @Test func `The beacon of the worked example opens with its key and with no other`() throws {
    let beacon = try bytes("02a0a1a2a3697939124b5c294d9694a2030081014b")
    let node = NodeID(rawValue: 0x1234_5678)
    var keys = try keyring("beacon DEMO key \(hex(Self.secret))")
    #expect(keys.open(beacon: beacon) == .opened(node: node, key: "mesh:DEMO"))
    var byMesh = try keyring(demo)
    #expect(byMesh.open(beacon: beacon) == .opened(node: node, key: "mesh:DEMO"))
    var other = try keyring("beacon DEMO key \(String(repeating: "11", count: 32))")
    #expect(other.open(beacon: beacon) == .unopened(.noKeyOpens))
  }

  @Test func `Signatures are checked with the keys of the node they are said to be of`() throws {
    let signer = Identity(seed: try #require(SecretKey(Self.secret)))
    let signature = signer.signature(of: [1, 2, 3])
    var keys = try keyring("identity \(signer.node) public \(hex(signer.publicKey))")
    #expect(keys.check(signature: signature, over: [1, 2, 3], by: signer.node) == .valid)
    #expect(keys.check(signature: signature, over: [1, 2], by: signer.node) == .invalid)
    #expect(
      keys.check(signature: signature, over: [1, 2, 3], by: NodeID(rawValue: 1)) == .unchecked)
  }
}

@Suite struct KeyringDecodingTests {
  @Test func `The message decoder shows what a keyring opens`() throws {
    var keyring = Keyring()
    keyring.addMesh(id: "DEMO", secret: try #require(SecretKey(KeyringTests.secret)))
    var decoder = MessageDecoder(opener: keyring)
    let message = decoder.decode(try bytes(KeyringTests.frame))
    #expect(message.kind == .encrypted)
    #expect(message.decryptedWith == "mesh:DEMO")
    #expect(message.inner?.kind == .document)
    #expect(message.node == NodeID(rawValue: 0x1234_5678))
    var damaged = try bytes(KeyringTests.frame)
    damaged[41] ^= 1
    let refused = decoder.decode(damaged)
    #expect(refused.unopened == .tagMismatch)
    #expect(refused.inner == nil)
    let short = decoder.decode([0xAE, 0, 1])
    #expect(short.unopened == .tooShort)
  }

  @Test func `The message decoder follows a key exchange`() throws {
    var contents = Array("peer A1B2C3D4 private \(KeyringPeerTests.secondSecret)".utf8)
    var keyring = Keyring()
    keyring.add(try KeysFile(wiping: &contents, file: "keys"))
    var decoder = MessageDecoder(opener: keyring)
    let message = try bytes(KeyringPeerTests.message)
    #expect(decoder.decode(message).unopened == .noKeyOpens)
    #expect(decoder.decode(try bytes(KeyringPeerTests.offer)).kind == .keyExchange)
    #expect(decoder.decode(message).decryptedWith == "peer:A1B2C3D4")
  }
}
