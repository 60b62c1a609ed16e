internal import CSodium

/// The verification equation of Ed25519 without cofactor and without a ban on weak points.
///
/// Reached only by signatures that libsodium refuses. A forged one costs two fast products, a key
/// of small order a few additions; only a key of mixed order costs some hundred additions.
enum Ed25519Equation {
  /// Order of the main subgroup, least significant byte first (RFC 8032 section 5.1).
  private static let order: [UInt8] = [
    0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
  ]
  /// The neutral point.
  private static let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)

  /// Whether S·B − k·A encodes to R, with k = SHA-512(R, A, message) modulo the order.
  static func holds(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
    let commitment = Array(signature[..<32])
    let scalar = Array(signature[32...])
    guard isBelowOrder(scalar), isWorthChecking(commitment, publicKey),
      let key = sum(publicKey, neutral),
      let keyPart = product(challenge(commitment, publicKey, message), key),
      let difference = difference(baseProduct(scalar), keyPart)
    else { return false }
    return difference == commitment
  }

  /// Whether libsodium may have refused for a weak or non-canonical point: a sound pair of points
  /// that it refused does not satisfy the equation.
  private static func isWorthChecking(_ commitment: [UInt8], _ publicKey: [UInt8]) -> Bool {
    // Each array has the 32 bytes of a point.
    unsafe crypto_core_ed25519_is_valid_point(commitment) == 0
      || crypto_core_ed25519_is_valid_point(publicKey) == 0
  }

  private static func isBelowOrder(_ scalar: [UInt8]) -> Bool {
    for (digit, limit) in zip(scalar, order).reversed() where digit != limit {
      return digit < limit
    }
    return false
  }

  private static func challenge(
    _ commitment: [UInt8], _ publicKey: [UInt8], _ message: [UInt8]
  ) -> [UInt8] {
    let input = commitment + publicKey + message
    var hash = [UInt8](repeating: 0, count: 64)
    var reduced = [UInt8](repeating: 0, count: 32)
    // SHA-512 writes 64 bytes; the reduction reads them and writes 32.
    unsafe crypto_hash_sha512(&hash, input, UInt64(input.count))
    unsafe crypto_core_ed25519_scalar_reduce(&reduced, hash)
    return reduced
  }

  private static func baseProduct(_ scalar: [UInt8]) -> [UInt8] {
    var point = neutral
    // Both arrays have 32 bytes. The call fails for the scalar 0 alone, whose product is neutral.
    if unsafe crypto_scalarmult_ed25519_base_noclamp(&point, scalar) != 0 { return neutral }
    return point
  }

  /// The product with a point of any order; nil where `point` is none.
  private static func product(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8]? {
    var fast = neutral
    // All have 32 bytes. The call fails outside the main subgroup and for a neutral result.
    if unsafe crypto_scalarmult_ed25519_noclamp(&fast, scalar, point) == 0 { return fast }
    // A point of small order has order 1, 2, 4 or 8: the lowest three bits decide.
    let low = [scalar[0] & 7]
    return ladder(isSmallOrder(point) ? low : scalar, point)
  }

  private static func isSmallOrder(_ point: [UInt8]) -> Bool {
    var multiple = point
    for _ in 0..<3 {
      guard let doubled = sum(multiple, multiple) else { return false }
      multiple = doubled
    }
    return multiple == neutral
  }

  /// Doubles and adds from the highest bit on; nothing here is secret.
  private static func ladder(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8]? {
    var result = neutral
    for byte in scalar.reversed() {
      for bit in (0..<8).reversed() {
        guard let doubled = sum(result, result) else { return nil }
        result = doubled
        if byte >> UInt8(bit) & 1 == 1 {
          guard let added = sum(result, point) else { return nil }
          result = added
        }
      }
    }
    return result
  }

  private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8]? {
    var point = neutral
    // All three have 32 bytes.
    return unsafe crypto_core_ed25519_add(&point, left, right) == 0 ? point : nil
  }

  private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8]? {
    var point = neutral
    // All three have 32 bytes.
    return unsafe crypto_core_ed25519_sub(&point, left, right) == 0 ? point : nil
  }
}
