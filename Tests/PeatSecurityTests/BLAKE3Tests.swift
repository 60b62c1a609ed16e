import Foundation
import PeatSecurity
import PeatTestSupport
import Testing

/// Against the official vectors of the BLAKE3 project (Tests/DATA.md).
@Suite struct BLAKE3Tests {
  private static func published() throws -> JSON {
    let file = TestData.testsFolder.appendingPathComponent("PublishedVectors/blake3.json")
    return try JSON(parsing: Data(contentsOf: file))
  }

  /// The input rule of the vectors: 0, 1, … 250, 0, 1, …
  private static func input(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
  }

  @Test func `Every published hash, keyed hash and derived key matches`() throws {
    let vectors = try Self.published()
    let key = try #require(SecretKey(Array(vectors.text("key").utf8)))
    let context = try vectors.text("context_string")
    for vector in try vectors.list("cases") {
      let length = try #require(vector["input_len"].int)
      let input = Self.input(length)
      let hash = try vector.bytes("hash")
      #expect(BLAKE3.hash(input, count: hash.count) == hash, "hash of \(length)")
      let keyed = try vector.bytes("keyed_hash")
      #expect(BLAKE3.keyedHash(input, key: key, count: keyed.count) == keyed, "keyed \(length)")
      var deriving = BLAKE3(derivingFor: context)
      deriving.absorb(input)
      let derived = try vector.bytes("derive_key")
      #expect(deriving.output(derived.count) == derived, "derived from \(length)")
    }
  }

  @Test func `A shorter output is the start of a longer one`() {
    let long = BLAKE3.hash([1, 2, 3], count: 200)
    for count in [0, 1, 31, 32, 33, 63, 64, 65, 128, 199] {
      #expect(BLAKE3.hash([1, 2, 3], count: count) == Array(long.prefix(count)))
    }
  }

  @Test func `Input in pieces hashes as input in one`() {
    let input = Self.input(3000)
    let whole = BLAKE3.hash(input)
    for size in [1, 63, 64, 65, 1023, 1024, 1025, 2999] {
      var hasher = BLAKE3()
      var rest = input[...]
      while !rest.isEmpty {
        hasher.absorb(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(hasher.output() == whole, "pieces of \(size)")
    }
  }
}
