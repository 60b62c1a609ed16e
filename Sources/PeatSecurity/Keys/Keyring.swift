internal import PeatProtocol

/// All known secrets, and the opening of what they fit (protocol.md 6, 11).
///
/// A frame of no known key and a damaged frame of a known key both fail their tag. They are told
/// apart by decrypting without it: only under the right key does a credible message come out.
package struct Keyring: Sendable {
  /// Says whether bytes read like a message that a node would seal.
  package typealias Credibility = @Sendable ([UInt8]) -> Bool

  /// A mesh key under the name that records show.
  struct MeshEntry: Sendable {
    let name: String
    let cipher: MeshCipher
  }

  /// A beacon key under the name that records show.
  struct BeaconEntry: Sendable {
    let name: String
    let key: SecretKey
  }

  let isCredible: Credibility
  var meshes: [MeshEntry] = []
  var beacons: [BeaconEntry] = []
  /// The entry that opened the last frame: the next one is most likely of the same mesh.
  var lastMesh: Int = 0
  var peers: PeerKeys = PeerKeys()
  var identities: [NodeID: [[UInt8]]] = [:]
  /// Ed25519 public keys that check membership tokens.
  package private(set) var authorities: [[UInt8]] = []
  /// Keys that resolve private addresses.
  package private(set) var identityResolvingKeys: [IdentityResolvingKey] = []

  /// Makes an empty keyring.
  package init(isCredible: @escaping Credibility = Keyring.isCredibleMessage) {
    self.isCredible = isCredible
  }

  /// Whether no secret at all is known.
  package var isEmpty: Bool {
    meshes.isEmpty && beacons.isEmpty && peers.isEmpty && identities.isEmpty
      && authorities.isEmpty && identityResolvingKeys.isEmpty
  }

  /// Takes in every entry of a keys file.
  package mutating func add(_ file: KeysFile) {
    for entry in file.entries { add(entry) }
  }

  /// Takes in one entry.
  package mutating func add(_ entry: KeysFile.Entry) {
    switch entry {
    case .mesh(let id, let secret): addMesh(id: id, secret: secret)
    case .genesis(let mesh): addGenesis(mesh)
    case .peer(let node, let privateKey): peers.add(privateKey: privateKey, of: node)
    case .session(let first, let second, let key):
      peers.add(sessionKey: key, between: first, and: second)
    case .irk(let key): identityResolvingKeys.append(key)
    case .identity(let node, let publicKey): identities[node, default: []].append(publicKey)
    case .authority(let publicKey): authorities.append(publicKey)
    // A Bluetooth mesh's keys are its own keyring's.
    case .database, .provisioning: break
    case .beacon(let id, let key): beacons.append(BeaconEntry(name: "mesh:\(id)", key: key))
    }
  }

  /// Takes in a mesh's secret: frame keys of both labels, and the beacon key that it is itself.
  package mutating func addMesh(id: String, secret: SecretKey) {
    for labels in KeyLabels.allCases {
      let cipher = MeshCipher(meshID: id, secret: secret, labels: labels)
      meshes.append(MeshEntry(name: Self.name(id, labels), cipher: cipher))
    }
    beacons.append(BeaconEntry(name: "mesh:\(id)", key: secret))
  }

  /// Takes in a genesis: today's labels, then the old ones in the first or in both steps, as
  /// constants of old builds circulate in newer ones (protocol.md 6.5).
  private mutating func addGenesis(_ mesh: GenesisMesh) {
    let id = mesh.meshID
    let steps: [(KeyLabels, KeyLabels)] = [(.peat, .peat), (.hive, .hive), (.hive, .peat)]
    for (seedLabels, frameLabels) in steps {
      let secret = mesh.encryptionSecret(labels: seedLabels)
      let cipher = MeshCipher(meshID: id, secret: secret, labels: frameLabels)
      meshes.append(MeshEntry(name: Self.name(id, seedLabels), cipher: cipher))
    }
    for labels in KeyLabels.allCases {
      beacons.append(
        BeaconEntry(name: Self.name(id, labels), key: mesh.beaconKey(labels: labels)))
    }
  }

  /// The identity address behind a resolvable private one; nil where no key fits.
  package func identityAddress(of address: UInt64) -> UInt64? {
    identityResolvingKeys.first { $0.resolves(address) }?.address
  }

  private static func name(_ id: String, _ labels: KeyLabels) -> String {
    switch labels {
    case .peat: "mesh:\(id)"
    case .hive: "mesh:\(id)/hive"
    }
  }
}
