public import WireBytes

/// A grow-only counter: each node's own count, the highest known one (protocol.md 2.2, 4.1).
///
/// Entries ascend by node id and no id appears twice.
public struct GCounter: Equatable, Sendable {
  /// One node's count.
  public struct Entry: Hashable, Sendable, BitwiseCopyable {
    /// The node that counted.
    public var node: NodeID
    /// Its count.
    public var count: UInt64

    /// Makes an entry from its parts.
    @inlinable
    public init(node: NodeID, count: UInt64) {
      self.node = node
      self.count = count
    }
  }

  /// Most entries that a decoder accepts (protocol.md 2.1).
  public static let maximumDecodedEntries = 256

  /// The entries, ascending by node id.
  public private(set) var entries: [Entry]

  /// Makes an empty counter.
  public init() { entries = [] }

  /// Makes a counter of entries in any order; of several with one id the last counts.
  public init(_ entries: [Entry]) {
    self.entries = entries
    normalize()
  }

  /// Makes a counter of entries that are known to ascend by node id.
  init(ascending entries: [Entry]) { self.entries = entries }

  /// The sum of all counts, modulo 2^64.
  public var total: UInt64 {
    var sum: UInt64 = 0
    for entry in entries { sum &+= entry.count }
    return sum
  }

  /// One node's count, 0 where it has none.
  public subscript(node: NodeID) -> UInt64 {
    let place = place(of: node)
    return place < entries.count && entries[place].node == node ? entries[place].count : 0
  }

  /// Whether a node has an entry, be it 0.
  public func contains(_ node: NodeID) -> Bool {
    let place = place(of: node)
    return place < entries.count && entries[place].node == node
  }

  /// Raises one node's count by `amount`, held at the limit (protocol.md 4.1).
  public mutating func increment(_ node: NodeID, by amount: UInt64 = 1) {
    let old = self[node]
    let (sum, overflow) = old.addingReportingOverflow(amount)
    raise(node, to: overflow ? .max : sum)
  }

  /// Takes the higher of a node's count and `count`; tells whether an entry rose or appeared.
  @discardableResult
  public mutating func raise(_ node: NodeID, to count: UInt64) -> Bool {
    let place = place(of: node)
    if place < entries.count && entries[place].node == node {
      guard entries[place].count < count else { return false }
      entries[place].count = count
    } else {
      entries.insert(Entry(node: node, count: count), at: place)
    }
    return true
  }

  /// Takes the maximum per node; tells whether the total changed (protocol.md 4.1).
  ///
  /// Like the reference it compares sums, so a rise that wraps to the same sum goes unnoticed.
  @discardableResult
  public mutating func merge(_ other: GCounter) -> Bool {
    var gained: UInt64 = 0
    var absent: [Entry] = []
    for entry in other.entries {
      let place = place(of: entry.node)
      if place == entries.count || entries[place].node != entry.node {
        absent.append(entry)
        gained &+= entry.count
      } else if entries[place].count < entry.count {
        gained &+= entry.count &- entries[place].count
        entries[place].count = entry.count
      }
    }
    insert(absent)
    return gained != 0
  }

  /// Inserts entries that ascend and of which none is there, in one pass from the end.
  private mutating func insert(_ absent: [Entry]) {
    guard let some = absent.first else { return }
    var from = entries.count
    var rest = absent.count
    entries.append(contentsOf: repeatElement(some, count: absent.count))
    while rest > 0 {
      if from > 0, entries[from - 1].node > absent[rest - 1].node {
        entries[from + rest - 1] = entries[from - 1]
        from -= 1
      } else {
        entries[from + rest - 1] = absent[rest - 1]
        rest -= 1
      }
    }
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int { 4 + 12 * entries.count }

  /// Appends the count of entries and the entries, all least significant byte first.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(UInt32(truncatingIfNeeded: entries.count))
    for entry in entries {
      writer.le32(entry.node.rawValue)
      writer.le64(entry.count)
    }
  }

  private func place(of node: NodeID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].node < node { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func normalize() {
    // As encoders write them.
    var isAscending = true
    for index in entries.indices.dropFirst() where entries[index - 1].node >= entries[index].node {
      isAscending = false
    }
    if isAscending { return }
    let given = entries
    entries = []
    entries.reserveCapacity(given.count)
    // Stable by position: equal ids stay in order, so that the last one can win.
    for (_, entry) in given.enumerated().sorted(by: {
      ($0.element.node, $0.offset) < ($1.element.node, $1.offset)
    }) {
      if let last = entries.indices.last, entries[last].node == entry.node {
        entries[last] = entry
      } else {
        entries.append(entry)
      }
    }
  }
}

extension GCounter {
  /// Reads `claimed` entries from `start`; the caller has checked that they are there.
  static func read(
    _ bytes: borrowing DocumentBytes, _ start: Int, claimed: Int, log: inout [Dropped]
  ) -> GCounter {
    var entries: [Entry] = []
    entries.reserveCapacity(claimed)
    var isAscending = true
    var last: UInt32 = 0
    for index in 0..<claimed {
      let offset = start &+ 12 &* index
      let node = bytes.node(offset)
      let count = bytes.le64(offset &+ 4)
      if node.rawValue == 0 {
        log.append(
          Dropped(
            .counter, .skip, at: offset, "counter entry of node 00000000", raw: 0,
            content: content(node, count)))
        continue
      }
      if node.rawValue <= last { isAscending = false }
      last = node.rawValue
      entries.append(Entry(node: node, count: count))
    }
    if isAscending { return GCounter(ascending: entries) }
    let counter = GCounter(entries)
    // Most counters that do not ascend have each node once all the same.
    if counter.entries.count < entries.count {
      noteRepeats(bytes, start, claimed: claimed, log: &log)
    }
    return counter
  }

  private static func noteRepeats(
    _ bytes: borrowing DocumentBytes, _ start: Int, claimed: Int, log: inout [Dropped]
  ) {
    // At most 256: a search through them is cheaper than a table.
    var seen: [NodeID] = []
    seen.reserveCapacity(claimed)
    for index in (0..<claimed).reversed() {
      let offset = start + 12 * index
      let node = bytes.node(offset)
      guard node.rawValue != 0 else { continue }
      guard seen.contains(node) else {
        seen.append(node)
        continue
      }
      log.append(
        Dropped(
          .counter, .skip, at: offset, "node \(node) is listed again, its last entry counts",
          content: content(node, bytes.le64(offset + 4))))
    }
  }

  private static func content(_ node: NodeID, _ count: UInt64) -> [ContentField] {
    [ContentField("node", .node(node)), ContentField("count", .integer(count))]
  }
}
