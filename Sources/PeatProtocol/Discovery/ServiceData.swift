public import WireBytes

/// Service data of the 16-bit alias `0xF47A`, in any of its three shapes (protocol.md 1.2).
public struct ServiceData: WireValue, Hashable {
  /// The bytes that follow the node id.
  public enum Mesh: Hashable, Sendable {
    /// Nothing: the nRF feather example.
    case absent
    /// Printable text: Android's mesh id, cut to 8 bytes, or Linux's first 4 characters.
    case text(String)
    /// Bytes that are not text: Linux's 4 bytes of a mesh id that is a number of base 16.
    case bytes([UInt8])
  }

  /// The node, most significant byte first on the air.
  public var node: NodeID
  /// The mesh part as it reads best.
  public var mesh: Mesh

  /// Makes service data from its parts.
  public init(node: NodeID, mesh: Mesh) {
    self.node = node
    self.mesh = mesh
  }

  /// What Android announces: the mesh id as UTF-8, cut to 8 bytes.
  public init(android node: NodeID, mesh: String) {
    self.init(node: node, mesh: Mesh(bytes: Array(mesh.utf8.prefix(8))))
  }

  /// What Linux announces: a mesh id of base 16 as 4 bytes, else its first 4 bytes.
  public init(linux node: NodeID, mesh: String) {
    if let number = NodeID(baseSixteen: mesh) {
      var writer = ByteWriter(capacity: 4)
      writer.be32(number.rawValue)
      self.init(node: node, mesh: .bytes(writer.bytes))
    } else {
      self.init(node: node, mesh: Mesh(bytes: Array(mesh.utf8.prefix(4))))
    }
  }

  /// Reads the node id and takes everything behind it for the mesh.
  ///
  /// - Throws: ``FormatFault`` for fewer than 4 bytes.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    node = NodeID(rawValue: try reader.be32("node id"))
    mesh = Mesh(bytes: reader.rest())
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.be32(node.rawValue)
    writer.append(mesh.bytes)
  }

  /// The mesh as 8 upper-case digits, when its bytes may be a number as Linux writes it.
  public var meshAsNumber: String? {
    let bytes = mesh.bytes
    guard bytes.count == 4 else { return nil }
    return Hexadecimal.upper(bytes.reduce(0) { $0 << 8 | UInt64($1) }, width: 8)
  }
}

extension ServiceData.Mesh {
  /// Reads the bytes behind the node id: text where every character can be printed.
  public init(bytes: [UInt8]) {
    if bytes.isEmpty {
      self = .absent
    } else if let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: OutputText.isNeutralised)
    {
      self = .text(text)
    } else {
      self = .bytes(bytes)
    }
  }

  /// The bytes behind the node id.
  public var bytes: [UInt8] {
    switch self {
    case .absent: []
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    }
  }
}
