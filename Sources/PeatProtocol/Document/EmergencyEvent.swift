public import WireBytes

/// An emergency and who has acknowledged it: section 0xAC of a document (protocol.md 2.7, 4.3).
///
/// Its identity is source and time. Acks ascend by node id and no id appears twice.
public struct EmergencyEvent: Equatable, Sendable {
  /// Whether one node has acknowledged.
  public struct Ack: Hashable, Sendable, BitwiseCopyable {
    /// The node that is to acknowledge.
    public var node: NodeID
    /// Whether it has.
    public var isAcked: Bool

    /// Makes an entry from its parts.
    @inlinable
    public init(node: NodeID, isAcked: Bool) {
      self.node = node
      self.isAcked = isAcked
    }
  }

  /// Most acks that a decoder accepts (protocol.md 2.7).
  public static let maximumDecodedAcks = 256

  /// The node in distress.
  public var source: NodeID
  /// Milliseconds since 1970 as the source wrote them.
  public var time: UInt64
  /// Who knows of it, ascending by node id.
  public private(set) var acks: [Ack]

  /// Makes an emergency; of several acks with one node id the last counts.
  public init(source: NodeID, time: UInt64, acks: [Ack] = []) {
    self.source = source
    self.time = time
    self.acks = acks
    normalize()
  }

  /// Whether `other` is this emergency, whatever its acks (protocol.md 4.3).
  public func isSame(as other: EmergencyEvent) -> Bool {
    source == other.source && time == other.time
  }

  /// Nodes that have acknowledged, ascending.
  public var acked: [NodeID] { acks.filter(\.isAcked).map(\.node) }

  /// Nodes that are known not to have acknowledged yet, ascending.
  public var pending: [NodeID] { acks.filter { !$0.isAcked }.map(\.node) }

  /// Whether there are acks and all of them are given; false without any, as in the reference.
  public var isAckedByAll: Bool { !acks.isEmpty && acks.allSatisfy(\.isAcked) }

  /// Enters an ack; true never goes back to false. Tells whether an ack became true.
  @discardableResult
  public mutating func acknowledge(_ node: NodeID, isAcked: Bool = true) -> Bool {
    let place = acks.firstIndex { $0.node >= node } ?? acks.endIndex
    if place < acks.endIndex && acks[place].node == node {
      guard isAcked && !acks[place].isAcked else { return false }
      acks[place].isAcked = true
      return true
    }
    acks.insert(Ack(node: node, isAcked: isAcked), at: place)
    return isAcked
  }

  /// Takes the other into this one; tells whether anything but false acks is new.
  ///
  /// The same emergency: acks are united. Another one: the strictly later replaces this one whole,
  /// else this one stays, also at equal times (protocol.md 4.3).
  @discardableResult
  public mutating func merge(_ other: EmergencyEvent) -> Bool {
    if isSame(as: other) {
      var isChanged = false
      for ack in other.acks where acknowledge(ack.node, isAcked: ack.isAcked) {
        isChanged = true
      }
      return isChanged
    }
    guard other.time > time else { return false }
    self = other
    return true
  }

  /// Bytes that `encode` appends.
  public var encodedSize: Int { 16 + 5 * acks.count }

  /// Appends the body of section 0xAC, without the section's header.
  public func encode(into writer: inout ByteWriter) {
    writer.le32(source.rawValue)
    writer.le64(time)
    writer.le32(UInt32(truncatingIfNeeded: acks.count))
    for ack in acks {
      writer.le32(ack.node.rawValue)
      writer.u8(ack.isAcked ? 1 : 0)
    }
  }

  private mutating func normalize() {
    var isAscending = true
    for index in acks.indices.dropFirst() where acks[index - 1].node >= acks[index].node {
      isAscending = false
    }
    if isAscending { return }
    let given = acks
    acks = []
    for (_, ack) in given.enumerated().sorted(by: {
      ($0.element.node, $0.offset) < ($1.element.node, $1.offset)
    }) {
      if acks.last?.node == ack.node { acks.removeLast() }
      acks.append(ack)
    }
  }
}

