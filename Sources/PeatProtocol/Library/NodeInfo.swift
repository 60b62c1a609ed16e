public import WireBytes

/// The 9-byte value of characteristic 0001, most significant byte first (protocol.md 5.2).
public struct NodeInfo: WireValue, Hashable, BitwiseCopyable {
  /// The node.
  public var node: NodeID
  /// 1 today; not checked.
  public var protocolVersion: UInt8
  /// The node's level; an unknown one is read as platform.
  public var level: HierarchyLevel
  /// What the node can do, all 16 bits.
  public var capabilities: Capabilities
  /// Percent, 255 for unknown.
  public var battery: UInt8

  /// Makes a value from its parts.
  public init(
    node: NodeID, protocolVersion: UInt8 = 1, level: HierarchyLevel, capabilities: Capabilities,
    battery: UInt8
  ) {
    self.node = node
    self.protocolVersion = protocolVersion
    self.level = level
    self.capabilities = capabilities
    self.battery = battery
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(9, "node info")
    node = NodeID(rawValue: try reader.be32("node id"))
    protocolVersion = try reader.u8("protocol version")
    level = HierarchyLevel(clamping: try reader.u8("hierarchy level"))
    capabilities = Capabilities(rawValue: try reader.be16("capabilities"))
    battery = try reader.u8("battery")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.be32(node.rawValue)
    writer.u8(protocolVersion)
    writer.u8(level.rawValue)
    writer.be16(capabilities.rawValue)
    writer.u8(battery)
  }
}

/// The 4-byte read answer of Linux, CoreBluetooth and the iOS demo: a node id, least significant
/// byte first (protocol.md 5.2, 5.4).
public struct NodeIDValue: WireValue, Hashable, BitwiseCopyable {
  /// The node.
  public var node: NodeID

  /// Makes the value of a node.
  public init(node: NodeID) { self.node = node }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    node = try reader.node("node id")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) { writer.le32(node.rawValue) }
}
