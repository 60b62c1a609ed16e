package import PeatProtocol

/// Why a link ended, as the caller's Bluetooth stack tells it.
package struct DisconnectReason: RawRepresentable, Hashable, Sendable {
  /// The reason's name.
  package let rawValue: String
  /// Makes a reason from its name.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// This side ended the link.
  package static let local = DisconnectReason(rawValue: "local")
  /// The other side ended the link.
  package static let remote = DisconnectReason(rawValue: "remote")
  /// Nothing was heard for the supervision time.
  package static let timeout = DisconnectReason(rawValue: "timeout")
  /// The radio lost the link.
  package static let linkLoss = DisconnectReason(rawValue: "link_loss")
}

/// Why a frame was refused for the sake of security (protocol.md 6.1).
package enum SecurityViolation: String, Sendable {
  /// A frame in clear where only encrypted ones are taken.
  case unencryptedInStrictMode = "UnencryptedInStrictMode"
  /// A wrong key, changed bytes, or too few of them.
  case decryptionFailed = "DecryptionFailed"
}

/// What a node tells its owner, in the order in which it happened.
///
/// The reference has three more events, for any other event type, for a failed per-peer session
/// and for an emergency that all have acknowledged, and raises none of them.
package enum MeshEvent: Equatable, Sendable {
  /// A peer that was not known.
  case peerDiscovered(NodeID)
  /// A link to a peer.
  case peerConnected(NodeID)
  /// The end of a link.
  case peerDisconnected(NodeID, DisconnectReason)
  /// A peer of which nothing was heard for too long.
  case peerLost(NodeID)
  /// Another number of peers or links, or a change of the node's own to be sent.
  case stateChanged(peers: Int, connected: Int)
  /// A document whose event is an emergency; raised again with each repetition.
  case emergencyReceived(NodeID)
  /// A document whose event is an acknowledgement; raised again with each repetition.
  case acknowledgementReceived(NodeID)
  /// A document that changed the counter's total.
  case documentSynced(NodeID, total: UInt64)
  /// An application's operation, stored or not.
  case appDocumentReceived(AppTypeID, source: NodeID, timestamp: UInt64, isChanged: Bool)
  /// A per-peer session that can be used.
  case sessionEstablished(NodeID)
  /// A per-peer session that this side ended.
  case sessionClosed(NodeID)
  /// The plaintext of a per-peer message.
  case peerMessage(NodeID, [UInt8])
  /// A refused frame; the source is nil where the caller gave none.
  case securityViolation(SecurityViolation, source: String?)
  /// A relayed message that is to be passed on to so many peers.
  case messageRelayed(origin: NodeID, hopCount: UInt8, targets: Int)
  /// A relayed message that was seen before, for the how manyth time.
  case duplicateDropped(origin: NodeID, sightings: UInt32)
  /// A relayed message that has made all its hops.
  case hopsExpired(origin: NodeID, hopCount: UInt8)
}
