/// AES with a 128-bit key, forward direction only (FIPS 197): all that private addresses need.
///
/// It looks up a table by secret bytes, so its time may tell something of the key to who shares
/// the processor; it serves reading captures, not guarding them.
package enum AES128 {
  private static let blockSize = 16
  private static let rounds = 10

  /// Encrypts one block; nil unless key and block have 16 bytes.
  package static func encrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard block.count == blockSize, key.count == blockSize else { return nil }
    var roundKey = key
    var constant: UInt8 = 1
    var state = zip(block, roundKey).map { $0 ^ $1 }
    for round in 1...rounds {
      state = shiftedRows(state.map { substitution[Int($0)] })
      if round < rounds { state = mixedColumns(state) }
      roundKey = nextRoundKey(roundKey, constant)
      constant = doubled(constant)
      state = zip(state, roundKey).map { $0 ^ $1 }
    }
    return state
  }

  /// The S-box: the inverse in GF(2^8), then an affine map (FIPS 197 section 5.1.1).
  private static let substitution: [UInt8] = {
    var box = [UInt8](repeating: 0x63, count: 256)
    // 3 generates the field; p runs through its powers and q through their inverses.
    var p: UInt8 = 1
    var q: UInt8 = 1
    repeat {
      p ^= doubled(p)
      q ^= q << 1
      q ^= q << 2
      q ^= q << 4
      if q & 0x80 != 0 { q ^= 0x09 }
      box[Int(p)] =
        0x63 ^ q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^ rotated(q, 4)
    } while p != 1
    return box
  }()

  private static func rotated(_ byte: UInt8, _ count: UInt8) -> UInt8 {
    byte << count | byte >> (8 - count)
  }

  private static func doubled(_ byte: UInt8) -> UInt8 {
    byte << 1 ^ (byte & 0x80 != 0 ? 0x1B : 0)
  }

  /// Row r of the column-wise state moves r places to the left (section 5.1.2).
  private static func shiftedRows(_ state: [UInt8]) -> [UInt8] {
    (0..<blockSize).map { state[($0 + 4 * ($0 % 4)) % blockSize] }
  }

  private static func mixedColumns(_ state: [UInt8]) -> [UInt8] {
    (0..<blockSize).map { index in
      let column = index / 4 * 4
      let a = state[index]
      let b = state[column + (index + 1) % 4]
      let c = state[column + (index + 2) % 4]
      let d = state[column + (index + 3) % 4]
      return doubled(a) ^ doubled(b) ^ b ^ c ^ d
    }
  }

  private static func nextRoundKey(_ key: [UInt8], _ constant: UInt8) -> [UInt8] {
    var next = key
    for index in 0..<blockSize {
      let previous =
        switch index {
        case 0: substitution[Int(key[13])] ^ constant
        case 1...3: substitution[Int(key[12 + (index + 1) % 4])]
        default: next[index - 4]
        }
      next[index] = key[index] ^ previous
    }
    return next
  }
}
