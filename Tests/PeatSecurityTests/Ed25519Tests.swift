import PeatSecurity
import PeatTestSupport
import Testing

/// The equation S·B − k·A = R without cofactor, byte for byte (protocol.md 6.4).
@Suite struct Ed25519Tests {
  /// The eight points of small order, canonical (RFC 8032 section 5.1; order 1, 2, 4, 4, 8 four
  /// times).
  static let smallOrder = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  ]

  @Test(arguments: smallOrder)
  func `A key of small order passes for some messages`(text: String) throws {
    let publicKey = try bytes(text)
    // With S = 0 the equation is R = −k·A, so R is one of the multiples of A.
    var accepted = 0
    for number: UInt8 in 0..<16 {
      for commitment in Self.smallOrder {
        let signature = try bytes(commitment) + [UInt8](repeating: 0, count: 32)
        if Ed25519.isValid(signature: signature, of: [number], publicKey: publicKey) {
          accepted += 1
        }
      }
    }
    // Each of 16 messages has 8 tries; k·A hits a given multiple by chance. For the neutral key
    // exactly R = neutral passes.
    if publicKey[0] == 1 { #expect(accepted == 16) } else { #expect(accepted > 0) }
  }

  @Test func `The non-canonical spelling of the neutral point is another R but the same key`()
    throws
  {
    let canonical = try bytes(Self.smallOrder[0])
    // p + 1, RFC 8032 section 5.1: p = 2^255 − 19.
    let other = try bytes("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")
    let zero = [UInt8](repeating: 0, count: 32)
    #expect(Ed25519.isValid(signature: canonical + zero, of: [1], publicKey: other))
    #expect(!Ed25519.isValid(signature: other + zero, of: [1], publicKey: canonical))
  }

  @Test func `A small-order R with an ordinary key does not pass by chance`() throws {
    let key = Ed25519.publicKey(of: .random())
    for commitment in Self.smallOrder {
      let signature = try bytes(commitment) + [UInt8](repeating: 0, count: 32)
      #expect(!Ed25519.isValid(signature: signature, of: [1], publicKey: key))
    }
  }

  @Test func `Wrong lengths and keys off the curve are refused`() throws {
    let seed = SecretKey.random()
    let key = Ed25519.publicKey(of: seed)
    let signature = Ed25519.signature(of: [1], seed: seed)
    #expect(Ed25519.isValid(signature: signature, of: [1], publicKey: key))
    #expect(!Ed25519.isValid(signature: Array(signature.dropLast()), of: [1], publicKey: key))
    #expect(!Ed25519.isValid(signature: signature, of: [1], publicKey: Array(key.dropLast())))
    let offCurve = [UInt8](repeating: 2, count: 32)
    #expect(!Ed25519.isValid(signature: signature, of: [1], publicKey: offCurve))
  }

  @Test func `Every changed bit of a signature fails`() throws {
    let seed = SecretKey.random()
    let key = Ed25519.publicKey(of: seed)
    let sound = Ed25519.signature(of: [1, 2], seed: seed)
    for bit in 0..<512 {
      var changed = sound
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!Ed25519.isValid(signature: changed, of: [1, 2], publicKey: key), "bit \(bit)")
    }
  }
}
