package import PeatProtocol

/// An encrypted beacon, 21 bytes (protocol.md 1.5).
///
/// The last four bytes are in clear and not covered by the authentication code.
package struct EncryptedBeacon: Hashable, Sendable {
  /// Bytes of a beacon; more are ignored.
  package static let size: Int = 21
  /// First byte.
  package static let version: UInt8 = 2
  /// Bytes of the nonce.
  package static let nonceSize: Int = 4

  /// 4 bytes of the BLAKE3 hash of the mesh id's text.
  package var mesh: [UInt8]
  package var node: NodeID
  /// All 16 bits, in clear.
  package var capabilities: UInt16
  /// Hierarchy level as sent, in clear.
  package var hierarchyLevel: UInt8
  /// Battery in percent as sent, in clear; 255 is unknown.
  package var battery: UInt8

  /// Makes a beacon from its parts; nil unless `mesh` has 4 bytes.
  package init?(
    mesh: [UInt8], node: NodeID, capabilities: UInt16, hierarchyLevel: UInt8, battery: UInt8
  ) {
    guard mesh.count == 4 else { return nil }
    self.mesh = mesh
    self.node = node
    self.capabilities = capabilities
    self.hierarchyLevel = hierarchyLevel
    self.battery = battery
  }

  /// The 4 bytes that stand for a mesh in a beacon (protocol.md 1.5).
  package static func meshBytes(meshID: String) -> [UInt8] {
    BLAKE3.hash(Array(meshID.utf8), count: 4)
  }

  /// Whether bytes have the length and version of an encrypted beacon.
  package static func isCandidate(_ bytes: [UInt8]) -> Bool {
    bytes.count >= size && bytes.first == version
  }

  /// Opens a beacon; nil where it is none or its authentication code is of another key.
  package init?(_ bytes: [UInt8], key: SecretKey) {
    guard Self.isCandidate(bytes) else { return nil }
    let nonce = Array(bytes[1..<5])
    let hidden = Array(bytes[5..<13])
    guard Sodium.equal(Self.code(nonce: nonce, hidden: hidden, key: key), Array(bytes[13..<17]))
    else { return nil }
    let clear = Self.masked(hidden, nonce: nonce, key: key)
    mesh = Array(clear[..<4])
    node = NodeID(rawValue: clear[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
    capabilities = UInt16(bytes[17]) << 8 | UInt16(bytes[18])
    hierarchyLevel = bytes[19]
    battery = bytes[20]
  }

  /// The 21 bytes under a key; nil unless the nonce has 4 bytes.
  package func sealed(key: SecretKey, nonce: [UInt8]) -> [UInt8]? {
    guard nonce.count == Self.nonceSize else { return nil }
    let hidden = Self.masked(mesh + node.bigEndianBytes, nonce: nonce, key: key)
    let code = Self.code(nonce: nonce, hidden: hidden, key: key)
    return [Self.version] + nonce + hidden + code
      + [
        UInt8(truncatingIfNeeded: capabilities >> 8), UInt8(truncatingIfNeeded: capabilities),
        hierarchyLevel, battery,
      ]
  }

  /// Mesh and node XOR the first 8 bytes of the plain hash of key and nonce.
  private static func masked(_ bytes: [UInt8], nonce: [UInt8], key: SecretKey) -> [UInt8] {
    var hasher = BLAKE3()
    key.withSpan { hasher.absorb($0) }
    hasher.absorb(nonce)
    return zip(bytes, hasher.output(8)).map { $0 ^ $1 }
  }

  /// The first 4 bytes of the keyed hash of nonce and hidden bytes.
  private static func code(nonce: [UInt8], hidden: [UInt8], key: SecretKey) -> [UInt8] {
    BLAKE3.keyedHash(nonce + hidden, key: key, count: 4)
  }
}
