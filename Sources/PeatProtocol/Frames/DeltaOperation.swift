public import WireBytes

/// One change in a delta document (protocol.md 7.3).
public enum DeltaOperation: Equatable, Sendable {
  /// 0x01: the total of a node's counter, although the reference calls it an increment.
  case counter(id: UInt8, node: NodeID, amount: UInt64, timestamp: UInt64)
  /// 0x02: a node's peripheral.
  case peripheral(timestamp: UInt64, Peripheral)
  /// 0x03: an emergency and the nodes that are to acknowledge it.
  case setEmergency(source: NodeID, timestamp: UInt64, knownPeers: [NodeID])
  /// 0x04: an acknowledgement of the emergency of that time.
  case acknowledgeEmergency(node: NodeID, emergencyTimestamp: UInt64)
  /// 0x05: the end of the emergency of that time; never sent by the reference.
  case clearEmergency(emergencyTimestamp: UInt64)
  /// 0x10 to 0x1F: a change of an application's document.
  case app(AppOperation)

  /// The text key by which the reference tracks what a peer was sent.
  public var key: String {
    switch self {
    case .counter(let id, let node, _, _): "counter:\(id):\(node.rawValue)"
    case .peripheral(_, let peripheral): "peripheral:\(peripheral.id.rawValue)"
    case .setEmergency(let source, _, _): "emergency:\(source.rawValue)"
    case .acknowledgeEmergency(let node, _): "ack:\(node.rawValue)"
    case .clearEmergency: "clear_emergency"
    case .app(let operation):
      "app:\(operation.type.rawValue):\(operation.source.rawValue):\(operation.timestamp)"
    }
  }

  /// The time that per-peer tracking compares (protocol.md 7.3).
  public var timestamp: UInt64 {
    switch self {
    case .counter(_, _, _, let timestamp), .peripheral(let timestamp, _),
      .setEmergency(_, let timestamp, _), .acknowledgeEmergency(_, let timestamp),
      .clearEmergency(let timestamp):
      timestamp
    case .app(let operation): operation.timestamp
    }
  }
}

extension DeltaOperation: WireValue {
  /// Reads an operation; a peripheral that the reference refuses refuses the operation.
  ///
  /// - Throws: ``FormatFault`` for an unknown operation byte, a cut, and a refused peripheral.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    var dropped: [Dropped] = []
    try self.init(decoding: &reader, dropped: &dropped)
  }

  /// Reads an operation and notes what the reference leaves out of an accepted peripheral.
  public init(
    decoding reader: inout ByteReader, dropped: inout [Dropped]
  ) throws(FormatFault) {
    let start = reader.offset
    guard let byte = reader.peek() else {
      throw FormatFault(reason: "operation needs 1 bytes, 0 left", offset: start)
    }
    if byte & 0xF0 == 0x10 {
      self = .app(try AppOperation(decoding: &reader))
      return
    }
    try reader.skip(1, "operation")
    switch byte {
    case 0x01:
      self = .counter(
        id: try reader.u8("counter id"), node: try reader.node("counter node"),
        amount: try reader.le64("counter amount"), timestamp: try reader.le64("timestamp"))
    case 0x02:
      let timestamp = try reader.le64("timestamp")
      self = .peripheral(
        timestamp: timestamp, try DeltaOperation.peripheral(&reader, dropped: &dropped))
    case 0x03:
      self = .setEmergency(
        source: try reader.node("emergency source"),
        timestamp: try reader.le64("emergency timestamp"), knownPeers: try reader.knownPeers())
    case 0x04:
      self = .acknowledgeEmergency(
        node: try reader.node("acknowledging node"),
        emergencyTimestamp: try reader.le64("emergency timestamp"))
    case 0x05:
      self = .clearEmergency(emergencyTimestamp: try reader.le64("emergency timestamp"))
    default:
      throw FormatFault(
        reason: "delta operation 0x\(String(byte, radix: 16)) is unknown", offset: start)
    }
  }

  private static func peripheral(
    _ reader: inout ByteReader, dropped: inout [Dropped]
  ) throws(FormatFault) -> Peripheral {
    let length = Int(try reader.le16("peripheral length"))
    let start = reader.offset
    let body = try reader.split(length, "peripheral")
    let bytes = DocumentBytes(body.bytes)
    var log: [Dropped] = []
    let value = Peripheral.read(bytes, 0, bytes.count, lengthOffset: 0, log: &log)
    for index in log.indices { log[index].offset += start }
    guard let value else {
      let last = log.last
      throw FormatFault(
        reason: last?.reason ?? "peripheral is not valid", offset: last?.offset ?? start)
    }
    dropped += log
    return value
  }

  /// Appends the operation as the reference does.
  ///
  /// The count of known peers wraps at 256 and leaves an emergency that reads back with other
  /// peers; keep to 255.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .counter(let id, let node, let amount, let timestamp):
      writer.u8(0x01)
      writer.u8(id)
      writer.le32(node.rawValue)
      writer.le64(amount)
      writer.le64(timestamp)
    case .peripheral(let timestamp, let peripheral):
      writer.u8(0x02)
      writer.le64(timestamp)
      writer.le16LengthPrefixed { peripheral.encode(into: &$0) }
    case .setEmergency(let source, let timestamp, let knownPeers):
      writer.u8(0x03)
      writer.le32(source.rawValue)
      writer.le64(timestamp)
      writer.u8(UInt8(truncatingIfNeeded: knownPeers.count))
      for peer in knownPeers { writer.le32(peer.rawValue) }
    case .acknowledgeEmergency(let node, let timestamp):
      writer.u8(0x04)
      writer.le32(node.rawValue)
      writer.le64(timestamp)
    case .clearEmergency(let timestamp):
      writer.u8(0x05)
      writer.le64(timestamp)
    case .app(let operation):
      operation.encode(into: &writer)
    }
  }
}

extension ByteReader {
  /// Reads the nodes that are to acknowledge an emergency, behind their number in one byte.
  mutating func knownPeers() throws(FormatFault) -> [NodeID] {
    let count = Int(try u8("known peer count"))
    try require(count * 4, "known peers")
    var peers: [NodeID] = []
    peers.reserveCapacity(count)
    for _ in 0..<count { peers.append(try node("known peer")) }
    return peers
  }
}
