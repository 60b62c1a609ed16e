public import WireBytes

/// The first header byte of a PDU on data channels (Core Specification Vol 6 Part B, 2.4).
public struct DataPDUHeader: Sendable, Equatable, BitwiseCopyable {
  /// What the payload is.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case reserved = 0
    /// More of an L2CAP packet, or nothing.
    case continuation = 1
    /// The start of an L2CAP packet, or a whole one.
    case start = 2
    case control = 3
  }

  /// LLID.
  public let kind: Kind
  /// The sequence number that the sender expects next: it acknowledges the one before.
  public let expectedSequence: UInt8
  /// The PDU's own sequence number: a PDU is repeated with the same one until acknowledged.
  public let sequence: UInt8
  /// MD: the sender has more to send in this event.
  public let hasMore: Bool
  /// CP: the header has a third byte.
  public let hasToneInformation: Bool

  /// Reads the byte.
  public init(_ byte: UInt8) {
    kind =
      switch byte & 3 {
      case 0: .reserved
      case 1: .continuation
      case 2: .start
      default: .control
      }
    expectedSequence = byte >> 2 & 1
    sequence = byte >> 3 & 1
    hasMore = byte & 0x10 != 0
    hasToneInformation = byte & 0x20 != 0
  }
}

/// The control PDUs that matter to someone who listens (Core Specification Vol 6 Part B, 2.4.2).
///
/// A PDU must have its type's exact length: on an encrypted link the integrity code makes each one
/// longer, so that what cannot be read is not taken for one.
public enum LinkLayerControl: Sendable, Equatable, BitwiseCopyable {
  case connectionUpdate(ConnectionPace, instant: UInt16)
  case channelMap(UInt64, instant: UInt16)
  case terminate(reason: UInt8)
  case encryptionRequest
  case encryptionResponse
  case startEncryptionRequest
  case startEncryptionResponse
  /// LL_REJECT_IND or LL_REJECT_EXT_IND.
  case reject(reason: UInt8)
  /// LL_LENGTH_REQ or LL_LENGTH_RSP: bytes that the sender takes and sends in one PDU.
  case dataLength(receive: UInt16, transmit: UInt16)
  case phyUpdate(toPeripheral: UInt8, toCentral: UInt8)
  case other(UInt8)

  /// Reads the payload of a control PDU.
  ///
  /// - Throws: `DecodeError` where it is empty.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let opcode = try reader.u8()
    switch (opcode, reader.remaining) {
    case (0x00, 11):
      try reader.skip(3)
      let pace = try ConnectionPace(&reader)
      self = .connectionUpdate(pace, instant: try reader.le16())
    case (0x01, 7):
      let map = UInt64(try reader.le32()) | UInt64(try reader.u8()) << 32
      self = .channelMap(map, instant: try reader.le16())
    case (0x02, 1): self = .terminate(reason: try reader.u8())
    case (0x03, 22): self = .encryptionRequest
    case (0x04, 12): self = .encryptionResponse
    case (0x05, 0): self = .startEncryptionRequest
    case (0x06, 0): self = .startEncryptionResponse
    case (0x0D, 1): self = .reject(reason: try reader.u8())
    case (0x11, 2):
      try reader.skip(1)
      self = .reject(reason: try reader.u8())
    case (0x14, 8), (0x15, 8):
      let receive = try reader.le16()
      try reader.skip(2)
      self = .dataLength(receive: receive, transmit: try reader.le16())
    case (0x18, 4):
      self = .phyUpdate(toPeripheral: try reader.u8(), toCentral: try reader.u8())
    default: self = .other(opcode)
    }
  }
}
