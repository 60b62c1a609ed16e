import PeatSecurity

/// What stands for names, addresses and keys in an anonymised capture: equal ones for equal ones,
/// and nobody without the run's key can tell whose they are.
package final class Pseudonyms {
  private let hash: KeyedHash
  private var nodes: [UInt32: UInt32] = [:]
  private var addresses: [UInt64: UInt64] = [:]
  /// Keys that resolve private addresses, most significant byte first, with what stands for them.
  private var resolving: [(key: IdentityResolvingKey, substitute: [UInt8])] = []
  /// Pseudonyms remembered of each kind; more are made anew each time they are met.
  private static let limit = 1 << 16
  /// Days that the capture is moved by; 0 keeps it.
  package let days: Int64

  /// Takes the run's key; `movesTime` moves all times by one number of days.
  package init(key: [UInt8], movesTime: Bool) {
    let hash = KeyedHash(key: key)
    self.hash = hash
    let draw = hash(Array("days".utf8))
    // Into the future: a time before 2020 would be dropped by every receiver.
    days = movesTime ? 30 + Int64(UInt16(draw[0]) << 8 | UInt16(draw[1])) % 3000 : 0
  }

  /// Bytes that stand for others of the same use.
  package func bytes(_ original: [UInt8], _ use: String, count: Int? = nil) -> [UInt8] {
    let wanted = count ?? original.count
    let message = Array(use.utf8) + [0] + original
    var result = hash(message)
    if wanted > result.count {
      let seed = KeyedHash(key: result)
      var block: UInt8 = 0
      var page: UInt8 = 0
      while result.count < wanted {
        result += seed([block, page])
        (block, page) = block == 255 ? (0, page &+ 1) : (block + 1, page)
      }
    }
    return Array(result.prefix(wanted))
  }

  private func number(_ original: [UInt8], _ use: String) -> UInt64 {
    bytes(original, use, count: 8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: - Nodes and addresses

  /// The node that stands for a node: a permutation, which leaves nobody and everybody alone.
  package func node(_ id: UInt32) -> UInt32 {
    if id == 0 || id == .max { return id }
    if let known = nodes[id] { return known }
    var result = permuted(id)
    while result == 0 || result == .max || result == id { result = permuted(result) }
    if nodes.count < Pseudonyms.limit { nodes[id] = result }
    return result
  }

  /// Four rounds of a Feistel network.
  private func permuted(_ id: UInt32) -> UInt32 {
    var left = UInt16(truncatingIfNeeded: id >> 16)
    var right = UInt16(truncatingIfNeeded: id)
    for round in UInt8(0)..<4 {
      let input = [round, UInt8(right >> 8), UInt8(truncatingIfNeeded: right)]
      let mixed = UInt16(truncatingIfNeeded: number(input, "node"))
      (left, right) = (right, left ^ mixed)
    }
    return UInt32(left) << 16 | UInt32(right)
  }

  /// The device address that stands for one: its two type bits stay, its lower half is mapped as
  /// node ids are, since a node's id is often its address; a private address that a known key
  /// resolves is one of the key that stands for it.
  package func address(_ address: UInt64) -> UInt64 {
    if address == 0 || address == 0xFFFF_FFFF_FFFF { return address }
    if let known = addresses[address] { return known }
    let result = resolved(address) ?? mapped(address)
    if addresses.count < Pseudonyms.limit { addresses[address] = result }
    return result
  }

  private func mapped(_ address: UInt64) -> UInt64 {
    let high = UInt16(truncatingIfNeeded: address >> 32)
    let draw = UInt16(
      truncatingIfNeeded: number([UInt8(high >> 8), UInt8(truncatingIfNeeded: high)], "company"))
    let newHigh = high & 0xC000 | draw & 0x3FFF
    return UInt64(newHigh) << 32 | UInt64(node(UInt32(truncatingIfNeeded: address)))
  }

  /// Learns a key of a pairing or of the user's, most significant byte first.
  package func learn(resolvingKey key: [UInt8]) {
    guard key.count == 16, resolving.count < 1024 else { return }
    let known = IdentityResolvingKey(address: 0, key: SecretBytes(key))
    guard !resolving.contains(where: { $0.key == known }) else { return }
    resolving.append((known, resolvingKey(key)))
    addresses = [:]
  }

  /// The identity resolving key that stands for one, most significant byte first.
  package func resolvingKey(_ key: [UInt8]) -> [UInt8] { bytes(key, "key") }

  private func resolved(_ address: UInt64) -> UInt64? {
    guard IdentityResolvingKey.isResolvable(address),
      let entry = resolving.first(where: { $0.key.resolves(address) })
    else { return nil }
    let random = (0x40_0000 | number(be(address), "prand") & 0x3F_FFFF)
    let block =
      [UInt8](repeating: 0, count: 13) + [16, 8, 0].map { UInt8(truncatingIfNeeded: random >> $0) }
    guard let hash = AES128.encrypt(block, key: entry.substitute) else { return nil }
    return random << 24 | hash.suffix(3).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func be(_ address: UInt64) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
  }

  // MARK: - Texts

  /// A text of the same length and the same kinds of characters, none where it was.
  package func text(_ original: [UInt8], _ use: String = "text") -> [UInt8] {
    let draws = bytes(original, use, count: original.count * 2)
    let isText = String(validating: original, as: UTF8.self) != nil
    return original.indices.map { index in
      let draw = Int(draws[2 * index]) << 8 | Int(draws[2 * index + 1])
      return Pseudonyms.other(than: original[index], draw, isText: isText)
    }
  }

  /// A mesh id: the beginning of one stands for the beginning of the other, since advertising cuts
  /// it, and one of base 16 stays one.
  package func mesh(_ original: [UInt8]) -> [UInt8] {
    let isHex = original.allSatisfy { Pseudonyms.isHex($0) }
    return original.indices.map { index in
      let draw = Int(
        number(Array(original[...index]), isHex ? "mesh16" : "mesh") & 0xFFFF)
      return isHex
        ? Pseudonyms.otherHex(than: original[index], draw)
        : Pseudonyms.other(than: original[index], draw, isText: true)
    }
  }

  static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func other(than byte: UInt8, _ draw: Int, isText: Bool) -> UInt8 {
    switch byte {
    case 0x30...0x39: rotated(byte, from: 0x30, size: 10, draw)
    case 0x41...0x5A: rotated(byte, from: 0x41, size: 26, draw)
    case 0x61...0x7A: rotated(byte, from: 0x61, size: 26, draw)
    case 0x20, 0x2D, 0x5F: byte
    case 0x21...0x7E: 0x2E
    case 0x80...0xFF: isText ? UInt8(0x61 + draw % 26) : 0xFF
    default: byte
    }
  }

  private static func otherHex(than byte: UInt8, _ draw: Int) -> UInt8 {
    switch byte {
    case 0x30...0x39: rotated(byte, from: 0x30, size: 10, draw)
    case 0x41...0x46: rotated(byte, from: 0x41, size: 6, draw)
    default: rotated(byte, from: 0x61, size: 6, draw)
    }
  }

  private static func rotated(_ byte: UInt8, from first: UInt8, size: Int, _ draw: Int) -> UInt8 {
    first + UInt8((Int(byte - first) + 1 + draw % (size - 1)) % size)
  }
}
