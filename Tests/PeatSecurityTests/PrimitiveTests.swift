import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct HKDFTests {
  /// RFC 5869, appendix A.1 to A.3.
  struct Case: Sendable {
    let inputKey: String
    let salt: String
    let info: String
    let count: Int
    let output: String
  }

  static let cases = [
    Case(
      inputKey: String(repeating: "0b", count: 22), salt: "000102030405060708090a0b0c",
      info: "f0f1f2f3f4f5f6f7f8f9", count: 42,
      output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
        + "34007208d5b887185865"),
    Case(
      inputKey: (0..<80).map { hex(UInt8($0)) }.joined(),
      salt: (0x60..<0xB0).map { hex(UInt8($0)) }.joined(),
      info: (0xB0...0xFF).map { hex(UInt8($0)) }.joined(), count: 82,
      output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        + "cc30c58179ec3e87c14c01d5c1f3434f1d87"),
    Case(
      inputKey: String(repeating: "0b", count: 22), salt: "", info: "", count: 42,
      output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        + "9d201395faa4b61a96c8"),
  ]

  static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
  }

  @Test(arguments: 0..<3) func `The cases of RFC 5869 with SHA-256 match`(index: Int) throws {
    let one = Self.cases[index]
    let output = HKDF.derive(
      salt: try bytes(one.salt), inputKey: SecretBytes(try bytes(one.inputKey)),
      info: try bytes(one.info), count: one.count)
    #expect(output?.copy() == hexBytes(one.output))
  }

  @Test func `More than 255 hash lengths are refused`() {
    let key = SecretBytes([1])
    let longest = HKDF.derive(salt: [], inputKey: key, info: [], count: 255 * 32)
    #expect(longest?.count == 255 * 32)
    #expect(HKDF.derive(salt: [], inputKey: key, info: [], count: 255 * 32 + 1) == nil)
    #expect(HKDF.derive(salt: [], inputKey: key, info: [], count: 0)?.count == 0)
  }
}

@Suite struct ChaChaPolyTests {
  /// RFC 8439 appendix A.5 has associated data; protocol.md example 5 has none, as here.
  @Test func `The worked example of the protocol is sealed, opened and decrypted unchecked`()
    throws
  {
    let key = try key("c264d8906f2fb13a1abdedf75e808e5325db111bb196682e3e7b6e118021a120")
    let nonce: [UInt8] = Array(0x10...0x1B)
    let plaintext: [UInt8] = [1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]
    let sealed = try #require(ChaChaPoly.seal(plaintext, key: key, nonce: nonce))
    #expect(sealed.ciphertext == hexBytes("f46d9e6500799414c5278bc8"))
    #expect(sealed.tag == hexBytes("cb408b6e4d476d2a8182ab925af26e4f"))
    #expect(
      ChaChaPoly.open(sealed.ciphertext, tag: sealed.tag, key: key, nonce: nonce) == plaintext)
    #expect(
      ChaChaPoly.decryptUnchecked(sealed.ciphertext, key: key, nonce: nonce) == plaintext)
    var damaged = sealed.tag
    damaged[15] ^= 1
    #expect(ChaChaPoly.open(sealed.ciphertext, tag: damaged, key: key, nonce: nonce) == nil)
  }

  @Test func `A nonce or tag of another length is refused`() {
    let key = SecretKey.random()
    #expect(ChaChaPoly.seal([1], key: key, nonce: []) == nil)
    #expect(ChaChaPoly.open([1], tag: [1], key: key, nonce: [UInt8](1...12)) == nil)
    #expect(ChaChaPoly.decryptUnchecked([1], key: key, nonce: [1]) == nil)
  }
}

@Suite struct X25519Tests {
  /// The keys A and B of protocol.md, example 8.
  @Test func `The worked example of the protocol agrees from both sides`() throws {
    let first = try #require(SecretKey([UInt8](repeating: 0x11, count: 32)))
    let second = try #require(SecretKey([UInt8](repeating: 0x22, count: 32)))
    let firstPublic = X25519.publicKey(of: first)
    let secondPublic = X25519.publicKey(of: second)
    #expect(
      firstPublic == hexBytes("7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13"))
    #expect(
      secondPublic == hexBytes("0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20"))
    let shared = hexBytes("9e004098efc091d4ec2663b4e9f5cfd4d7064571690b4bea97ab146ab9f35056")
    #expect(X25519.sharedSecret(privateKey: first, publicKey: secondPublic)?.copy() == shared)
    #expect(X25519.sharedSecret(privateKey: second, publicKey: firstPublic)?.copy() == shared)
  }

  /// The points of order 1, 2, 4 and 8 and their non-canonical spellings, RFC 7748 section 6.1.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ]) func `A public key of small order gives the all-zero secret`(key: String) throws {
    let bytes = try #require(hexBytes(key))
    #expect(X25519.isWeak(bytes))
    let shared = X25519.sharedSecret(privateKey: .random(), publicKey: bytes)
    #expect(shared?.copy() == [UInt8](repeating: 0, count: 32))
    // The top bit of a public key does not count (RFC 7748 section 5).
    var high = bytes
    high[31] |= 0x80
    #expect(X25519.isWeak(high))
  }

  @Test func `An ordinary public key is not weak`() {
    #expect(!X25519.isWeak(X25519.publicKey(of: .random())))
    #expect(X25519.sharedSecret(privateKey: .random(), publicKey: [1]) == nil)
  }
}

@Suite struct SecretBytesTests {
  @Test func `No text of a secret shows its bytes`() throws {
    let secret = SecretBytes([UInt8](repeating: 0xAB, count: 32))
    let key = try #require(SecretKey([UInt8](repeating: 0xAB, count: 32)))
    var dumped = ""
    dump([secret], to: &dumped)
    dump(key, to: &dumped)
    for text in [
      "\(secret)", String(reflecting: secret), "\(key)", String(reflecting: key), dumped,
    ] {
      #expect(text.contains("<secret, 32 bytes>"))
      #expect(!text.lowercased().contains("ab, ") && !text.contains("171"))
    }
  }

  @Test func `Secrets compare by their bytes`() {
    #expect(SecretBytes([1, 2]) == SecretBytes([1, 2]))
    #expect(SecretBytes([1, 2]) != SecretBytes([1, 3]))
    #expect(SecretBytes([1, 2]) != SecretBytes([1]))
    #expect(SecretBytes([]) == SecretBytes([]))
  }

  @Test func `A key has exactly 32 bytes`() {
    #expect(SecretKey([UInt8](repeating: 1, count: 31)) == nil)
    #expect(SecretKey([UInt8](repeating: 1, count: 33)) == nil)
    #expect(SecretKey([UInt8](1...32))?.copy() == [UInt8](1...32))
  }
}
