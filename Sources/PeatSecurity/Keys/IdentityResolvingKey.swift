/// A key that resolves private addresses of one device (Core Specification Vol 3 Part H 2.2.2).
package struct IdentityResolvingKey: Sendable, Equatable {
  /// The device's identity address: 48 bits, the first octet as written in the highest ones.
  package let address: UInt64
  /// 16 bytes, the most significant first, as the Core Specification writes keys.
  package let key: SecretBytes

  /// Makes a key from its parts.
  package init(address: UInt64, key: SecretBytes) {
    self.address = address
    self.key = key
  }

  /// Whether a 48-bit address has the form of a resolvable private one: 01 as its two highest
  /// bits (Core Specification Vol 6 Part B 1.3.2.2).
  package static func isResolvable(_ address: UInt64) -> Bool { address >> 46 & 3 == 1 }

  /// Whether a resolvable private address was made with this key: its low half is the hash of
  /// its high half (Core Specification Vol 3 Part H 2.2.2).
  ///
  /// A key that was not used for it fits 1 in 2^24 addresses.
  package func resolves(_ address: UInt64) -> Bool {
    guard Self.isResolvable(address) else { return false }
    let random = (0..<3).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
    let block = [UInt8](repeating: 0, count: 13) + random
    var keyBytes = key.copy()
    defer { Sodium.wipe(&keyBytes) }
    guard let hash = AES128.encrypt(block, key: keyBytes) else { return false }
    return hash.suffix(3).reduce(0) { $0 << 8 | UInt64($1) } == address & 0xFF_FFFF
  }
}
