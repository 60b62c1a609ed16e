package import BluetoothMesh
internal import WireBytes

/// What network PDUs are sealed with: of a net key for flooding, or of a friendship.
package struct NetworkCredentials: Sendable {
  /// The name that PDUs carry.
  package let nid: UInt8
  let encryption: MeshKey
  let privacy: MeshKey

  /// How a PDU is sealed.
  package enum Use: Sendable, BitwiseCopyable {
    case network
    /// Proxy configuration, a control message without TTL to nobody (Mesh Protocol 1.1, 6.5).
    case proxy
  }

  /// Derives them; `purpose` is 0 for flooding, else what names a friendship.
  package init(_ key: MeshKey, purpose: [UInt8] = [0]) throws(CryptoFailure) {
    (nid, encryption, privacy) = try MeshFunctions.k2(key, purpose)
  }

  /// Opens a PDU; nil where these are not its credentials, or not this IV index.
  package func open(
    _ pdu: SealedNetworkPDU, ivIndex: UInt32, use: Use = .network
  ) throws(CryptoFailure) -> NetworkPDU? {
    guard pdu.nid == nid else { return nil }
    let clear = try NetworkCredentials.obfuscated(
      pdu.header, privacy: privacy, random: pdu.privacyRandom, ivIndex: ivIndex)
    var reader = ByteReader(clear.rawBytes, layer: .mesh)
    guard let header = try? NetworkHeader(&reader) else { return nil }
    let nonce: [UInt8]
    switch use {
    case .network: nonce = MeshNonce.network(header, ivIndex: ivIndex)
    case .proxy:
      guard header.isControl, header.ttl == 0 else { return nil }
      nonce = MeshNonce.proxy(header, ivIndex: ivIndex)
    }
    guard
      let opened = Libcrypto.open(
        encryption, nonce: nonce, sealed: pdu.body, codeLength: header.codeLength)
    else { return nil }
    var body = ByteReader(opened.rawBytes, layer: .mesh)
    switch use {
    case .network: return try? NetworkPDU(header: header, opened: &body)
    case .proxy:
      guard let destination = try? body.be16(), destination == 0, header.source.kind == .unicast
      else { return nil }
      return NetworkPDU(header: header, destination: MeshAddress(0), transport: body.rest())
    }
  }

  /// Seals a PDU, as a sender does.
  package func seal(_ pdu: NetworkPDU, ivIndex: UInt32) throws(CryptoFailure) -> [UInt8] {
    let destination = pdu.destination.rawValue
    let body = try Libcrypto.seal(
      encryption, nonce: MeshNonce.network(pdu.header, ivIndex: ivIndex),
      plain: [UInt8(destination >> 8), UInt8(destination & 0xFF)] + pdu.transport,
      codeLength: pdu.header.codeLength)
    let header = try NetworkCredentials.obfuscated(
      pdu.header.encoded, privacy: privacy, random: Array(body.prefix(7)), ivIndex: ivIndex)
    return [UInt8(ivIndex & 1) << 7 | nid] + header + body
  }

  /// Hides a header, or uncovers it (3.9.7.3).
  package static func obfuscated(
    _ header: [UInt8], privacy: MeshKey, random: [UInt8], ivIndex: UInt32
  ) throws(CryptoFailure) -> [UInt8] {
    let index = (0..<4).map { UInt8(truncatingIfNeeded: ivIndex >> (24 - 8 * UInt32($0))) }
    let mask = try Libcrypto.block(
      privacy, [UInt8](repeating: 0, count: 5) + index + random.prefix(7))
    return zip(header, mask).map { $0 ^ $1 }
  }
}

/// A net key with what is derived of it (3.9.6).
package struct NetworkKey: Sendable {
  /// The key.
  package let key: MeshKey
  /// For flooding.
  package let credentials: NetworkCredentials
  /// Names the network in beacons.
  package let networkID: [UInt8]
  package let identity: MeshKey
  package let beacon: MeshKey
  package let privateBeacon: MeshKey

  /// Derives all.
  package init(_ key: MeshKey) throws(CryptoFailure) {
    self.key = key
    credentials = try NetworkCredentials(key)
    networkID = try MeshFunctions.k3(key)
    identity = try MeshFunctions.purpose(key, "nkik")
    beacon = try MeshFunctions.purpose(key, "nkbk")
    privateBeacon = try MeshFunctions.purpose(key, "nkpk")
  }

  /// Whether a secure network beacon is of this network and authentic (3.10.3).
  package func authenticates(_ beacon: SecureBeacon) throws(CryptoFailure) -> Bool {
    guard beacon.networkID == networkID else { return false }
    return Array(try Libcrypto.cmac(self.beacon, beacon.signed).prefix(8)) == beacon.code
  }

  /// A secure network beacon.
  package func encoded(_ state: BeaconState) throws(CryptoFailure) -> [UInt8] {
    let signed = [state.flags] + networkID + state.encoded.dropFirst()
    return [1] + signed + (try Libcrypto.cmac(beacon, signed)).prefix(8)
  }

  /// What a private beacon says; nil where it is not of this network (3.10.4).
  package func open(_ beacon: PrivateBeacon) throws(CryptoFailure) -> BeaconState? {
    let mask = try Libcrypto.block(privateBeacon, [1] + beacon.random + [0, 1])
    let clear = zip(beacon.obfuscated, mask).map { $0 ^ $1 }
    guard try code(of: clear, random: beacon.random) == beacon.code else { return nil }
    var reader = ByteReader(clear.rawBytes, layer: .mesh)
    return try? BeaconState(&reader)
  }

  /// A private beacon.
  package func encoded(_ state: BeaconState, random: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let mask = try Libcrypto.block(privateBeacon, [1] + random + [0, 1])
    let hidden = zip(state.encoded, mask).map { $0 ^ $1 }
    return [2] + random + hidden + (try code(of: state.encoded, random: random))
  }

  private func code(of clear: [UInt8], random: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let first = try Libcrypto.block(privateBeacon, [0x19] + random + [0, 5])
    let padded = clear + [UInt8](repeating: 0, count: 11)
    let second = try Libcrypto.block(privateBeacon, zip(first, padded).map { $0 ^ $1 })
    let mask = try Libcrypto.block(privateBeacon, [1] + random + [0, 0])
    return Array(zip(second, mask).map { $0 ^ $1 }.prefix(8))
  }

  /// Whether a proxy's service data are this network's, or a node's of it (7.2.2.2).
  package func matches(
    _ identity: ProxyIdentity, node: MeshAddress?
  ) throws(CryptoFailure) -> Bool {
    let address = node.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] } ?? []
    let zeros = [UInt8](repeating: 0, count: 5)
    switch identity {
    case .network(let id): return id == networkID
    case .node(let hash, let random):
      guard node != nil else { return false }
      return try Libcrypto.block(self.identity, zeros + [0] + random + address).suffix(8)
        == hash[...]
    case .privateNetwork(let hash, let random):
      return try Libcrypto.block(self.identity, networkID + random).suffix(8) == hash[...]
    case .privateNode(let hash, let random):
      guard node != nil else { return false }
      return try Libcrypto.block(self.identity, zeros + [3] + random + address).suffix(8)
        == hash[...]
    }
  }
}
