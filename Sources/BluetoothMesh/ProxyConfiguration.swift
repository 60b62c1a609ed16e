public import WireBytes

/// A proxy configuration message (Mesh Protocol 1.1, 6.5), which is big-endian throughout.
public enum ProxyConfiguration: Sendable, Equatable {
  /// Which addresses a filter lets through: those of the list, or all others.
  public enum Filter: UInt8, Sendable, BitwiseCopyable {
    case accept = 0
    case reject = 1
  }

  case setFilter(Filter)
  case add([MeshAddress])
  case remove([MeshAddress])
  case status(Filter, size: UInt16)
  /// One of directed forwarding, or reserved.
  case other(opcode: UInt8, parameters: [UInt8])

  /// Reads a message that was opened.
  ///
  /// - Throws: `DecodeError` where its length or filter type is impossible.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    let opcode = try reader.u8()
    switch opcode {
    case 0: self = .setFilter(try ProxyConfiguration.filter(&reader))
    case 1: self = .add(try ProxyConfiguration.addresses(&reader))
    case 2: self = .remove(try ProxyConfiguration.addresses(&reader))
    case 3:
      let filter = try ProxyConfiguration.filter(&reader)
      self = .status(filter, size: try reader.be16())
    default:
      self = .other(opcode: opcode, parameters: reader.rest())
      return
    }
    guard reader.isAtEnd else {
      throw .meshLength(reader.offset, needed: 0, found: reader.remaining)
    }
  }

  private static func filter(_ reader: inout ByteReader) throws(DecodeError) -> Filter {
    let offset = reader.offset
    let number = try reader.u8()
    guard let filter = Filter(rawValue: number) else {
      throw .mesh(offset, found: Int(number), needed: 1)
    }
    return filter
  }

  private static func addresses(_ reader: inout ByteReader) throws(DecodeError) -> [MeshAddress] {
    var found: [MeshAddress] = []
    while !reader.isAtEnd { found.append(MeshAddress(try reader.be16())) }
    return found
  }
}
