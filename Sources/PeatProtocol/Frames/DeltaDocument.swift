public import WireBytes

/// A list of changes: marker 0xB2 (protocol.md 7.3).
public struct DeltaDocument: WireValue {
  /// The first byte.
  public static let marker: UInt8 = 0xB2
  /// Bytes of the smallest delta.
  public static let minimumSize = 16

  /// The node whose changes these are.
  public var origin: NodeID
  /// Unix milliseconds of its making; not checked.
  public var timestamp: UInt64
  /// Bit 1 of the flags: the delta answers another one.
  public var isResponse: Bool
  /// The origin's clock, which no code sets or acts on.
  public var vectorClock: VectorClock?
  /// The changes in their order.
  public var operations: [DeltaOperation]

  /// Makes a delta.
  public init(
    origin: NodeID, timestamp: UInt64, isResponse: Bool = false, vectorClock: VectorClock? = nil,
    operations: [DeltaOperation] = []
  ) {
    self.origin = origin
    self.timestamp = timestamp
    self.isResponse = isResponse
    self.vectorClock = vectorClock
    self.operations = operations
  }

  /// Reads a delta as the reference does: wholly or not at all.
  ///
  /// - Throws: ``FormatFault`` for another marker, fewer than 16 bytes, a cut clock or operation,
  ///   an unknown operation, a refused peripheral, and fewer operations than announced.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    var dropped: [Dropped] = []
    try self.init(decoding: &reader, dropped: &dropped)
  }

  /// Reads a delta and notes what the reference leaves out of accepted peripherals.
  public init(
    decoding reader: inout ByteReader, dropped: inout [Dropped]
  ) throws(FormatFault) {
    try reader.require(DeltaDocument.minimumSize, "delta document")
    let start = reader.offset
    guard try reader.u8("marker") == DeltaDocument.marker else {
      throw FormatFault(reason: "marker is not 0xB2", offset: start)
    }
    let flags = try reader.u8("flags")
    isResponse = flags & 0x02 != 0
    origin = try reader.node("origin")
    timestamp = try reader.le64("timestamp")
    vectorClock = flags & 0x01 != 0 ? try VectorClock(decoding: &reader) : nil
    let count = Int(try reader.le16("operation count"))
    operations = []
    // The smallest operation has 9 bytes, so that a lying count cannot ask for much.
    operations.reserveCapacity(min(count, reader.remaining / 9))
    for _ in 0..<count {
      operations.append(try DeltaOperation(decoding: &reader, dropped: &dropped))
    }
  }

  /// Appends the delta; the operation count wraps at 65 536 as the reference's does.
  public func encode(into writer: inout ByteWriter) {
    writer.u8(DeltaDocument.marker)
    writer.u8((vectorClock == nil ? 0 : 0x01) | (isResponse ? 0x02 : 0))
    writer.le32(origin.rawValue)
    writer.le64(timestamp)
    vectorClock?.encode(into: &writer)
    writer.le16(UInt16(truncatingIfNeeded: operations.count))
    for operation in operations { operation.encode(into: &writer) }
  }
}
