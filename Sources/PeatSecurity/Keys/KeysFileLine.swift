internal import PeatProtocol
internal import WireBytes

/// One line of a keys file, as words. It works on bytes, so that no text ever holds a secret.
struct KeysFileLine {
  /// What a line should have had. The texts never contain anything of the line.
  struct Expectation: Error {
    let text: String
  }

  private let line: ArraySlice<UInt8>
  private let words: [ArraySlice<UInt8>]

  init(_ raw: ArraySlice<UInt8>) {
    var line = raw
    // A byte order mark, as some editors put at the start of a file.
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    var previous: UInt8 = 0x20
    for index in line.indices {
      if line[index] == 0x23 && Self.isSpace(previous) {
        line = line[..<index]
        break
      }
      previous = line[index]
    }
    self.line = line
    words = line.split(whereSeparator: Self.isSpace)
  }

  /// The entry; nil for a line without one.
  func entry() throws(Expectation) -> KeysFile.Entry? {
    guard let kind = words.first else { return nil }
    switch String(decoding: kind, as: UTF8.self) {
    case "mesh":
      let (id, secret) = try named("mesh ID secret HEX", keyword: "secret", name: "mesh id")
      return .mesh(id: id, secret: secret)
    case "genesis":
      let (name, seed) = try named("genesis NAME seed HEX", keyword: "seed", name: "mesh name")
      return .genesis(GenesisMesh(name: name, seed: seed))
    case "beacon":
      let (id, key) = try named("beacon ID key HEX", keyword: "key", name: "mesh id")
      return .beacon(id: id, key: key)
    case "peer":
      try check("peer NODE private HEX", words: 4, keyword: "private", at: 2)
      return .peer(try node(1), privateKey: try secret(3))
    case "session":
      try check("session NODE NODE key HEX", words: 5, keyword: "key", at: 3)
      return .session(try node(1), try node(2), key: try secret(4))
    case "identity":
      try check("identity NODE public HEX", words: 4, keyword: "public", at: 2)
      return .identity(try node(1), publicKey: try hex(3, size: Ed25519.publicKeySize))
    case "authority":
      try check("authority public HEX", words: 3, keyword: "public", at: 1)
      return .authority(publicKey: try hex(2, size: Ed25519.publicKeySize))
    case "cdb":
      guard words.count >= 2, let last = words.last,
        let path = String(
          validating: line[words[1].startIndex..<last.endIndex], as: UTF8.self)
      else { throw Expectation(text: "\"cdb PATH\"") }
      return .database(path: path)
    case "provisioning":
      try check("provisioning private HEX", words: 3, keyword: "private", at: 1)
      var bytes = try hex(2, size: 32)
      defer { Sodium.wipe(&bytes) }
      return .provisioning(privateKey: SecretBytes(bytes))
    case "irk":
      guard words.count == 3 else { throw Expectation(text: "\"irk ADDRESS HEX\"") }
      let address = try address(1)
      var bytes = try hex(2, size: 16)
      defer { Sodium.wipe(&bytes) }
      return .irk(IdentityResolvingKey(address: address, key: SecretBytes(bytes)))
    default:
      throw Expectation(
        text: "mesh, genesis, peer, session, irk, identity, authority, beacon, cdb or provisioning "
          + "as first word")
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  private func check(
    _ form: StaticString, words count: Int, keyword: String, at index: Int
  ) throws(Expectation) {
    guard words.count == count, words[index].elementsEqual(keyword.utf8) else {
      throw Expectation(text: "\"\(form)\"")
    }
  }

  /// Reads `KIND NAME KEYWORD HEX`, where the name may contain spaces.
  private func named(
    _ form: StaticString, keyword: String, name: StaticString
  ) throws(Expectation) -> (String, SecretKey) {
    guard words.count >= 4, words[words.count - 2].elementsEqual(keyword.utf8) else {
      throw Expectation(text: "\"\(form)\"")
    }
    let range = words[1].startIndex..<words[words.count - 3].endIndex
    guard let text = String(validating: line[range], as: UTF8.self) else {
      throw Expectation(text: "a \(name) in UTF-8")
    }
    return (text, try secret(words.count - 1))
  }

  private func node(_ index: Int) throws(Expectation) -> NodeID {
    guard let node = NodeID(String(decoding: words[index], as: UTF8.self)) else {
      throw Expectation(text: "a node id of 1 to 8 hexadecimal digits as word \(index + 1)")
    }
    return node
  }

  private func secret(_ index: Int) throws(Expectation) -> SecretKey {
    var bytes = try hex(index, size: SecretKey.size)
    defer { Sodium.wipe(&bytes) }
    return SecretKey(exactly: bytes)
  }

  private func hex(_ index: Int, size: Int) throws(Expectation) -> [UInt8] {
    let digits = words[index]
    guard digits.count == size * 2 else {
      throw Expectation(
        text:
          "\(size * 2) hexadecimal digits as word \(index + 1), found \(digits.count) characters"
      )
    }
    guard let bytes = Hexadecimal.bytes(ascii: digits) else {
      throw Expectation(
        text: "\(size * 2) hexadecimal digits as word \(index + 1), found another character")
    }
    return bytes
  }

  private func address(_ index: Int) throws(Expectation) -> UInt64 {
    let octets = words[index].split(separator: 0x3A, omittingEmptySubsequences: false)
    var address: UInt64 = 0
    for octet in octets {
      guard octets.count == 6, octet.count == 2, let byte = Hexadecimal.bytes(ascii: octet)?.first
      else {
        throw Expectation(text: "a device address such as C0:00:00:00:00:01 as word 2")
      }
      address = address << 8 | UInt64(byte)
    }
    return address
  }
}
