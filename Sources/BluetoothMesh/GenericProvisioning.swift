public import WireBytes

/// The value of AD type 0x29: a PDU of generic provisioning (Mesh Protocol 1.1, 5.3).
public struct GenericProvisioningPDU: Sendable, Equatable {
  /// What a PDU is.
  public enum Content: Sendable, Equatable {
    /// The first segment of a transaction with `last` more behind it.
    case start(last: UInt8, length: UInt16, check: UInt8, data: [UInt8])
    case acknowledgment
    case continuation(index: UInt8, data: [UInt8])
    case open(uuid: [UInt8])
    case openAcknowledgment
    case close(reason: UInt8)
  }

  /// The link.
  public let link: UInt32
  /// The transaction: below 0x80 the provisioner's, else the device's.
  public let transaction: UInt8
  /// What it is.
  public let content: Content

  /// Reads the value.
  ///
  /// - Throws: `DecodeError` where it is cut, or of a reserved kind.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    link = try reader.be32()
    transaction = try reader.u8()
    let offset = reader.offset
    let first = try reader.u8()
    let high = first >> 2
    switch first & 3 {
    case 0:
      content = .start(
        last: high, length: try reader.be16(), check: try reader.u8(), data: reader.rest())
    case 1: content = .acknowledgment
    case 2: content = .continuation(index: high, data: reader.rest())
    default:
      switch high {
      case 0: content = .open(uuid: try reader.array(16))
      case 1: content = .openAcknowledgment
      case 2: content = .close(reason: try reader.u8())
      default: throw .mesh(offset, found: Int(high), needed: 2)
      }
    }
  }
}

/// Puts the transactions of one provisioning link together; every PDU is sent many times.
public struct ProvisioningTransactions: Sendable {
  /// What a PDU brought.
  public enum Step: Sendable, Equatable {
    /// Nothing new, or not all yet.
    case waiting
    case whole([UInt8])
    /// The check over the whole is wrong, or its length another.
    case damaged
  }

  private struct Transaction: Sendable {
    var last: UInt8 = 0
    var length = 0
    var check: UInt8 = 0
    var hasStart = false
    var isDone = false
    var parts: [UInt8: [UInt8]] = [:]
  }

  /// By transaction number.
  private var transactions: [UInt8: Transaction] = [:]

  /// Makes the state of a link that has just opened.
  public init() {}

  /// Takes the next segment.
  public mutating func take(_ pdu: GenericProvisioningPDU) -> Step {
    var transaction = transactions[pdu.transaction] ?? Transaction()
    guard !transaction.isDone else { return .waiting }
    switch pdu.content {
    case .start(let last, let length, let check, let data):
      transaction.last = last
      transaction.length = Int(length)
      transaction.check = check
      transaction.hasStart = true
      transaction.parts[0] = data
    case .continuation(let index, let data):
      guard index > 0 else { return .damaged }
      transaction.parts[index] = data
    case .acknowledgment, .open, .openAcknowledgment, .close: return .waiting
    }
    guard transaction.hasStart, transaction.parts.count == Int(transaction.last) + 1 else {
      transactions[pdu.transaction] = transaction
      return .waiting
    }
    let bytes = (0...transaction.last).flatMap { transaction.parts[$0] ?? [] }
    guard bytes.count == transaction.length, CheckSequence.value(of: bytes) == transaction.check
    else {
      // It is sent again, until it comes whole.
      transactions[pdu.transaction] = nil
      return .damaged
    }
    transaction.parts = [:]
    transaction.isDone = true
    transactions[pdu.transaction] = transaction
    return .whole(bytes)
  }
}

/// The check of generic provisioning (3GPP TS 27.010): a CRC of 8 bits, polynomial 07, reflected.
public enum CheckSequence {
  /// The check of these bytes.
  public static func value(of bytes: [UInt8]) -> UInt8 {
    var check: UInt8 = 0xFF
    for byte in bytes {
      check ^= byte
      for _ in 0..<8 { check = check >> 1 ^ (check & 1 == 1 ? 0xE0 : 0) }
    }
    return ~check
  }
}
