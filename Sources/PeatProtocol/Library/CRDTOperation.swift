public import WireBytes

/// One operation of the library's batch synchronisation (protocol.md 5.1).
public enum CRDTOperation: Equatable, Sendable {
  /// 0x01: where a node is.
  case position(node: NodeID, timestamp: UInt64, Location)
  /// 0x02: how a node is.
  case health(node: NodeID, timestamp: UInt64, Health)
  /// 0x03: an amount of a node's counter.
  case counter(id: UInt8, node: NodeID, amount: UInt64)
  /// 0x04: a named value.
  case register(node: NodeID, timestamp: UInt64, key: String, value: [UInt8])

  /// The reference's estimate of the encoded size, which leaves out tags and length fields.
  public var estimatedSize: Int {
    switch self {
    case .position(_, _, let location): 12 + location.encodedSize
    case .health: 16
    case .counter: 13
    case .register(_, _, let key, let value): 12 + key.utf8.count + value.count
    }
  }

  /// What the operation changes, for telling what a peer was sent.
  var key: String {
    switch self {
    case .position(let node, _, _): "position:\(node.rawValue)"
    case .health(let node, _, _): "health:\(node.rawValue)"
    case .counter(let id, let node, _): "counter:\(id):\(node.rawValue)"
    case .register(let node, _, let key, _): "register:\(node.rawValue):\(key)"
    }
  }

  /// The order of operations under one key; a counter has no time and goes by its amount.
  var order: UInt64 {
    switch self {
    case .position(_, let timestamp, _), .health(_, let timestamp, _),
      .register(_, let timestamp, _, _):
      timestamp
    case .counter(_, _, let amount): amount
    }
  }
}

extension CRDTOperation: WireValue {
  /// Reads an operation; bytes behind it are ignored.
  ///
  /// - Throws: ``FormatFault`` for an unknown tag, a cut, a location or health that is out of
  ///   range, and a key that is not UTF-8.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    let start = reader.offset
    let tag = try reader.u8("operation tag")
    switch tag {
    case 0x01:
      let node = try reader.node("node")
      let timestamp = try reader.le64("timestamp")
      self = .position(node: node, timestamp: timestamp, try CRDTOperation.location(&reader))
    case 0x02:
      let node = try reader.node("node")
      let timestamp = try reader.le64("timestamp")
      self = .health(node: node, timestamp: timestamp, try CRDTOperation.health(&reader))
    case 0x03:
      self = .counter(
        id: try reader.u8("counter id"), node: try reader.node("node"),
        amount: try reader.le64("amount"))
    case 0x04:
      let node = try reader.node("node")
      let timestamp = try reader.le64("timestamp")
      let length = Int(try reader.u8("key length"))
      let keyOffset = reader.offset
      guard let key = String(validating: try reader.array(length, "key"), as: UTF8.self) else {
        throw FormatFault(reason: "key is not UTF-8", offset: keyOffset)
      }
      let size = Int(try reader.le16("value length"))
      self = .register(
        node: node, timestamp: timestamp, key: key, value: try reader.array(size, "value"))
    default:
      throw FormatFault(
        reason: "operation 0x\(String(tag, radix: 16)) is unknown", offset: start)
    }
  }

  private static func location(_ reader: inout ByteReader) throws(FormatFault) -> Location {
    let start = reader.offset
    var log: [Dropped] = []
    let bytes = DocumentBytes(reader.bytes)
    guard let found = Location.read(bytes, 0, bytes.count, log: &log) else {
      throw FormatFault(
        reason: log.first?.reason ?? "location is not valid",
        offset: start + (log.first?.offset ?? 0))
    }
    try reader.skip(found.size, "location")
    return found.location
  }

  private static func health(_ reader: inout ByteReader) throws(FormatFault) -> Health {
    let start = reader.offset
    try reader.require(4, "health")
    let health = Health(
      battery: try reader.u8("battery"), activity: Activity(rawValue: try reader.u8("activity")),
      alerts: Alerts(rawValue: try reader.u8("alerts")), heartRate: try reader.u8("heart rate"))
    if let fault = health.fault {
      throw FormatFault(reason: fault.reason, offset: start + fault.offset)
    }
    return health
  }

  /// Appends the operation; a key's length wraps at 256, a value's at 65 536, as the reference's.
  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .position(let node, let timestamp, let location):
      writer.u8(0x01)
      writer.le32(node.rawValue)
      writer.le64(timestamp)
      location.encode(into: &writer)
    case .health(let node, let timestamp, let health):
      writer.u8(0x02)
      writer.le32(node.rawValue)
      writer.le64(timestamp)
      health.encode(into: &writer)
    case .counter(let id, let node, let amount):
      writer.u8(0x03)
      writer.u8(id)
      writer.le32(node.rawValue)
      writer.le64(amount)
    case .register(let node, let timestamp, let key, let value):
      writer.u8(0x04)
      writer.le32(node.rawValue)
      writer.le64(timestamp)
      writer.u8(UInt8(truncatingIfNeeded: key.utf8.count))
      writer.append(key.utf8)
      writer.le16LengthPrefixed { $0.append(value) }
    }
  }
}

/// A list of operations, as chunks carry it (protocol.md 5.1).
public struct OperationBatch: WireValue {
  /// The operations in their order.
  public var operations: [CRDTOperation]

  /// Makes a batch.
  public init(operations: [CRDTOperation] = []) { self.operations = operations }

  /// Reads a batch, wholly or not at all; bytes behind it are ignored.
  ///
  /// - Throws: ``FormatFault`` for any cut and for any operation that is refused.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    let count = Int(try reader.le16("operation count"))
    operations = []
    operations.reserveCapacity(min(count, reader.remaining / 2))
    for _ in 0..<count {
      let length = Int(try reader.le16("operation length"))
      var part = try reader.split(length, "operation")
      operations.append(try CRDTOperation(decoding: &part))
    }
  }

  /// Appends the count, and each operation behind its length.
  public func encode(into writer: inout ByteWriter) {
    writer.le16(UInt16(truncatingIfNeeded: operations.count))
    for operation in operations { writer.le16LengthPrefixed { operation.encode(into: &$0) } }
  }

  /// The sum of the reference's size estimates.
  public var estimatedSize: Int { operations.reduce(0) { $0 + $1.estimatedSize } }
}
