typealias Words8 = InlineArray<8, UInt32>
typealias Words16 = InlineArray<16, UInt32>

extension BLAKE3 {
  /// Domain flags of the compression function (BLAKE3 specification, table 3).
  enum Flags {
    static let chunkStart: UInt32 = 1
    static let chunkEnd: UInt32 = 2
    static let parent: UInt32 = 4
    static let root: UInt32 = 8
    static let keyedHash: UInt32 = 16
    static let deriveKeyContext: UInt32 = 32
    static let deriveKeyMaterial: UInt32 = 64
  }

  /// The arguments of one compression, kept until it is known whether it is the root.
  struct Node {
    let chaining: Words8
    let block: Words16
    let counter: UInt64
    let length: UInt32
    let flags: UInt32

    /// The value that stands for this node in its parent.
    var chainingValue: Words8 {
      let words = BLAKE3Compression.compress(
        chaining, block, counter: counter, length: length, flags: flags)
      var value = Words8(repeating: 0)
      for index in value.indices { value[index] = words[index] }
      return value
    }

    /// 64 bytes of output when this node is the root (section 2.6).
    func rootOutput(_ outputCounter: UInt64) -> Words16 {
      BLAKE3Compression.compress(
        chaining, block, counter: outputCounter, length: length, flags: flags | Flags.root)
    }
  }
}

/// The compression function of BLAKE3 (specification, section 2.2).
enum BLAKE3Compression {
  /// The first words of SHA-256's initial state (table 1).
  static let initial: Words8 = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]

  /// Where each message word comes from in the next round (table 2).
  private static let permutation: InlineArray<16, Int> = [
    2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8,
  ]

  /// Seven rounds, then both halves are folded.
  static func compress(
    _ chaining: Words8, _ block: Words16, counter: UInt64, length: UInt32, flags: UInt32
  ) -> Words16 {
    var state = Words16(repeating: 0)
    for index in chaining.indices { state[index] = chaining[index] }
    for index in 0..<4 { state[index + 8] = initial[index] }
    state[12] = UInt32(truncatingIfNeeded: counter)
    state[13] = UInt32(truncatingIfNeeded: counter >> 32)
    state[14] = length
    state[15] = flags
    var message = block
    for round in 0..<7 {
      if round > 0 { message = permuted(message) }
      mixRound(&state, message)
    }
    for index in 0..<8 {
      state[index] ^= state[index + 8]
      state[index + 8] ^= chaining[index]
    }
    return state
  }

  private static func permuted(_ message: Words16) -> Words16 {
    var next = Words16(repeating: 0)
    for index in next.indices { next[index] = message[permutation[index]] }
    return next
  }

  /// Mixes the columns, then the diagonals.
  private static func mixRound(_ state: inout Words16, _ message: Words16) {
    for index in 0..<4 {
      mix(
        &state, index, 4 + index, 8 + index, 12 + index, message[2 * index],
        message[2 * index + 1])
    }
    for index in 0..<4 {
      mix(
        &state, index, 4 + (index + 1) % 4, 8 + (index + 2) % 4, 12 + (index + 3) % 4,
        message[8 + 2 * index], message[9 + 2 * index])
    }
  }

  @inline(__always)
  private static func mix(
    _ state: inout Words16, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt32, _ y: UInt32
  ) {
    state[a] = state[a] &+ state[b] &+ x
    state[d] = rotated(state[d] ^ state[a], 16)
    state[c] = state[c] &+ state[d]
    state[b] = rotated(state[b] ^ state[c], 12)
    state[a] = state[a] &+ state[b] &+ y
    state[d] = rotated(state[d] ^ state[a], 8)
    state[c] = state[c] &+ state[d]
    state[b] = rotated(state[b] ^ state[c], 7)
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }
}
