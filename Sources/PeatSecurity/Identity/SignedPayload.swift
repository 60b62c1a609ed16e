package import PeatProtocol

/// A marker byte, a payload and a signature over both (protocol.md 6.7).
package struct SignedPayload: Hashable, Sendable {
  /// Bytes around the payload.
  package static let overhead: Int = 65

  package var marker: UInt8
  package var payload: [UInt8]
  /// 64 bytes over marker and payload.
  package var signature: [UInt8]

  /// Signs a payload.
  package init(marker: UInt8, payload: [UInt8], signer: Identity) {
    self.marker = marker
    self.payload = payload
    signature = signer.signature(of: [marker] + payload)
  }

  /// Splits the bytes; the signature is not looked at.
  ///
  /// - Throws: ``FormatFault`` where fewer than 65 bytes are there.
  package init(_ bytes: [UInt8]) throws(FormatFault) {
    guard bytes.count >= Self.overhead, let marker = bytes.first else {
      throw FormatFault(
        reason: "a signed payload needs \(Self.overhead) bytes, \(bytes.count) present",
        offset: bytes.count)
    }
    let end = bytes.count - Ed25519.signatureSize
    self.marker = marker
    payload = Array(bytes[1..<end])
    signature = Array(bytes[end...])
  }

  /// The bytes on air.
  package func encoded() -> [UInt8] { [marker] + payload + signature }

  /// Whether the owner of a public key signed this; the bytes do not say who should have.
  package func isValid(publicKey: [UInt8]) -> Bool {
    Ed25519.isValid(signature: signature, of: [marker] + payload, publicKey: publicKey)
  }
}
