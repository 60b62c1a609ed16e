public import WireBytes

/// A canned message in its plain form: marker 0xAF and 21 bytes more (protocol.md 7.5).
public struct CannedMessage: WireValue, Hashable, BitwiseCopyable {
  /// The first byte.
  public static let marker: UInt8 = 0xAF
  /// Bytes of the plain form.
  public static let size = 22
  /// Bytes of the signed form: the plain one and an Ed25519 signature over it.
  public static let signedSize = 86

  /// What the message says.
  public var code: CannedCode
  /// The node that says it; the plain form takes 0 too.
  public var source: NodeID
  /// The node it is for; nil, 0 on the wire, for everyone.
  public var target: NodeID?
  /// Unix milliseconds, not checked.
  public var timestamp: UInt64
  /// Counts the source's messages.
  public var sequence: UInt32

  /// Makes a message.
  public init(
    code: CannedCode, source: NodeID, target: NodeID? = nil, timestamp: UInt64,
    sequence: UInt32 = 0
  ) {
    self.code = code
    self.source = source
    self.target = target
    self.timestamp = timestamp
    self.sequence = sequence
  }

  /// Reads the plain form; bytes behind it are ignored.
  ///
  /// - Throws: ``FormatFault`` for another marker, an unknown code and fewer than 22 bytes.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(CannedMessage.size, "canned message")
    let start = reader.offset
    guard try reader.u8("marker") == CannedMessage.marker else {
      throw FormatFault(reason: "marker is not 0xAF", offset: start)
    }
    let byte = try reader.u8("message code")
    guard let code = CannedCode(rawValue: byte) else {
      throw FormatFault(
        reason: "message code 0x\(String(byte, radix: 16)) is unknown", offset: start + 1)
    }
    self.code = code
    source = try reader.node("source")
    let target = try reader.node("target")
    self.target = target.rawValue == 0 ? nil : target
    timestamp = try reader.le64("timestamp")
    sequence = try reader.le32("sequence")
  }

  /// Appends the plain form.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(CannedMessage.marker)
    writer.u8(code.rawValue)
    writer.le32(source.rawValue)
    writer.le32(target?.rawValue ?? 0)
    writer.le64(timestamp)
    writer.le32(sequence)
  }

  /// The signed form; `sign` makes the 64 bytes of Ed25519 signature over the bytes it is given.
  public func signed(with sign: (_ message: [UInt8]) -> [UInt8]) -> SignedCannedMessage {
    SignedCannedMessage(message: self, signature: sign(encoded))
  }

  /// Whether the length of bytes that start with the marker is that of a canned message: 22, 86,
  /// or 24 and 12 for each acknowledgement that is counted at offset 22.
  ///
  /// The marker 0xAF also starts a per-peer message, whose second byte is 0 and which has 46
  /// bytes or more (protocol.md 7.5).
  public static func hasLength(of bytes: [UInt8]) -> Bool {
    guard bytes.first == marker else { return false }
    if bytes.count == size || bytes.count == signedSize { return true }
    guard bytes.count >= size + 2 else { return false }
    let count = Int(bytes[size]) | Int(bytes[size + 1]) << 8
    return bytes.count == size + 2 + 12 * count
  }

  /// Whether bytes have the marker and the length of the plain form.
  public static func isUnsignedFormat(_ bytes: [UInt8]) -> Bool {
    bytes.first == marker && bytes.count == size
  }

  /// Whether bytes have the marker and the length of the signed form.
  public static func isSignedFormat(_ bytes: [UInt8]) -> Bool {
    bytes.first == marker && bytes.count == signedSize
  }
}

/// A canned message and, in the 86-byte form, the signature over its first 22 bytes.
///
/// Whether the signature holds is the security target's to tell.
public struct SignedCannedMessage: Hashable, Sendable {
  /// The message.
  public var message: CannedMessage
  /// 64 bytes of Ed25519 signature; nil for the plain form.
  public var signature: [UInt8]?

  /// Makes a message with or without its signature.
  public init(message: CannedMessage, signature: [UInt8]? = nil) {
    self.message = message
    self.signature = signature
  }

  /// Reads the form that the length tells, as the reference's "auto" decoder: exactly 22 or 86.
  public init(bytes: [UInt8]) throws(FormatFault) {
    guard bytes.count == CannedMessage.size || bytes.count == CannedMessage.signedSize else {
      throw FormatFault(
        reason: "canned message of \(bytes.count) bytes is not 22 or 86", offset: bytes.count)
    }
    message = try CannedMessage(bytes: bytes)
    signature =
      bytes.count == CannedMessage.size ? nil : Array(bytes[CannedMessage.size...])
  }

  /// Whether the signature holds over the first 22 bytes; nil for the plain form.
  ///
  /// `verify` takes the signed bytes and the signature, and knows the source's public key.
  public func isValid(_ verify: (_ message: [UInt8], _ signature: [UInt8]) -> Bool) -> Bool? {
    signature.map { verify(message.encoded, $0) }
  }

  /// The plain form and behind it the signature, if there is one.
  public var encoded: [UInt8] { message.encoded + (signature ?? []) }
}
