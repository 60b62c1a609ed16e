package import PeatProtocol
package import PeatSecurity

/// What a node is told before it starts; times are milliseconds (protocol.md 8.5).
package struct MeshConfiguration: Sendable {
  /// The node's own id.
  package var node: NodeID
  /// The mesh it belongs to, by exact text.
  package var meshID: String
  /// What its wearer is called.
  package var callsign: Callsign
  /// What it is.
  package var peripheralType: PeripheralType
  /// The secret of mesh encryption; nil for a mesh in clear.
  package var encryptionSecret: SecretKey?
  /// Whether frames in clear are refused where there is a secret.
  package var isStrict = false
  /// The X25519 secret of per-peer sessions; nil where they are off.
  package var peerSecret: SecretKey?
  /// Whether relayed messages are handed back for passing on.
  package var relays = false
  /// Hops that this node's own relayed messages may make.
  package var maximumHops = RelayEnvelope.defaultMaximumHops
  /// Peers that a relayed message is passed on to.
  package var fanOut = 2
  /// Peers that are tracked; further ones are ignored.
  package var maximumPeers = 8
  /// Silence after which a peer is forgotten.
  package var peerTimeout: UInt64 = 45_000
  /// Time between two checks for silent peers.
  package var cleanupInterval: UInt64 = 10_000
  /// Time between two periodic sends.
  package var syncInterval: UInt64 = 5_000
  /// Time after which a peer that was heard needs to be heard again.
  package var syncCooldown: UInt64 = 30_000
  /// Time that a relayed message is remembered.
  package var seenLifetime = SeenMessages.defaultLifetime

  /// Makes a configuration with the reference's defaults for all but the parts given.
  package init(
    node: NodeID, meshID: String, callsign: Callsign,
    peripheralType: PeripheralType = .soldierSensor
  ) {
    self.node = node
    self.meshID = meshID
    self.callsign = callsign
    self.peripheralType = peripheralType
  }
}

/// Where a node's random values come from, so that a run can be repeated.
package struct MeshRandomness: Sendable {
  /// Draws the 12 bytes of a nonce, each time other ones.
  package var nonce: @Sendable () -> [UInt8]
  /// Draws the id of a relayed message.
  package var messageID: @Sendable () -> RelayMessageID
  /// Draws a number from 0 up to, but not including, the given one, which is above 0.
  package var index: @Sendable (Int) -> Int

  /// Makes a source of its parts.
  package init(
    nonce: @escaping @Sendable () -> [UInt8],
    messageID: @escaping @Sendable () -> RelayMessageID,
    index: @escaping @Sendable (Int) -> Int
  ) {
    self.nonce = nonce
    self.messageID = messageID
    self.index = index
  }

  /// The operating system's random source.
  package static let system = MeshRandomness(
    nonce: { SecureRandom.bytes(12) },
    messageID: {
      RelayMessageID(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max))
    },
    index: { .random(in: 0..<max(1, $0)) })
}
