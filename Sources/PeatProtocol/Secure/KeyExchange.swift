internal import WireBytes

/// An offer of an X25519 public key, marker 0xB0 (protocol.md 6.2).
///
/// Neither encrypted nor signed: whoever is on the link can send one in any node's name.
public struct KeyExchange: Hashable, Sendable {
  /// First byte of the frame.
  public static let marker: UInt8 = 0xB0
  /// Bytes of the body, behind marker and reserved byte.
  public static let bodySize: Int = 37
  /// Bytes of the whole frame; more are ignored.
  public static let size: Int = SecureLayout.header + bodySize

  /// The node that the key is said to belong to.
  public var sender: NodeID
  /// Whether bit 0 of the flags is set; informative only, the other bits are ignored.
  public var isEphemeral: Bool
  /// 32 bytes of X25519 public key, not checked in any way.
  public var publicKey: [UInt8]

  /// Makes an offer from its parts.
  public init(sender: NodeID, isEphemeral: Bool = false, publicKey: [UInt8]) {
    self.sender = sender
    self.isEphemeral = isEphemeral
    self.publicKey = publicKey
  }

  /// Decodes a whole frame (protocol.md 6.2).
  ///
  /// - Throws: ``FormatFault`` when the marker differs or fewer than 39 bytes are there.
  public init(_ bytes: [UInt8]) throws(FormatFault) {
    try SecureLayout.check(bytes, marker: Self.marker, minimum: Self.size, name: "key exchange")
    self.init(checked: bytes, from: SecureLayout.header)
  }

  /// Decodes a body, which lacks the marker and the byte after it.
  ///
  /// - Throws: ``FormatFault`` when fewer than 37 bytes are there.
  public init(body bytes: [UInt8]) throws(FormatFault) {
    try SecureLayout.checkLength(bytes, minimum: Self.bodySize, name: "key exchange body")
    self.init(checked: bytes, from: 0)
  }

  private init(checked bytes: [UInt8], from start: Int) {
    sender = NodeID(rawValue: SecureLayout.le32(bytes, at: start))
    isEphemeral = bytes[start + 4] & 1 != 0
    publicKey = Array(bytes[start + 5..<start + Self.bodySize])
  }

  /// The bytes on air.
  public func encoded() -> [UInt8] { [Self.marker, 0] + encodedBody() }

  /// The bytes behind the marker and the byte after it.
  public func encodedBody() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.bodySize)
    writer.le32(sender.rawValue)
    writer.u8(isEphemeral ? 1 : 0)
    writer.append(publicKey)
    return writer.bytes
  }
}
