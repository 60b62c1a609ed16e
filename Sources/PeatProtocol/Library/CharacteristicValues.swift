public import WireBytes

/// The 8-byte value of characteristic 0002, most significant byte first (protocol.md 5.2).
public struct SyncStateValue: WireValue, Hashable, BitwiseCopyable {
  /// How far a synchronisation is.
  public enum Phase: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case idle = 0
    case syncing = 1
    case complete = 2
    case error = 3
  }

  /// The phase; an unknown one is read as idle.
  public var phase: Phase
  /// Percent.
  public var progress: UInt8
  /// Documents still to send.
  public var pendingDocuments: UInt16
  /// Unix seconds of the last synchronisation.
  public var lastSync: UInt32

  /// Makes a value from its parts.
  public init(phase: Phase, progress: UInt8, pendingDocuments: UInt16, lastSync: UInt32) {
    self.phase = phase
    self.progress = progress
    self.pendingDocuments = pendingDocuments
    self.lastSync = lastSync
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(8, "sync state")
    phase = Phase(rawValue: try reader.u8("phase")) ?? .idle
    progress = try reader.u8("progress")
    pendingDocuments = try reader.be16("pending documents")
    lastSync = try reader.be32("last sync")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(phase.rawValue)
    writer.u8(progress)
    writer.be16(pendingDocuments)
    writer.be32(lastSync)
  }
}

/// The value of characteristic 0004: a command and its argument (protocol.md 3, 5.2).
public struct CommandValue: WireValue, Hashable {
  /// The commands.
  public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case startSync = 0x01
    case stopSync = 0x02
    case refreshInfo = 0x03
    /// The argument's first byte is the level.
    case setHierarchy = 0x10
    case ping = 0xFE
    case reset = 0xFF
  }

  /// The command; an unknown one is read as ping.
  public var kind: Kind
  /// All bytes behind the command.
  public var payload: [UInt8]

  /// Makes a command.
  public init(kind: Kind, payload: [UInt8] = []) {
    self.kind = kind
    self.payload = payload
  }

  /// Reads the fields in their wire order; everything behind them is the payload.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    kind = Kind(rawValue: try reader.u8("command")) ?? .ping
    payload = reader.rest()
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(kind.rawValue)
    writer.append(payload)
  }
}

/// The 5-byte value of characteristic 0005 (protocol.md 3, 5.2).
public struct StatusValue: WireValue, Hashable, BitwiseCopyable {
  /// What goes on; undefined bits are kept.
  public struct Flags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// The bits.
    public var rawValue: UInt8
    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Bit 0: a parent is connected.
    public static let connected = Flags(rawValue: 0x01)
    /// Bit 1: a synchronisation is under way.
    public static let syncing = Flags(rawValue: 0x02)
    /// Bit 2: data waits to be sent.
    public static let pendingData = Flags(rawValue: 0x04)
    /// Bit 3: the battery runs out.
    public static let lowBattery = Flags(rawValue: 0x08)
    /// Bit 7: something failed.
    public static let error = Flags(rawValue: 0x80)
  }

  /// What goes on.
  public var flags: Flags
  /// Nodes below this one.
  public var childCount: UInt8
  /// dBm, 127 for none.
  public var parentRSSI: Int8
  /// Minutes since the node started, most significant byte first.
  public var uptimeMinutes: UInt16

  /// Makes a value from its parts.
  public init(flags: Flags, childCount: UInt8, parentRSSI: Int8, uptimeMinutes: UInt16) {
    self.flags = flags
    self.childCount = childCount
    self.parentRSSI = parentRSSI
    self.uptimeMinutes = uptimeMinutes
  }

  /// Reads the fields in their wire order; bytes behind them are left unread.
  ///
  /// - Throws: ``FormatFault`` where a field is cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    try reader.require(5, "status")
    flags = Flags(rawValue: try reader.u8("flags"))
    childCount = try reader.u8("child count")
    parentRSSI = try reader.i8("parent RSSI")
    uptimeMinutes = try reader.be16("uptime")
  }

  /// Appends the fields in their wire order.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(flags.rawValue)
    writer.u8(childCount)
    writer.u8(UInt8(bitPattern: parentRSSI))
    writer.be16(uptimeMinutes)
  }
}
