import PeatProtocol
import PeatSecurity

/// What a node on the air needs beyond the model of the reference.
extension MeshNode {
  /// Highest own count that is believed to be of an earlier life of this node: more than any node
  /// counts by hand. A forged one would else end the counter at its limit (protocol.md 4.1).
  static let highestOwnCount: UInt64 = 1 << 40

  /// Goes on where an earlier life ended.
  mutating func restore(
    count: UInt64, version: UInt32, location: Location? = nil, battery: UInt8? = nil
  ) {
    if count > 0 { document.counter.raise(configuration.node, to: count) }
    document.version = version
    document.peripheral?.location = location
    if let battery { document.peripheral?.health.battery = battery }
    skipCollidingVersions()
  }

  /// Leaves out the versions whose low byte begins other frames (protocol.md 2.9, 8.7).
  mutating func skipCollidingVersions() {
    while (0xAC...0xB2).contains(document.version & 0xFF) { document.version &+= 1 }
  }

  /// Undoes what nobody means: an own count from nowhere, and more entries than decoders accept.
  /// Gives the reasons, none where nothing was undone.
  mutating func undoExcess(since before: Document) -> [String] {
    var reasons: [String] = []
    let own = configuration.node
    let count = document.counter[own]
    if count > before.counter[own], count > MeshNode.highestOwnCount {
      reasons.append("a count of \(count) for this node")
      document.counter = GCounter(
        document.counter.entries.compactMap {
          if $0.node != own { return $0 }
          return before.counter.contains(own)
            ? GCounter.Entry(node: own, count: before.counter[own]) : nil
        })
    }
    if document.counter.entries.count > GCounter.maximumDecodedEntries {
      reasons.append("more than \(GCounter.maximumDecodedEntries) counters")
      var room = max(0, GCounter.maximumDecodedEntries - before.counter.entries.count)
      document.counter = GCounter(
        document.counter.entries.filter {
          if before.counter.contains($0.node) { return true }
          room -= 1
          return room >= 0
        })
    }
    if let emergency = document.emergency,
      emergency.acks.count > EmergencyEvent.maximumDecodedAcks
    {
      reasons.append("more than \(EmergencyEvent.maximumDecodedAcks) acknowledgements")
      document.emergency = before.emergency
    }
    if !reasons.isEmpty, document.counter == before.counter, document.emergency == before.emergency
    {
      document.version = before.version
    }
    return reasons
  }

  /// Applies a delta's counters and emergency, which the reference only tells of (protocol.md 4.9).
  mutating func apply(delta frame: [UInt8]) {
    guard let bytes = plaintext(of: frame), bytes.first == DeltaDocument.marker,
      let delta = try? DeltaDocument(bytes: bytes),
      delta.origin != configuration.node
    else { return }
    var change = Document(node: delta.origin)
    for operation in delta.operations {
      switch operation {
      case .counter(_, let node, let amount, _) where node.rawValue != 0:
        change.counter.raise(node, to: amount)
      case .setEmergency(let source, let time, let peers):
        let acks =
          peers.map { EmergencyEvent.Ack(node: $0, isAcked: false) }
          + [EmergencyEvent.Ack(node: source, isAcked: true)]
        change.emergency = EmergencyEvent(source: source, time: time, acks: acks)
      case .acknowledgeEmergency(let node, let time):
        guard var event = change.emergency ?? document.emergency, event.time == time else {
          continue
        }
        event.acknowledge(node)
        change.emergency = event
      case .counter, .peripheral, .clearEmergency, .app: continue
      }
    }
    document.mergeParts(of: change)
  }

  private func plaintext(of frame: [UInt8]) -> [UInt8]? {
    guard frame.first == EncryptedFrame.marker else {
      return configuration.isStrict && cipher != nil ? nil : frame
    }
    guard let cipher, let encrypted = try? EncryptedFrame(frame) else { return nil }
    return cipher.open(encrypted)
  }

  /// The document for a link that takes `capacity` bytes, by whole sections (protocol.md 8.2): all
  /// of it, or without the peripheral. What is larger than both goes in parts (`partialFrame`), so
  /// that an emergency is told however many counters and acks there are.
  ///
  /// - Parameter isLocalShown: false leaves this node's own state out in any case.
  func frames(isLocalShown: Bool) -> [[UInt8]] {
    var variants = [document]
    if !isLocalShown { variants[0].peripheral = nil }
    if variants[0].peripheral != nil {
      var smaller = document
      smaller.peripheral = nil
      variants.append(smaller)
    }
    return variants.map { $0.encoded() }
  }

  /// A document of at most `capacity` bytes with this node's own counter, the emergency, and as many
  /// other counters as fit, from the `rotation`-th on; nil where not even one fits. A receiver takes
  /// the higher of each count and unites acks, so that parts, one after the other, tell all of it
  /// (protocol.md 4.1, 4.3).
  func partialFrame(capacity: Int, rotation: Int) -> (frame: [UInt8], next: Int)? {
    var part = Document(version: document.version, node: document.node)
    let own = configuration.node
    let others = document.counter.entries.filter { $0.node != own }
    if document.counter.contains(own) { part.counter.raise(own, to: document.counter[own]) }
    part.emergency = document.emergency.flatMap {
      MeshNode.part(of: $0, capacity: capacity - part.encodedSize - 4, rotation: rotation)
    }
    let room = min(others.count, max(0, (capacity - part.encodedSize) / 12))
    for step in 0..<room {
      let entry = others[(rotation + step) % others.count]
      part.counter.raise(entry.node, to: entry.count)
    }
    guard part.encodedSize <= capacity, !part.counter.entries.isEmpty else { return nil }
    return (part.encoded(), others.isEmpty ? 0 : (rotation + room) % others.count)
  }

  /// An emergency in at most `capacity` bytes. Where its acks do not fit, they take half of the room,
  /// given ones first, from the `rotation`-th on; nil where not one fits.
  private static func part(
    of emergency: EmergencyEvent, capacity: Int, rotation: Int
  ) -> EmergencyEvent? {
    if emergency.encodedSize <= capacity { return emergency }
    var part = EmergencyEvent(source: emergency.source, time: emergency.time)
    let acks = emergency.acks
    let rotated = acks.indices.map { acks[($0 + rotation) % acks.count] }
    let room = (capacity / 2 - part.encodedSize) / 5
    guard room > 0 else { return nil }
    let wanted = rotated.filter(\.isAcked) + rotated.filter { !$0.isAcked }
    for ack in wanted.prefix(room) { part.acknowledge(ack.node, isAcked: ack.isAcked) }
    return part
  }

  /// A frame as it goes on the air; nil only where it cannot be sealed.
  func onAir(_ frame: [UInt8]) -> [UInt8]? { sealed(frame) }

  /// Bytes that sealing adds to a frame.
  var sealedOverhead: Int { cipher == nil ? 0 : 30 }

  /// Notes that a peer is there, by whichever way it was heard.
  mutating func touch(_ identifier: String, node: NodeID, now: UInt64) {
    _ = peers.linked(identifier: identifier, node: node, now: now)
  }
}
