/// A mesh-encrypted frame, marker 0xAE, as it is on air (protocol.md 6.1).
public struct EncryptedFrame: Hashable, Sendable {
  /// First byte of the frame.
  public static let marker: UInt8 = 0xAE
  /// Bytes around the plaintext: marker, reserved byte, nonce and tag.
  public static let overhead: Int = SecureLayout.header + SecureLayout.nonce + SecureLayout.tag

  /// Byte 1, written 0 and ignored by every reader.
  public var flags: UInt8
  /// 12 bytes, random per frame.
  public var nonce: [UInt8]
  /// The ciphertext without its tag; as long as the plaintext.
  public var ciphertext: [UInt8]
  /// 16 bytes of Poly1305 tag.
  public var tag: [UInt8]

  /// Makes a frame from its parts.
  public init(flags: UInt8 = 0, nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    self.flags = flags
    self.nonce = nonce
    self.ciphertext = ciphertext
    self.tag = tag
  }

  /// Decodes a whole frame (protocol.md 6.1).
  ///
  /// - Throws: ``FormatFault`` when the marker differs or fewer than 30 bytes are there.
  public init(_ bytes: [UInt8]) throws(FormatFault) {
    try SecureLayout.check(
      bytes, marker: Self.marker, minimum: Self.overhead, name: "encrypted frame")
    let text = SecureLayout.header + SecureLayout.nonce
    let end = bytes.count - SecureLayout.tag
    flags = bytes[1]
    nonce = Array(bytes[SecureLayout.header..<text])
    ciphertext = Array(bytes[text..<end])
    tag = Array(bytes[end...])
  }

  /// The bytes on air.
  public func encoded() -> [UInt8] { [Self.marker, flags] + nonce + ciphertext + tag }
}
