import PeatProtocol
import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct KeysFileTests {
  static let secret = String(repeating: "42", count: 32)

  private func read(_ text: String) throws(KeysFileError) -> [KeysFile.Entry] {
    var contents = Array(text.utf8)
    return try KeysFile(wiping: &contents, file: "keys").entries
  }

  private func secretKey() throws -> SecretKey { try key(Self.secret) }

  @Test func `Every form of the manual's example is read`() throws {
    let entries = try read(
      """
      mesh DEMO secret \(Self.secret)            # 32 bytes hex: mesh-wide documents
      genesis NAME seed \(Self.secret)                # derives mesh id, secret and beacon key
      peer 11111111 private \(Self.secret)
      session 11111111 22222222 key \(Self.secret)
      irk C0:00:00:00:00:01 \(String(repeating: "07", count: 16))
      identity 11111111 public \(Self.secret)
      authority public \(Self.secret)
      beacon DEMO key \(Self.secret)
      """)
    let one = NodeID(rawValue: 0x1111_1111)
    let two = NodeID(rawValue: 0x2222_2222)
    let key = try secretKey()
    let publicKey = [UInt8](repeating: 0x42, count: 32)
    #expect(
      entries == [
        .mesh(id: "DEMO", secret: key),
        .genesis(GenesisMesh(name: "NAME", seed: key)),
        .peer(one, privateKey: key),
        .session(one, two, key: key),
        .irk(
          IdentityResolvingKey(
            address: 0xC000_0000_0001, key: SecretBytes([UInt8](repeating: 7, count: 16)))),
        .identity(one, publicKey: publicKey),
        .authority(publicKey: publicKey),
        .beacon(id: "DEMO", key: key),
      ])
  }

  @Test func `Blank lines, comments, tabs, CRLF and a byte order mark do not matter`() throws {
    let entries = try read(
      "\u{FEFF}# keys\r\n\r\n \t \r\n\tmesh\tDEMO\tsecret\t\(Self.secret)\r\n  # end")
    #expect(entries == [.mesh(id: "DEMO", secret: try secretKey())])
    #expect(try read("") == [])
  }

  @Test(arguments: ["mesh with spaces", "日本語", "A#B", "secret"])
  func `A mesh id is taken exactly as written`(id: String) throws {
    #expect(
      try read("mesh \(id) secret \(Self.secret)")
        == [.mesh(id: id, secret: try secretKey())])
  }

  @Test(arguments: [
    ("mesh DEMO secret 42", "64 hexadecimal digits as word 4, found 2 characters"),
    ("mesh DEMO \(Self.secret)", "\"mesh ID secret HEX\""),
    ("mesh secret \(Self.secret)", "\"mesh ID secret HEX\""),
    ("genesis N key \(Self.secret)", "\"genesis NAME seed HEX\""),
    ("peer XYZ private \(Self.secret)", "a node id of 1 to 8 hexadecimal digits as word 2"),
    ("peer 1 private", "\"peer NODE private HEX\""),
    ("session 1 key \(Self.secret)", "\"session NODE NODE key HEX\""),
    ("irk C0:00:00:00:00 \(Self.secret)", "a device address such as C0:00:00:00:00:01 as word 2"),
    ("irk C0:00:00:00:00:0 42", "a device address such as C0:00:00:00:00:01 as word 2"),
    ("irk C0:00:00:00:00:01 42", "32 hexadecimal digits as word 3, found 2 characters"),
    ("irk", "\"irk ADDRESS HEX\""),
    ("authority \(Self.secret)", "\"authority public HEX\""),
    ("identity 1 private \(Self.secret)", "\"identity NODE public HEX\""),
    (
      Self.secret,
      "mesh, genesis, peer, session, irk, identity, authority, beacon, cdb or provisioning as "
        + "first word"
    ),
    (
      "beacon DEMO key \(String(repeating: "4g", count: 32))",
      "64 hexadecimal digits as word 4, found another character"
    ),
  ]) func `A wrong line is named with what was expected`(line: String, expected: String) {
    #expect(throws: KeysFileError(file: "keys", line: 3, expected: expected)) {
      try read("# one\n\n\(line)\nmesh DEMO secret \(Self.secret)")
    }
  }

  @Test func `An error repeats nothing of the line`() {
    let line = "mesh DEMO secret 5ec2e75ec2e75ec2e7"
    let error = #expect(throws: KeysFileError.self) { try read(line) }
    let text = "\(error.map { "\($0)" } ?? "")"
    #expect(text.hasPrefix("keys:1: expected "))
    #expect(!text.contains("5ec2e7") && !text.contains("DEMO"))
  }

  @Test func `The contents are wiped, also after an error`() throws {
    var good = Array("mesh DEMO secret \(Self.secret)".utf8)
    _ = try KeysFile(wiping: &good, file: "keys")
    #expect(good.allSatisfy { $0 == 0 })
    var bad = Array("nonsense \(Self.secret)".utf8)
    _ = try? KeysFile(wiping: &bad, file: "keys")
    #expect(bad.allSatisfy { $0 == 0 })
  }

  @Test func `Any cut or changed byte gives entries or an error, never a trap`() {
    let text = Array("mesh A secret \(Self.secret)\nirk C0:00:00:00:00:01 00\nx".utf8)
    for index in text.indices {
      for byte: UInt8 in [0, 0x0A, 0x20, 0x23, 0x3A, 0xFF] {
        var changed = text
        changed[index] = byte
        _ = try? KeysFile(wiping: &changed, file: "keys")
      }
      var cut = Array(text.prefix(index))
      _ = try? KeysFile(wiping: &cut, file: "keys")
    }
  }

  @Test func `A file that others can read is warned of`() {
    #expect(KeysFile.warning(mode: 0o100600, file: "k") == nil)
    #expect(KeysFile.warning(mode: 0o100700, file: "k") == nil)
    #expect(KeysFile.warning(mode: 0o100622, file: "k") == nil)
    #expect(
      KeysFile.warning(mode: 0o100640, file: "k")
        == "k can be read by its group (mode 640); chmod 600 keeps the secrets private")
    #expect(KeysFile.warning(mode: 0o100604, file: "k")?.contains("everyone outside") == true)
    #expect(KeysFile.warning(mode: 0o100644, file: "k")?.contains("mode 644") == true)
  }
}
