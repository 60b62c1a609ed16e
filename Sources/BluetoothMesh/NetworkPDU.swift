public import WireBytes

/// A network PDU as it is sent: header obfuscated, the rest encrypted (Mesh Protocol 1.1, 3.4.4).
public struct SealedNetworkPDU: Sendable, Equatable {
  /// The lowest bit of the IV index.
  public let ivi: UInt8
  /// The seven bits of the key's name; several keys may have the same.
  public let nid: UInt8
  /// CTL and TTL, SEQ and SRC, obfuscated.
  public let header: [UInt8]
  /// DST and transport PDU encrypted, and the integrity code.
  public let body: [UInt8]

  /// Reads a whole PDU.
  ///
  /// - Throws: `DecodeError` where it has fewer than 14 bytes or more than 29.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    guard (14...29).contains(reader.remaining) else {
      throw .meshLength(
        reader.offset, needed: reader.remaining < 14 ? 14 : 29, found: reader.remaining)
    }
    let first = try reader.u8()
    ivi = first >> 7
    nid = first & 0x7F
    header = try reader.array(6)
    body = reader.rest()
  }

  /// What the obfuscation of the header is made of.
  public var privacyRandom: [UInt8] { Array(body.prefix(7)) }

  /// The IV index that a sender may have used, where the network has this one now (3.11.5).
  public func ivIndex(current: UInt32) -> UInt32? {
    UInt8(current & 1) == ivi ? current : current == 0 ? nil : current - 1
  }
}

/// The header of a network PDU, in clear.
public struct NetworkHeader: Sendable, Equatable, BitwiseCopyable {
  /// Whether the transport PDU is a control message.
  public var isControl: Bool
  /// Hops that are left.
  public var ttl: UInt8
  /// The sender's sequence number, 24 bits.
  public var sequence: UInt32
  /// The sender.
  public var source: MeshAddress

  /// Makes a header of its fields.
  public init(isControl: Bool, ttl: UInt8, sequence: UInt32, source: MeshAddress) {
    self.isControl = isControl
    self.ttl = ttl
    self.sequence = sequence
    self.source = source
  }

  /// Reads the six bytes.
  public init(_ reader: inout ByteReader) throws(DecodeError) {
    let first = try reader.u8()
    isControl = first & 0x80 != 0
    ttl = first & 0x7F
    sequence = UInt32(try reader.u8()) << 16 | UInt32(try reader.be16())
    source = MeshAddress(try reader.be16())
  }

  /// The six bytes.
  public var encoded: [UInt8] {
    [isControl ? 0x80 | ttl : ttl] + bigEndian(sequence).dropFirst() + bigEndian(source)
  }

  /// Bytes of the integrity code: a control message has no other.
  public var codeLength: Int { isControl ? 8 : 4 }
}

/// A network PDU that was opened.
public struct NetworkPDU: Sendable, Equatable {
  /// Its header.
  public let header: NetworkHeader
  /// The receiver.
  public let destination: MeshAddress
  /// The transport PDU.
  public let transport: [UInt8]

  /// Makes a PDU of its parts.
  public init(header: NetworkHeader, destination: MeshAddress, transport: [UInt8]) {
    self.header = header
    self.destination = destination
    self.transport = transport
  }

  /// Reads what was encrypted; a code that fits by chance is ruled out by the addresses.
  ///
  /// - Throws: `DecodeError` for a sender that is no node, or no receiver.
  public init(header: NetworkHeader, opened reader: inout ByteReader) throws(DecodeError) {
    reader.layer = .mesh
    self.header = header
    let offset = reader.offset
    if header.isControl, reader.remaining < 2 {
      // A relay cut it: nothing is left of the transport PDU, nor of the whole destination.
      destination = MeshAddress(0)
      transport = []
    } else {
      destination = MeshAddress(try reader.be16())
      transport = reader.rest()
    }
    guard header.source.kind == .unicast else {
      throw .mesh(offset, found: Int(header.source.rawValue))
    }
    // A code of eight bytes fits nothing by chance: what is odd then is the sender's.
    guard header.isControl || destination.kind != .unassigned else { throw .mesh(offset, found: 0) }
  }
}

/// What the ciphers of the mesh are given beside a key (3.9.5); all have 13 bytes.
public enum MeshNonce {
  /// That of a network PDU.
  public static func network(_ header: NetworkHeader, ivIndex: UInt32) -> [UInt8] {
    [0] + header.encoded + [0, 0] + bigEndian(ivIndex)
  }

  /// That of a proxy configuration PDU.
  public static func proxy(_ header: NetworkHeader, ivIndex: UInt32) -> [UInt8] {
    [3, 0] + header.encoded.dropFirst() + [0, 0] + bigEndian(ivIndex)
  }

  /// That of an access message: under an application key or a device key.
  ///
  /// - Parameters:
  ///   - hasLongCode: SZMIC of a segmented message; false of others.
  ///   - sequence: that of the whole message (SeqAuth), not of the last segment.
  public static func access(
    isDeviceKey: Bool, hasLongCode: Bool, sequence: UInt32, source: MeshAddress,
    destination: MeshAddress, ivIndex: UInt32
  ) -> [UInt8] {
    [isDeviceKey ? 2 : 1, hasLongCode ? 0x80 : 0] + bigEndian(sequence).dropFirst()
      + bigEndian(source) + bigEndian(destination) + bigEndian(ivIndex)
  }
}

func bigEndian(_ value: UInt32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
}

func bigEndian(_ address: MeshAddress) -> [UInt8] {
  [UInt8(address.rawValue >> 8), UInt8(truncatingIfNeeded: address.rawValue)]
}
