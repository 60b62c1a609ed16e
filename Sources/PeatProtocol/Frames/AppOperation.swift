public import WireBytes

/// The number of an application's document type, 0xC0 to 0xCF (protocol.md 7.4).
public struct AppTypeID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: UInt8

  /// Takes a number from 0xC0 to 0xCF; nil for others.
  public init?(rawValue: UInt8) {
    guard rawValue & 0xF0 == 0xC0 else { return nil }
    self.rawValue = rawValue
  }

  /// Takes the low 4 bits of a delta's operation byte, 0x10 to 0x1F.
  init(operation byte: UInt8) { rawValue = 0xC0 | byte & 0x0F }

  /// 0xC0, the canned message.
  public static let cannedMessage = AppTypeID(operation: 0x10)

  /// The operation byte that carries this type in a delta.
  public var operationByte: UInt8 { rawValue & 0x0F | 0x10 }
}

/// A delta's operation on an application's document: operation byte 0x10 to 0x1F (protocol.md 7.3).
public struct AppOperation: WireValue, Hashable {
  /// The document type.
  public var type: AppTypeID
  /// What to do, in the type's own numbering.
  public var code: UInt8
  /// The node that made the document.
  public var source: NodeID
  /// The document's time, whose top 16 bits may hold a version.
  public var timestamp: UInt64
  /// The operation's content.
  public var payload: [UInt8]

  /// Makes an operation.
  public init(
    type: AppTypeID, code: UInt8, source: NodeID, timestamp: UInt64, payload: [UInt8]
  ) {
    self.type = type
    self.code = code
    self.source = source
    self.timestamp = timestamp
    self.payload = payload
  }

  /// Reads an operation from its operation byte on.
  ///
  /// - Throws: ``FormatFault`` for another operation byte and for a cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    let start = reader.offset
    let byte = try reader.u8("operation")
    guard byte & 0xF0 == 0x10 else {
      throw FormatFault(
        reason: "operation 0x\(String(byte, radix: 16)) is not an application's", offset: start)
    }
    type = AppTypeID(operation: byte)
    code = try reader.u8("operation code")
    source = try reader.node("source")
    timestamp = try reader.le64("timestamp")
    let length = Int(try reader.le16("payload length"))
    payload = try reader.array(length, "application payload")
  }

  /// Appends the operation; the length field wraps at 65 536 as the reference's does.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(type.operationByte)
    writer.u8(code)
    writer.le32(source.rawValue)
    writer.le64(timestamp)
    writer.le16LengthPrefixed { $0.append(payload) }
  }

  /// The time by which a receiver stores the document: the low 48 bits (protocol.md 7.4).
  public var documentTimestamp: UInt64 { timestamp & 0x0000_FFFF_FFFF_FFFF }

  /// The version in the top 16 bits, such as the number of acknowledgements.
  public var version: UInt16 { UInt16(truncatingIfNeeded: timestamp >> 48) }
}
