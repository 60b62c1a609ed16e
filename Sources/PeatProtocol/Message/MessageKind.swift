/// What a message is; the raw value is the name in records.
public enum MessageKind: String, Sendable, BitwiseCopyable, CaseIterable {
  /// A plain document (protocol.md 2).
  case document
  /// Mesh encryption, 0xAE (protocol.md 6.1).
  case encrypted
  /// A message between two nodes, 0xAF (protocol.md 6.3).
  case peerEncrypted = "peer_encrypted"
  /// An offer of a public key, 0xB0 (protocol.md 6.2).
  case keyExchange = "key_exchange"
  /// A relay envelope, 0xB1 (protocol.md 7.1).
  case relay
  /// A delta document, 0xB2 (protocol.md 7.3).
  case delta
  /// A peat-lite canned message, 0xAF (protocol.md 7.5).
  case canned
  /// An app document behind its own header, 0xC0 to 0xCF (protocol.md 7.4).
  case app
  /// Android's marker list, 0xAC (protocol.md 7.7).
  case markers
  /// Android's chat frame, 0xAD (protocol.md 7.7).
  case chat
  /// The 4-byte read answer (protocol.md 8.3).
  case nodeID = "node_id"
  /// Characteristic 0001 (protocol.md 5.2).
  case nodeInfo = "node_info"
  /// Characteristic 0002 (protocol.md 5.2).
  case syncState = "sync_state"
  /// Characteristic 0004 (protocol.md 5.2).
  case command
  /// Characteristic 0005 (protocol.md 5.2).
  case status
  /// A chunk of a batch (protocol.md 5.1).
  case chunk
  /// A peat-lite frame (protocol.md 7.6).
  case lite
  /// A beacon in clear (protocol.md 1.5).
  case beacon
  /// A beacon under a beacon key (protocol.md 1.5).
  case encryptedBeacon = "encrypted_beacon"
  /// A value that the capture or the sender's MTU cut.
  case incomplete
  /// Bytes that no reading fits.
  case malformed
}

/// First bytes that the reference or Android takes for something else than a plain document
/// (protocol.md 2.9, 7.7).
public enum FrameMarker: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case markers = 0xAC
  case chat = 0xAD
  case encrypted = 0xAE
  case peerMessage = 0xAF
  case keyExchange = 0xB0
  case relay = 0xB1
  case delta = 0xB2
}
