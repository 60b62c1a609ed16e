/// A canned message in the form that its length tells (protocol.md 7.5).
public struct CannedReading: Equatable, Sendable {
  /// The message.
  public var message: CannedMessage
  /// The acknowledgements in wire order; none in the plain and the signed form.
  public var acks: [AcknowledgedCannedMessage.Acknowledgement]
  /// 64 bytes of Ed25519 signature over the first 22; nil for the unsigned forms.
  public var signature: [UInt8]?
  /// Whether the signature holds; nil for the unsigned forms.
  public var check: SignatureCheck?

  /// Bytes in front of the acknowledgements.
  private static let acksOffset = 24

  /// Reads the plain form and what the length announces behind it.
  ///
  /// - Throws: ``FormatFault`` where the plain form is refused.
  public init(_ bytes: [UInt8]) throws(FormatFault) {
    message = try CannedMessage(bytes: bytes)
    acks = []
    if CannedMessage.isSignedFormat(bytes) {
      signature = Array(bytes[CannedMessage.size...])
      check = .unchecked
    } else if CannedReading.isAckForm(bytes) {
      // Bytes have no padding, so their raw view is wholly initialised.
      let view = unsafe DocumentBytes(bytes.span.bytes)
      for offset in stride(from: CannedReading.acksOffset, to: bytes.count, by: 12) {
        let node = view.node(offset)
        if node.rawValue != 0 {
          acks.append(.init(node: node, timestamp: view.le64(offset + 4)))
        }
      }
    }
  }

  /// Whether the bytes are exactly as long as their count of acknowledgements asks.
  static func isAckForm(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= acksOffset else { return false }
    let count = Int(bytes[22]) | Int(bytes[23]) << 8
    return count <= AcknowledgedCannedMessage.maximumAcknowledgements
      && bytes.count == acksOffset + 12 * count
  }

  /// Whether the length is that of one of the three forms.
  static func hasLength(of bytes: [UInt8]) -> Bool {
    bytes.count == CannedMessage.size || bytes.count == CannedMessage.signedSize
      || isAckForm(bytes)
  }

  /// Whether bytes that could be a message between two nodes are a canned one: the length is one
  /// of its forms, the code is known, and where a counter would stand there is a time of day.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    guard
      bytes.count == CannedMessage.size || bytes.count == CannedMessage.signedSize
        || isAckForm(bytes), let message = try? CannedMessage(bytes: bytes)
    else { return false }
    return message.source.rawValue != 0
      && (Document.earliestTime..<4_102_444_800_000).contains(message.timestamp)
  }
}
