internal import PeatSecurity

/// The functions that keys of the mesh are derived with (Mesh Protocol 1.1, 3.9.2).
package enum MeshFunctions {
  private static let zero = MeshKey(made: [UInt8](repeating: 0, count: 16))

  /// A salt of a text.
  package static func s1(_ text: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try Libcrypto.cmac(zero, text)
  }

  /// A salt of a text, for HMAC (1.1).
  package static func s2(_ text: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try Libcrypto.hmac(key: [UInt8](repeating: 0, count: 32), text)
  }

  /// A key of a secret of any length.
  package static func k1(
    _ secret: [UInt8], salt: [UInt8], _ text: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    let inner = try Libcrypto.cmac(MeshKey(made: salt), secret)
    return try Libcrypto.cmac(MeshKey(made: inner), text)
  }

  /// NID, encryption key and privacy key.
  package static func k2(
    _ key: MeshKey, _ text: [UInt8]
  ) throws(CryptoFailure) -> (nid: UInt8, encryption: MeshKey, privacy: MeshKey) {
    let salted = try salted(key, "smk2")
    let first = try Libcrypto.cmac(salted, text + [1])
    let second = try Libcrypto.cmac(salted, first + text + [2])
    let third = try Libcrypto.cmac(salted, second + text + [3])
    return (first[15] & 0x7F, MeshKey(made: second), MeshKey(made: third))
  }

  /// The network ID.
  package static func k3(_ key: MeshKey) throws(CryptoFailure) -> [UInt8] {
    Array(try Libcrypto.cmac(salted(key, "smk3"), Array("id64".utf8) + [1]).suffix(8))
  }

  /// AID.
  package static func k4(_ key: MeshKey) throws(CryptoFailure) -> UInt8 {
    try Libcrypto.cmac(salted(key, "smk4"), Array("id6".utf8) + [1])[15] & 0x3F
  }

  /// A key of a secret, with HMAC (1.1).
  package static func k5(
    _ secret: [UInt8], salt: [UInt8], _ text: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    try Libcrypto.hmac(key: Libcrypto.hmac(key: salt, secret), text)
  }

  /// A key of a net key for one purpose: k1 with the salt of a name and "id128".
  static func purpose(_ key: MeshKey, _ name: String) throws(CryptoFailure) -> MeshKey {
    let salt = MeshKey(made: try s1(Array(name.utf8)))
    let inner = MeshKey(made: try Libcrypto.cmac(salt, key.bytes.copy()))
    return MeshKey(made: try Libcrypto.cmac(inner, Array("id128".utf8) + [1]))
  }

  private static func salted(_ key: MeshKey, _ name: String) throws(CryptoFailure) -> MeshKey {
    let salt = MeshKey(made: try s1(Array(name.utf8)))
    return MeshKey(made: try Libcrypto.cmac(salt, key.bytes.copy()))
  }
}
