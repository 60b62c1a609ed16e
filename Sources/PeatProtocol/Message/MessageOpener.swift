/// What came of trying every known key on a frame.
public enum OpenOutcome: Equatable, Sendable {
  /// A key opened it; `key` is its name in records, such as `mesh:DEMO`.
  case opened(plaintext: [UInt8], key: String)
  /// It stays shut, and why.
  case unopened(Unopened)
}

/// What came of trying every known beacon key on an encrypted beacon.
public enum BeaconOutcome: Equatable, Sendable {
  /// A key opened it; `key` is its name in records.
  case opened(node: NodeID, key: String)
  /// It stays shut, and why.
  case unopened(Unopened)
}

/// Why a frame was not opened; the raw value is the name in records.
public enum Unopened: String, Sendable, BitwiseCopyable {
  /// No key of this sort is known.
  case noKey = "no-key"
  /// Keys are known and none opens it.
  case noKeyOpens = "no-key-opens"
  /// None opens it, but without its tag it reads credibly: the bytes were changed.
  case tagMismatch = "tag-mismatch"
  /// Shorter than the smallest frame.
  case tooShort = "too-short"
}

/// Whether a signature was checked and holds; the raw value is the name in records.
public enum SignatureCheck: String, Sendable, BitwiseCopyable {
  case valid, invalid
  /// The signer's public key is not known.
  case unchecked
}

/// Whoever holds keys: it opens what the message decoder finds wrapped.
public protocol MessageOpener {
  /// Opens a mesh-encrypted frame (protocol.md 6.1).
  mutating func open(_ frame: EncryptedFrame) -> OpenOutcome

  /// Opens a message between two nodes (protocol.md 6.3).
  mutating func open(_ message: PeerMessage) -> OpenOutcome

  /// Opens an encrypted beacon of at least 21 bytes (protocol.md 1.5).
  mutating func open(beacon: [UInt8]) -> BeaconOutcome

  /// Takes notice of an offered public key, which may begin a session (protocol.md 6.2).
  mutating func observe(_ exchange: KeyExchange)

  /// Checks an Ed25519 signature that a node is said to have made.
  mutating func check(
    signature: [UInt8], over signed: [UInt8], by node: NodeID
  ) -> SignatureCheck
}

/// The opener of someone without any key.
public struct NoKeys: MessageOpener, Sendable {
  /// Makes it.
  public init() {}

  /// Gives `no-key`.
  public mutating func open(_ frame: EncryptedFrame) -> OpenOutcome { .unopened(.noKey) }

  /// Gives `no-key`.
  public mutating func open(_ message: PeerMessage) -> OpenOutcome { .unopened(.noKey) }

  /// Gives `no-key`.
  public mutating func open(beacon: [UInt8]) -> BeaconOutcome { .unopened(.noKey) }

  /// Does nothing.
  public mutating func observe(_ exchange: KeyExchange) {}

  /// Gives `unchecked`.
  public mutating func check(
    signature: [UInt8], over signed: [UInt8], by node: NodeID
  ) -> SignatureCheck { .unchecked }
}
