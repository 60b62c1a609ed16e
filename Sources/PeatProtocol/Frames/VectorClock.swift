public import WireBytes

/// The highest value seen of each node (protocol.md 4.6).
///
/// On the air: a count of 32 bits, then node and value of each entry. The reference writes the
/// entries in the order of a hash table; this type writes them by node.
public struct VectorClock: WireValue, Hashable {
  /// Values by node. A node with value 0 counts like an absent one when clocks are compared.
  public private(set) var values: [NodeID: UInt64]

  /// Makes a clock; of a node given twice the last value holds.
  public init(_ entries: some Sequence<(NodeID, UInt64)> = []) {
    values = Dictionary(entries.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
  }

  /// Bytes of one entry.
  static let entrySize = 12

  /// Reads count and entries; every node id is allowed, 0 too.
  ///
  /// - Throws: ``FormatFault`` where the entries are cut.
  public init(decoding reader: inout ByteReader) throws(FormatFault) {
    values = [:]
    let start = reader.offset
    let count = Int(try reader.le32("vector clock count"))
    guard count <= reader.remaining / VectorClock.entrySize else {
      throw FormatFault(
        reason: "vector clock claims \(count) entries, \(reader.remaining) bytes left",
        offset: start)
    }
    for _ in 0..<count {
      let node = try reader.node("vector clock node")
      values[node] = try reader.le64("vector clock value")
    }
  }

  /// Appends count and entries, ascending by node.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(UInt32(truncatingIfNeeded: values.count))
    for (node, value) in values.sorted(by: { $0.key < $1.key }) {
      writer.le32(node.rawValue)
      writer.le64(value)
    }
  }

  /// The value of a node, 0 when it has none.
  public subscript(node: NodeID) -> UInt64 { values[node] ?? 0 }

  /// Takes the larger value of each node.
  public mutating func merge(_ other: VectorClock) {
    values.merge(other.values, uniquingKeysWith: { max($0, $1) })
  }

  /// Whether no value of this clock is larger than the other's and one is smaller.
  public func happensBefore(_ other: VectorClock) -> Bool {
    isAtMost(other) && !other.isAtMost(self)
  }

  /// Whether neither clock happens before the other: so it is with equal ones, too.
  public func isConcurrent(with other: VectorClock) -> Bool {
    !happensBefore(other) && !other.happensBefore(self)
  }

  private func isAtMost(_ other: VectorClock) -> Bool {
    values.allSatisfy { $0.value <= other[$0.key] }
  }
}
