public import WireBytes

/// A message of the access layer (Mesh Protocol 1.1, 3.7.4).
public struct AccessMessage: Sendable, Equatable {
  /// Bytes of a message, opcode included.
  public static let limit = 380

  /// The opcode of one to three bytes, most significant first; that of a vendor's message ends with
  /// the two bytes of the company.
  public let opcode: UInt32
  /// The company of a vendor's message.
  public let company: UInt16?
  /// The parameters.
  public let parameters: [UInt8]

  /// Reads a message that was opened.
  ///
  /// - Throws: `DecodeError` where the opcode is cut or reserved, or the message too long.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let offset = reader.offset
    guard reader.remaining <= AccessMessage.limit else {
      throw .meshLength(offset, needed: AccessMessage.limit, found: reader.remaining)
    }
    let first = try reader.u8()
    switch first >> 6 {
    case 0, 1:
      guard first != 0x7F else { throw .mesh(offset, found: 0x7F) }
      opcode = UInt32(first)
      company = nil
    case 2:
      opcode = UInt32(first) << 8 | UInt32(try reader.u8())
      company = nil
    default:
      let number = try reader.le16()
      opcode = UInt32(first) << 16 | UInt32(number.byteSwapped)
      company = number
    }
    parameters = reader.rest()
  }

  /// Its name, where the specification or a common library has one.
  public var name: String? { company == nil ? AccessOpcode.name(of: opcode) : nil }
}
