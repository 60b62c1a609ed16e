public import WireBytes

/// A PDU of the attribute protocol, with its variable parts as views.
///
/// Core Specification Vol 3 Part F, 3.4. A PDU may reach the reader without its tail (a capture
/// with a short snap length): fixed parts must be there, views hold what is.
public enum ATTPDU: ~Escapable {
  case errorResponse(request: UInt8, handle: UInt16, code: UInt8)
  case exchangeMTURequest(UInt16)
  case exchangeMTUResponse(UInt16)
  case findInformationRequest(start: UInt16, end: UInt16)
  case findInformationResponse(uuidSize: Int, entries: ByteReader)
  case findByTypeValueRequest(start: UInt16, end: UInt16, type: UInt16, value: RawSpan)
  case findByTypeValueResponse(entries: ByteReader)
  case readByTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
  case readByTypeResponse(entrySize: Int, entries: ByteReader)
  case readRequest(handle: UInt16)
  case readResponse(value: RawSpan)
  case readBlobRequest(handle: UInt16, offset: UInt16)
  case readBlobResponse(part: RawSpan)
  case readMultipleRequest(handles: ByteReader)
  case readMultipleResponse(values: RawSpan)
  case readByGroupTypeRequest(start: UInt16, end: UInt16, type: BluetoothUUID)
  case readByGroupTypeResponse(entrySize: Int, entries: ByteReader)
  case writeRequest(handle: UInt16, value: RawSpan)
  case writeResponse
  case prepareWriteRequest(handle: UInt16, offset: UInt16, part: RawSpan)
  case prepareWriteResponse(handle: UInt16, offset: UInt16, part: RawSpan)
  case executeWriteRequest(isWrite: Bool)
  case executeWriteResponse
  case readMultipleVariableRequest(handles: ByteReader)
  case readMultipleVariableResponse(values: ByteReader)
  case multipleNotification(values: ByteReader)
  case notification(handle: UInt16, value: RawSpan)
  case indication(handle: UInt16, value: RawSpan)
  case confirmation
  case writeCommand(handle: UInt16, value: RawSpan)
  /// The value still has its 12 signature bytes behind it.
  case signedWriteCommand(handle: UInt16, value: RawSpan)
  case unknown(opcode: UInt8)

  /// Reads a PDU to the end of `reader`.
  ///
  /// - Throws: `DecodeError` where a fixed part is missing or a size field is impossible.
  @_lifetime(copy reader)
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let opcode = try reader.u8()
    switch opcode {
    case 0x1B: self = .notification(handle: try reader.le16(), value: reader.bytes)
    case 0x52: self = .writeCommand(handle: try reader.le16(), value: reader.bytes)
    case 0x12: self = .writeRequest(handle: try reader.le16(), value: reader.bytes)
    case 0x13: self = .writeResponse
    case 0x1D: self = .indication(handle: try reader.le16(), value: reader.bytes)
    case 0x1E: self = .confirmation
    case 0x0A: self = .readRequest(handle: try reader.le16())
    case 0x0B: self = .readResponse(value: reader.bytes)
    case 0x0C: self = .readBlobRequest(handle: try reader.le16(), offset: try reader.le16())
    case 0x0D: self = .readBlobResponse(part: reader.bytes)
    case 0x01:
      self = .errorResponse(
        request: try reader.u8(), handle: try reader.le16(), code: try reader.u8())
    case 0x02: self = .exchangeMTURequest(try reader.le16())
    case 0x03: self = .exchangeMTUResponse(try reader.le16())
    case 0x16:
      self = .prepareWriteRequest(
        handle: try reader.le16(), offset: try reader.le16(), part: reader.bytes)
    case 0x17:
      self = .prepareWriteResponse(
        handle: try reader.le16(), offset: try reader.le16(), part: reader.bytes)
    case 0x18: self = .executeWriteRequest(isWrite: try reader.u8() != 0)
    case 0x19: self = .executeWriteResponse
    case 0x23: self = .multipleNotification(values: reader)
    case 0xD2: self = .signedWriteCommand(handle: try reader.le16(), value: reader.bytes)
    default: self = try ATTPDU.discovery(opcode, &reader)
    }
  }

  @_lifetime(copy reader)
  private static func discovery(
    _ opcode: UInt8, _ reader: inout ByteReader
  ) throws(DecodeError) -> ATTPDU {
    switch opcode {
    case 0x04: return .findInformationRequest(start: try reader.le16(), end: try reader.le16())
    case 0x05:
      let offset = reader.offset
      switch try reader.u8() {
      case 1: return .findInformationResponse(uuidSize: 2, entries: reader)
      case 2: return .findInformationResponse(uuidSize: 16, entries: reader)
      case let format:
        throw DecodeError(
          kind: .invalidValue, layer: .att, offset: offset, needed: 1, available: Int(format))
      }
    case 0x06:
      return .findByTypeValueRequest(
        start: try reader.le16(), end: try reader.le16(), type: try reader.le16(),
        value: reader.bytes)
    case 0x07: return .findByTypeValueResponse(entries: reader)
    case 0x08, 0x10:
      let start = try reader.le16()
      let end = try reader.le16()
      let type = try BluetoothUUID(&reader, size: reader.remaining)
      return opcode == 0x08
        ? .readByTypeRequest(start: start, end: end, type: type)
        : .readByGroupTypeRequest(start: start, end: end, type: type)
    case 0x09: return .readByTypeResponse(entrySize: Int(try reader.u8()), entries: reader)
    case 0x11: return .readByGroupTypeResponse(entrySize: Int(try reader.u8()), entries: reader)
    case 0x0E: return .readMultipleRequest(handles: reader)
    case 0x0F: return .readMultipleResponse(values: reader.bytes)
    case 0x20: return .readMultipleVariableRequest(handles: reader)
    case 0x21: return .readMultipleVariableResponse(values: reader)
    default: return .unknown(opcode: opcode)
    }
  }
}
