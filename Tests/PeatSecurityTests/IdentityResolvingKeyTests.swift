import PeatSecurity
import PeatTestSupport
import Testing

@Suite struct IdentityResolvingKeyTests {
  /// FIPS 197, appendix B and C.1.
  @Test(arguments: [
    (
      "3243f6a8885a308d313198a2e0370734", "2b7e151628aed2a6abf7158809cf4f3c",
      "3925841d02dc09fbdc118597196a0b32"
    ),
    (
      "00112233445566778899aabbccddeeff", "000102030405060708090a0b0c0d0e0f",
      "69c4e0d86a7b0430d8cdb78070b4c55a"
    ),
  ]) func `The block cipher gives the standard's examples`(
    block: String, key: String, expected: String
  ) throws {
    #expect(try AES128.encrypt(bytes(block), key: bytes(key)) == bytes(expected))
  }

  /// Core Specification Vol 3 Part H, appendix D.7: prand 708194, hash 0dfbaa.
  @Test func `The address of the specification's example resolves with its key only`() throws {
    let key = try bytes("ec0234a357c8ad05341010a60a397d9b")
    let known = IdentityResolvingKey(address: 0xC000_0000_0001, key: SecretBytes(key))
    #expect(known.resolves(0x7081_940D_FBAA))
    #expect(!known.resolves(0x7081_940D_FBAB))
    #expect(!known.resolves(0x7081_950D_FBAA))
    let other = IdentityResolvingKey(address: 1, key: SecretBytes(key.reversed()))
    #expect(!other.resolves(0x7081_940D_FBAA))
    var keyring = Keyring()
    keyring.add(.irk(other))
    #expect(keyring.identityAddress(of: 0x7081_940D_FBAA) == nil)
    keyring.add(.irk(known))
    #expect(keyring.identityAddress(of: 0x7081_940D_FBAA) == 0xC000_0000_0001)
  }

  @Test func `Static, non-resolvable and public-looking addresses never resolve`() {
    for top: UInt64 in 0..<256 {
      #expect(IdentityResolvingKey.isResolvable(top << 40) == (0x40...0x7F).contains(top))
    }
  }
}
