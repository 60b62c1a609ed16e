import WireBytes

/// Error codes of the attribute protocol (Core Specification Vol 3 Part F, 3.4.1.1).
public struct ATTErrorCode: RawRepresentable, Error, Sendable, Hashable, BitwiseCopyable {
  /// The number.
  public var rawValue: UInt8
  /// Makes a code from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  private init(_ number: UInt8) { rawValue = number }

  /// 0x01: Invalid Handle.
  public static let invalidHandle = ATTErrorCode(0x01)
  /// 0x02: Read Not Permitted.
  public static let readNotPermitted = ATTErrorCode(0x02)
  /// 0x03: Write Not Permitted.
  public static let writeNotPermitted = ATTErrorCode(0x03)
  /// 0x04: Invalid PDU.
  public static let invalidPDU = ATTErrorCode(0x04)
  /// 0x06: Request Not Supported.
  public static let requestNotSupported = ATTErrorCode(0x06)
  /// 0x07: Invalid Offset.
  public static let invalidOffset = ATTErrorCode(0x07)
  /// 0x09: Prepare Queue Full.
  public static let prepareQueueFull = ATTErrorCode(0x09)
  /// 0x0A: Attribute Not Found.
  public static let attributeNotFound = ATTErrorCode(0x0A)
  /// 0x0B: Attribute Not Long.
  public static let attributeNotLong = ATTErrorCode(0x0B)
  /// 0x0D: Invalid Value Length.
  public static let invalidValueLength = ATTErrorCode(0x0D)
  /// 0x10: Unsupported Group Type.
  public static let unsupportedGroupType = ATTErrorCode(0x10)
  /// 0xFF: Out Of Range.
  public static let outOfRange = ATTErrorCode(0xFF)
}

/// Builds PDUs of the attribute protocol (Core Specification Vol 3 Part F, 3.4).
public enum ATTEncoder {
  /// Error Response: which request failed, on which handle, and why.
  public static func error(request: UInt8, handle: UInt16, _ code: ATTErrorCode) -> [UInt8] {
    [0x01, request] + le16(handle) + [code.rawValue]
  }

  /// A PDU of an opcode and handles or other 16-bit fields.
  public static func fields(_ opcode: UInt8, _ fields: UInt16...) -> [UInt8] {
    var writer = ByteWriter(capacity: 1 + 2 * fields.count)
    writer.u8(opcode)
    for field in fields { writer.le16(field) }
    return writer.bytes
  }

  /// Read By Type and Read By Group Type requests.
  public static func readByType(
    _ opcode: UInt8, start: UInt16, end: UInt16, type: BluetoothUUID
  ) -> [UInt8] {
    fields(opcode, start, end) + type.encoded
  }

  /// A write, notification or indication: opcode, handle, value.
  public static func value(_ opcode: UInt8, handle: UInt16, _ value: some Sequence<UInt8>)
    -> [UInt8]
  {
    [opcode] + le16(handle) + value
  }

  /// A Prepare Write request or response: handle, offset, part.
  public static func prepareWrite(
    _ opcode: UInt8, handle: UInt16, offset: UInt16, _ part: some Sequence<UInt8>
  ) -> [UInt8] {
    [opcode] + le16(handle) + le16(offset) + part
  }

  private static func le16(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}

extension BluetoothUUID {
  /// The UUID on the wire, least significant byte first: 2 bytes where the short form exists, else 16.
  public var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    if let short {
      writer.le16(short)
    } else {
      writer.le64(low)
      writer.le64(high)
    }
    return writer.bytes
  }
}
