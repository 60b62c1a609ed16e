import BluetoothMesh
import MeshSecurity

/// Tells copies of a PDU from new ones: every PDU is sent several times, relayed with a lower TTL,
/// and heard by several receivers (Mesh Protocol 1.1, 3.4.6).
struct MeshCopies: Sendable {
  /// How long after the first a copy may come: retransmissions and relays take this long at most.
  static let window: Int64 = 3_000_000_000
  /// PDUs remembered; of more, the older half is forgotten.
  private static let limit = 8192
  /// Copies of one PDU that are listed; of more, a next row begins.
  private static let sightingLimit = 64

  /// What a PDU is beside those that were seen.
  enum Verdict {
    case new
    /// The row that it belongs to.
    case again(Int)
    /// The same as one that was seen when no copy can come any more, or again on one link.
    case replay(MeshPlace)
    /// A copy with another transport PDU: a relay changed it.
    case altered(MeshPlace)
    /// Another message under a sequence number that was used.
    case reused(MeshPlace)
  }

  private struct Key: Hashable {
    var network: Int
    var ivIndex: UInt32
    var source: MeshAddress
    var sequence: UInt32
  }

  private struct LinkEnd: Hashable {
    var file: String
    var link: Int
    var channel: MeshChannel
  }

  private struct Seen {
    var number: Int
    var place: MeshPlace
    var destination: MeshAddress
    var transport: [UInt8]
    var ttl: UInt8
    var lowest: UInt8
    var links: Set<LinkEnd> = []
    var sightings = 1
  }

  private struct Raw: Hashable {
    var channel: MeshChannel
    var bytes: [UInt8]
  }

  private var opened: [Key: [Seen]] = [:]
  private var openedOrder: [Key] = []
  private var raw: [Raw: (number: Int, place: MeshPlace, sightings: Int)] = [:]
  private var rawOrder: [Raw] = []

  /// Judges a PDU that a key opened; `number` is that of its row, if it gets one.
  mutating func judge(
    _ unsealed: UnsealedPDU, _ channel: MeshChannel, _ place: MeshPlace, number: Int
  ) -> Verdict {
    let pdu = unsealed.pdu
    let key = Key(
      network: unsealed.network.id, ivIndex: unsealed.ivIndex, source: pdu.header.source,
      sequence: pdu.header.sequence)
    var seen = Seen(
      number: number, place: place, destination: pdu.destination, transport: pdu.transport,
      ttl: pdu.header.ttl, lowest: pdu.header.ttl)
    let end = channel.isLink ? LinkEnd(file: place.file, link: place.link, channel: channel) : nil
    if let end { seen.links = [end] }
    guard var known = opened[key], let first = known.first else {
      remember(key)
      opened[key] = [seen]
      return .new
    }
    defer { opened[key] = known }
    guard
      let index = known.firstIndex(where: {
        $0.destination == pdu.destination && $0.transport == pdu.transport
      })
    else {
      if known.count < 8 { known.append(seen) }
      return pdu.header.ttl < first.ttl ? .altered(first.place) : .reused(first.place)
    }
    if let end, known[index].links.contains(end) { return .replay(known[index].place) }
    let age = place.nanoseconds(since: known[index].place).map { abs($0) } ?? 0
    let isLower = pdu.header.ttl < known[index].lowest
    if age <= MeshCopies.window, known[index].sightings < MeshCopies.sightingLimit {
      known[index].sightings += 1
      known[index].lowest = min(known[index].lowest, pdu.header.ttl)
      if let end { known[index].links.insert(end) }
      return .again(known[index].number)
    }
    let before = known[index].place
    known[index] = seen
    known[index].ttl = max(seen.ttl, first.ttl)
    if age <= MeshCopies.window || isLower { return .new }
    return .replay(before)
  }

  /// The row of the same bytes in an advertisement a moment ago; nil where this is a new one.
  mutating func again(
    _ bytes: [UInt8], _ channel: MeshChannel, _ place: MeshPlace, number: Int
  ) -> Int? {
    guard !channel.isLink else { return nil }
    let key = Raw(channel: channel, bytes: bytes)
    if let known = raw[key], known.sightings < MeshCopies.sightingLimit,
      (place.nanoseconds(since: known.place).map { abs($0) } ?? 0) <= MeshCopies.window
    {
      raw[key]?.sightings += 1
      return known.number
    }
    if raw[key] == nil {
      if rawOrder.count >= MeshCopies.limit {
        for old in rawOrder.prefix(MeshCopies.limit / 2) { raw[old] = nil }
        rawOrder.removeFirst(MeshCopies.limit / 2)
      }
      rawOrder.append(key)
    }
    raw[key] = (number, place, 1)
    return nil
  }

  private mutating func remember(_ key: Key) {
    if openedOrder.count >= MeshCopies.limit {
      for old in openedOrder.prefix(MeshCopies.limit / 2) { opened[old] = nil }
      openedOrder.removeFirst(MeshCopies.limit / 2)
    }
    openedOrder.append(key)
  }
}

/// Where each sender's sequence numbers stand, as a receiver's replay protection has it (3.8.8).
struct MeshSequences: Sendable {
  private static let limit = 4096
  /// PDUs that changed places on their way differ by this much.
  private static let disorder: UInt32 = 32

  private struct Key: Hashable {
    var network: Int
    var source: MeshAddress
  }

