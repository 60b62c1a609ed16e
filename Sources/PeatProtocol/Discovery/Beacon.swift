public import WireBytes

/// The library's beacon in its 16-byte form; on the air behind Windows' company id (protocol.md 1.5).
///
/// All fields are most significant byte first. The version is not checked, the level is clamped.
public struct Beacon: WireValue, Hashable, BitwiseCopyable {
  /// The company identifier under which Windows announces a beacon.
  public static let companyIdentifier: UInt16 = 0xFFFF
  /// Bytes of the full form.
  public static let fullSize = 16
  /// Bytes of the compact form.
  public static let compactSize = 10
  /// The battery value that means "not known".
  public static let unknownBattery: UInt8 = 255

  /// Upper 4 bits of the first byte; 1 today.
  public var version: UInt8
  /// What the node can do; the forms carry the low 12 bits.
  public var capabilities: Capabilities
  /// The node.
  public var node: NodeID
  /// The node's level.
  public var level: HierarchyLevel
  /// 24 bits of geohash; the compact form leaves them out.
  public private(set) var geohash: UInt32
  /// Percent, or 255 for unknown; a decoded value may be any.
  public private(set) var battery: UInt8
  /// Counts up with each beacon and wraps.
  public var sequence: UInt16

  /// A new node's beacon: nothing known, battery 255.
  public init(node: NodeID, capabilities: Capabilities = []) {
    version = 1
    self.capabilities = capabilities
    self.node = node
    level = .platform
    geohash = 0
    battery = Beacon.unknownBattery
    sequence = 0
  }

  /// Sets the geohash, of which 24 bits are kept.
  public mutating func setGeohash(_ value: UInt32) { geohash = value & 0xFF_FFFF }

  /// Sets the battery percentage, which is held at 100.
  public mutating func setBattery(_ percent: UInt8) { battery = min(percent, 100) }

  /// Counts the sequence up by one, around at 2^16.
  public mutating func incrementSequence() { sequence &+= 1 }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(Beacon.fullSize, "beacon")
    try self.init(head: &reader)
    geohash = UInt32(try reader.be16("geohash")) << 8 | UInt32(try reader.u8("geohash"))
    battery = try reader.u8("battery")
    sequence = try reader.be16("sequence")
    try reader.skip(3, "reserved")
  }

  /// Reads the 10-byte form that the library's advertiser sends.
  public init(decodingCompact reader: inout ByteReader) throws(FormatFault) {
    try reader.require(Beacon.compactSize, "compact beacon")
    try self.init(head: &reader)
    battery = try reader.u8("battery")
    sequence = try reader.be16("sequence")
  }

  /// Reads the 10-byte form at the start of `bytes`.
  public init(compact bytes: [UInt8]) throws(FormatFault) {
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    try self.init(decodingCompact: &reader)
  }

  private init(head reader: inout ByteReader) throws(FormatFault) {
    let word = try reader.be16("version and capabilities")
    self.init(
      node: NodeID(rawValue: try reader.be32("node id")),
      capabilities: Capabilities(rawValue: word & 0x0FFF))
    version = UInt8(truncatingIfNeeded: word >> 12)
    level = HierarchyLevel(clamping: try reader.u8("hierarchy level"))
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    encodeHead(into: &writer)
    writer.u8(UInt8(truncatingIfNeeded: geohash >> 16))
    writer.be16(UInt16(truncatingIfNeeded: geohash))
    writer.u8(battery)
    writer.be16(sequence)
    writer.append([0, 0, 0])
  }

  /// Appends the 10-byte form.
  public func encodeCompact(into writer: inout ByteWriter) {
    encodeHead(into: &writer)
    writer.u8(battery)
    writer.be16(sequence)
  }

  /// The 10-byte form.
  public var encodedCompact: [UInt8] {
    var writer = ByteWriter(capacity: Beacon.compactSize)
    encodeCompact(into: &writer)
    return writer.bytes
  }

  private func encodeHead(into writer: inout ByteWriter) {
    writer.be16(UInt16(version & 0x0F) << 12 | capabilities.rawValue & 0x0FFF)
    writer.be32(node.rawValue)
    writer.u8(level.rawValue)
  }
}
