public import WireBytes

/// A counter of peat-lite: a 16-bit count, then node and 32-bit value of each entry in the order
/// in which nodes came (protocol.md 7.6).
public struct LiteCounter: Hashable, Sendable {
  /// A node's part.
  public struct Entry: Hashable, Sendable, BitwiseCopyable {
    /// The node, which may be 0.
    public var node: NodeID
    /// Its part of the sum.
    public var value: UInt32
  }

  /// Nodes that fit unless told otherwise.
  public static let defaultCapacity = 32

  /// Nodes that fit; entries of further nodes are left out.
  public let capacity: Int
  /// The entries in the order in which they came.
  public private(set) var entries: [Entry] = []

  /// Makes an empty counter.
  public init(capacity: Int = LiteCounter.defaultCapacity) { self.capacity = capacity }

  /// Reads a counter; of a repeated node the last value holds, bytes behind are ignored.
  ///
  /// - Throws: ``FormatFault`` where the entries are cut.
  public init(
    bytes: [UInt8], capacity: Int = LiteCounter.defaultCapacity
  ) throws(FormatFault) {
    self.init(capacity: capacity)
    // `Span.bytes` is marked unsafe for element types with padding; bytes have none.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    let count = Int(try reader.le16("entry count"))
    try reader.require(count * 8, "entries")
    for _ in 0..<count {
      let node = try reader.node("entry node")
      set(node, try reader.le32("entry value"))
    }
  }

  /// The wire form.
  public var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 2 + 8 * entries.count)
    writer.le16(UInt16(truncatingIfNeeded: entries.count))
    for entry in entries {
      writer.le32(entry.node.rawValue)
      writer.le32(entry.value)
    }
    return writer.bytes
  }

  /// The sum of all parts.
  public var value: UInt64 { entries.reduce(0) { $0 &+ UInt64($1.value) } }

  /// A node's part, 0 when it has none.
  public subscript(node: NodeID) -> UInt32 {
    entries.first { $0.node == node }?.value ?? 0
  }

  /// Adds to a node's part, which stays at the largest number; the part afterwards.
  public mutating func increment(_ node: NodeID, by amount: UInt32) -> UInt32 {
    let sum = self[node].addingReportingOverflow(amount)
    set(node, sum.overflow ? .max : sum.partialValue)
    return self[node]
  }

  /// Takes the larger part of each node.
  public mutating func merge(_ other: LiteCounter) {
    for entry in other.entries { set(entry.node, max(self[entry.node], entry.value)) }
  }

  private mutating func set(_ node: NodeID, _ value: UInt32) {
    if let index = entries.firstIndex(where: { $0.node == node }) {
      entries[index].value = value
    } else if entries.count < capacity {
      entries.append(Entry(node: node, value: value))
    }
  }
}

/// A position of peat-lite: three 32-bit numbers (protocol.md 7.6).
public struct LitePosition: WireValue, Hashable, BitwiseCopyable {
  /// Millionths of a degree north.
  public var microLatitude: Int32
  /// Millionths of a degree east.
  public var microLongitude: Int32
  /// Centimetres.
  public var centimetres: Int32

  /// Converts degrees and metres; fractions are cut off, and what exceeds the fields is held.
  public init(latitude: Double, longitude: Double, altitude: Float) {
    microLatitude = LitePosition.clamped(latitude * 1_000_000)
    microLongitude = LitePosition.clamped(longitude * 1_000_000)
    centimetres = LitePosition.clamped(Double(altitude * 100))
  }

  /// Reads the 12 bytes, least significant first.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    microLatitude = Int32(bitPattern: try reader.le32("latitude"))
    microLongitude = Int32(bitPattern: try reader.le32("longitude"))
    centimetres = Int32(bitPattern: try reader.le32("altitude"))
  }

  /// Appends the 12 bytes.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(UInt32(bitPattern: microLatitude))
    writer.le32(UInt32(bitPattern: microLongitude))
    writer.le32(UInt32(bitPattern: centimetres))
  }

  /// Degrees north.
  public var latitude: Double { Double(microLatitude) / 1_000_000 }

  /// Degrees east.
  public var longitude: Double { Double(microLongitude) / 1_000_000 }

  /// Metres.
  public var altitude: Float { Float(centimetres) / 100 }

  private static func clamped(_ value: Double) -> Int32 {
    if value.isNaN { return 0 }
    // In range after the comparisons, so that the conversion, which cuts off, cannot trap.
    return Int32(max(-2_147_483_648, min(value, 2_147_483_647)))
  }
}

/// A last-writer-wins register of peat-lite: the later time holds, then the larger node.
public struct LiteRegister<Value: Sendable>: Sendable {
  /// The value that holds.
  public private(set) var value: Value
  /// Who wrote it.
  public private(set) var node: NodeID
  /// When it was written.
  public private(set) var timestamp: UInt64

  /// Makes a register with its first value.
  public init(_ value: Value, node: NodeID, timestamp: UInt64) {
    self.value = value
    self.node = node
    self.timestamp = timestamp
  }

  /// Writes a value; true when it holds.
  public mutating func set(_ value: Value, node: NodeID, timestamp: UInt64) -> Bool {
    guard (timestamp, node) > (self.timestamp, self.node) else { return false }
    self = LiteRegister(value, node: node, timestamp: timestamp)
    return true
  }
}