  private struct State {
    var ivIndex: UInt32
    var sequence: UInt32
    var place: MeshPlace
  }

  private var states: [Key: State] = [:]

  /// Takes in a new PDU; gives what a receiver has against it.
  mutating func take(_ unsealed: UnsealedPDU, _ place: MeshPlace) -> MeshFinding? {
    guard unsealed.isExpectedIndex else { return nil }
    let header = unsealed.pdu.header
    let key = Key(network: unsealed.network.id, source: header.source)
    let new = State(ivIndex: unsealed.ivIndex, sequence: header.sequence, place: place)
    guard let known = states[key] else {
      if states.count < MeshSequences.limit { states[key] = new }
      return nil
    }
    if new.ivIndex < known.ivIndex {
      return MeshFinding(
        .replay,
        "IV index \(new.ivIndex) is behind \(known.ivIndex), which \(header.source) has used: "
          + "receivers ignore it", frames: frames(known.place, place))
    }
    if new.ivIndex > known.ivIndex || new.sequence > known.sequence {
      states[key] = new
      return nil
    }
    let age = place.nanoseconds(since: known.place) ?? 0
    if known.sequence - new.sequence <= MeshSequences.disorder, age <= MeshCopies.window {
      return nil
    }
    states[key] = new
    return MeshFinding(
      .sequenceReset,
      "SEQ \(new.sequence) of \(header.source) comes after \(known.sequence) with the same IV index: "
        + "receivers ignore it until it has passed that", frames: frames(known.place, place))
  }

  private func frames(_ before: MeshPlace, _ place: MeshPlace) -> [Int] {
    before.file == place.file ? [before.frame] : []
  }
}

/// Messages in segments to one receiver, and what of them it acknowledged (3.5.3.3).
struct MeshSegmentWatch: Sendable {
  private static let limit = 512
  /// How long the acknowledgments may take.
  private static let patience: Int64 = 10_000_000_000

  struct Message: Sendable {
    var source: MeshAddress
    var destination: MeshAddress
    var zero: UInt16
    var sequence: UInt32
    var last: UInt8
    var first: MeshPlace
    var place: MeshPlace
    var acknowledged: UInt32 = 0
    var wasAnswered = false
    /// Whether it was told as overdue: it may be sent again and again.
    var isTold = false

    /// Segments that the receiver did not say it has.
    var missing: [UInt8] { (0...last).filter { acknowledged >> UInt32($0) & 1 == 0 } }
  }

  private var messages: [Message] = []

  mutating func sent(
    _ segment: Segment, sequence: UInt32, _ pdu: NetworkPDU, _ place: MeshPlace
  ) {
    guard pdu.destination.kind == .unicast else { return }
    if let index = messages.lastIndex(where: {
      $0.source == pdu.header.source && $0.zero == segment.sequenceZero
        && $0.destination == pdu.destination && $0.last == segment.last
    }) {
      messages[index].place = place
      return
    }
    if messages.count >= MeshSegmentWatch.limit { messages.removeFirst() }
    messages.append(
      Message(
        source: pdu.header.source, destination: pdu.destination, zero: segment.sequenceZero,
        sequence: sequence, last: segment.last, first: place, place: place))
  }

  /// An acknowledgment came; gives the message it is of.
  mutating func acknowledged(
    _ acknowledgment: SegmentAcknowledgment, by source: MeshAddress, to destination: MeshAddress
  ) -> Message? {
    guard
      let index = messages.lastIndex(where: {
        $0.source == destination && $0.zero == acknowledgment.sequenceZero
          && ($0.destination == source || acknowledgment.isOnBehalf)
      })
    else { return nil }
    messages[index].acknowledged |= acknowledgment.block
    messages[index].wasAnswered = true
    let found = messages[index]
    if found.missing.isEmpty { messages.remove(at: index) }
    return found
  }

  /// Messages whose acknowledgment is overdue, each once.
  mutating func expire(at now: MeshPlace) -> [Message] {
    func isOver(_ place: MeshPlace) -> Bool {
      (now.nanoseconds(since: place) ?? 0) > MeshSegmentWatch.patience
    }
    guard messages.contains(where: { isOver($0.first) }) else { return [] }
    var due: [Message] = []
    for index in messages.indices where isOver(messages[index].first) {
      if !messages[index].isTold { due.append(messages[index]) }
      messages[index].isTold = true
    }
    messages.removeAll { isOver($0.place) }
    return due
  }

  /// What is not acknowledged where the captures end: a receiver said that something is missing, or
  /// there was time enough.
  mutating func conclude(at end: MeshPlace?) -> [Message] {
    defer { messages = [] }
    guard let end else { return [] }
    return messages.filter {
      !$0.isTold
        && ($0.wasAnswered
          || (end.nanoseconds(since: $0.first) ?? 0) > MeshExchanges.shortPatience)
    }
  }

  /// How far a message in segments got; nil for one that was acknowledged or is not known.
  func progress(source: MeshAddress, sequence: UInt32) -> String? {
    messages.last { $0.source == source && $0.sequence == sequence }.map { message in
      message.wasAnswered
        ? "segments \(MeshSegmentWatch.list(message.missing)) of \(Int(message.last) + 1) were not "
          + "acknowledged" : "none of its \(Int(message.last) + 1) segments was acknowledged"
    }
  }

  static func list(_ numbers: [UInt8]) -> String {
    numbers.map { "\($0)" }.joined(separator: ", ")
  }
}
