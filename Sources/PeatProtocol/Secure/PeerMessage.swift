internal import WireBytes

/// A message between two nodes, marker 0xAF, as it is on air (protocol.md 6.3).
///
/// Nothing binds recipient, sender and counter to the ciphertext. App messages of peat-lite start
/// with the same marker (protocol.md 7.5).
public struct PeerMessage: Hashable, Sendable {
  /// First byte of the frame.
  public static let marker: UInt8 = 0xAF
  /// Bytes around the plaintext in a body, which lacks the marker and the byte after it.
  public static let bodyOverhead: Int = 44
  /// Bytes around the plaintext in a whole frame.
  public static let overhead: Int = SecureLayout.header + bodyOverhead

  /// The node that the message is for.
  public var recipient: NodeID
  /// The node that the message is said to come from.
  public var sender: NodeID
  /// Number of the message in its session and direction, from 0.
  public var counter: UInt64
  /// 12 bytes, random per message.
  public var nonce: [UInt8]
  /// The ciphertext without its tag; as long as the plaintext.
  public var ciphertext: [UInt8]
  /// 16 bytes of Poly1305 tag.
  public var tag: [UInt8]

  /// Makes a message from its parts.
  public init(
    recipient: NodeID, sender: NodeID, counter: UInt64, nonce: [UInt8], ciphertext: [UInt8],
    tag: [UInt8]
  ) {
    self.recipient = recipient
    self.sender = sender
    self.counter = counter
    self.nonce = nonce
    self.ciphertext = ciphertext
    self.tag = tag
  }

  /// Decodes a whole frame (protocol.md 6.3).
  ///
  /// - Throws: ``FormatFault`` when the marker differs or fewer than 46 bytes are there.
  public init(_ bytes: [UInt8]) throws(FormatFault) {
    try SecureLayout.check(
      bytes, marker: Self.marker, minimum: Self.overhead, name: "per-peer message")
    self.init(checked: bytes, from: SecureLayout.header)
  }

  /// Decodes a body, which lacks the marker and the byte after it.
  ///
  /// - Throws: ``FormatFault`` when fewer than 44 bytes are there.
  public init(body bytes: [UInt8]) throws(FormatFault) {
    try SecureLayout.checkLength(
      bytes, minimum: Self.bodyOverhead, name: "per-peer message body")
    self.init(checked: bytes, from: 0)
  }

  private init(checked bytes: [UInt8], from start: Int) {
    let text = start + 16 + SecureLayout.nonce
    let end = bytes.count - SecureLayout.tag
    recipient = NodeID(rawValue: SecureLayout.le32(bytes, at: start))
    sender = NodeID(rawValue: SecureLayout.le32(bytes, at: start + 4))
    counter = SecureLayout.le64(bytes, at: start + 8)
    nonce = Array(bytes[start + 16..<text])
    ciphertext = Array(bytes[text..<end])
    tag = Array(bytes[end...])
  }

  /// The bytes on air.
  public func encoded() -> [UInt8] { [Self.marker, 0] + encodedBody() }

  /// The bytes behind the marker and the byte after it.
  public func encodedBody() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.bodyOverhead + ciphertext.count)
    writer.le32(recipient.rawValue)
    writer.le32(sender.rawValue)
    writer.le64(counter)
    writer.append(nonce)
    writer.append(ciphertext)
    writer.append(tag)
    return writer.bytes
  }
}