extension EmergencyEvent {
  /// Reads the body in `start..<end`; nil and a note of why where the reference drops the section.
  static func read(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int, lengthOffset: Int,
    log: inout [Dropped]
  ) -> EmergencyEvent? {
    let size = end &- start
    let count = Int(bytes.le32(start &+ 12))
    let source = bytes.node(start)
    let time = bytes.le64(start &+ 4)
    var fault: (offset: Int, raw: UInt64?, reason: String)?
    if size < 16 {
      fault = (
        lengthOffset, UInt64(max(0, size)), "emergency needs 16 bytes, \(size) present"
      )
    } else if source.rawValue == 0 {
      fault = (start, 0, "emergency source is 0")
    } else if time < Document.earliestTime {
      fault = (start + 4, time, "emergency time \(time) is before 2020")
    } else if count > maximumDecodedAcks {
      fault = (start + 12, UInt64(count), "emergency claims \(count) acks, at most 256")
    } else if 16 &+ 5 &* count > size {
      fault = (
        start + 12, UInt64(count),
        "emergency claims \(count) acks (\(5 * count) bytes), \(size - 16) bytes left"
      )
    }
    if let fault {
      log.append(
        Dropped(
          .emergency, .drop, at: fault.offset, fault.reason, raw: fault.raw,
          content: content(bytes, start, end)))
      return nil
    }
    var acks: [Ack] = []
    acks.reserveCapacity(count)
    var last: UInt32 = 0
    var isAscending = true
    for index in 0..<count {
      let offset = start &+ 16 &+ 5 &* index
      let node = bytes.node(offset)
      let isAcked = bytes.u8(offset &+ 4) != 0
      if node.rawValue == 0 {
        log.append(
          Dropped(
            .ack, .skip, at: offset, "ack of node 00000000", raw: 0,
            content: [ContentField("node", .node(node)), ContentField("acked", .flag(isAcked))]))
        continue
      }
      if node.rawValue <= last { isAscending = false }
      last = node.rawValue
      acks.append(Ack(node: node, isAcked: isAcked))
    }
    if !isAscending { noteRepeats(bytes, start + 16, count, log: &log) }
    let behind = start &+ 16 &+ 5 &* count
    if behind < end {
      log.append(
        Dropped(
          .emergency, .skip, at: behind, "\(end - behind) bytes behind the emergency's last ack"))
    }
    return EmergencyEvent(source: source, time: time, acks: acks)
  }

  private static func noteRepeats(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ count: Int, log: inout [Dropped]
  ) {
    var seen: Set<NodeID> = []
    for index in (0..<count).reversed() {
      let offset = start + 5 * index
      let node = bytes.node(offset)
      guard node.rawValue != 0, !seen.insert(node).inserted else { continue }
      log.append(
        Dropped(
          .ack, .skip, at: offset, "node \(node) is listed again, its last entry counts",
          content: [
            ContentField("node", .node(node)),
            ContentField("acked", .flag(bytes.u8(offset + 4) != 0)),
          ]))
    }
  }

  /// Reads what is there of an emergency, in range or not, under the names of a sound one.
  static func content(
    _ bytes: borrowing DocumentBytes, _ start: Int, _ end: Int
  ) -> [ContentField] {
    var fields: [ContentField] = []
    guard end - start >= 4 else { return fields }
    fields.append(ContentField("source", .node(bytes.node(start))))
    guard end - start >= 12 else { return fields }
    fields.append(ContentField("time", .integer(bytes.le64(start + 4))))
    guard end - start >= 16 else { return fields }
    var acks: [Ack] = []
    var offset = start + 16
    let claimed = min(Int(bytes.le32(start + 12)), maximumDecodedAcks)
    while acks.count < claimed && offset + 5 <= end {
      acks.append(Ack(node: bytes.node(offset), isAcked: bytes.u8(offset + 4) != 0))
      offset += 5
    }
    let event = EmergencyEvent(source: bytes.node(start), time: 0, acks: acks)
    fields.append(ContentField("acked", .list(event.acked.map { .node($0) })))
    fields.append(ContentField("pending", .list(event.pending.map { .node($0) })))
    return fields
  }
}
