/// A document that many others are merged into, one after the other, as `Document.merge` does: what
/// a step costs depends on the document that comes in, and not on what is known.
package struct DocumentMerge: Sendable {
  // Without the counter and the acks, which lie in tables.
  private var base: Document
  private var counts: [NodeID: UInt64] = [:]
  private var acks: [NodeID: Bool] = [:]

  /// Begins with a document.
  package init(_ document: Document) {
    base = document
    base.counter = GCounter()
    for entry in document.counter.entries { counts[entry.node] = entry.count }
    adopt(document.emergency)
  }

  /// Merges a document; tells whether that changed anything (protocol.md 4.1 to 4.5).
  package mutating func merge(_ other: Document) -> Bool {
    var gained: UInt64 = 0
    for entry in other.counter.entries {
      let known = counts[entry.node]
      guard known.map({ $0 < entry.count }) ?? true else { continue }
      gained &+= entry.count &- (known ?? 0)
      counts[entry.node] = entry.count
    }
    // Like the reference it compares sums, so a rise that wraps to the same sum goes unnoticed.
    var isChanged = gained != 0
    if let theirs = other.emergency, join(theirs) { isChanged = true }
    if let theirs = other.chat, !theirs.messages.isEmpty {
      if base.chat == nil { base.chat = ChatSet() }
      if base.chat?.merge(theirs) == true { isChanged = true }
    }
    if isChanged { base.version &+= 1 }
    return isChanged
  }

  /// What came of it.
  package var document: Document {
    var document = base
    document.counter = GCounter(
      counts.map { GCounter.Entry(node: $0.key, count: $0.value) })
    document.emergency = base.emergency.map { event in
      EmergencyEvent(
        source: event.source, time: event.time,
        acks: acks.map { EmergencyEvent.Ack(node: $0.key, isAcked: $0.value) })
    }
    return document
  }

  /// The same emergency unites its acks; a later one replaces what is known (protocol.md 4.3).
  private mutating func join(_ theirs: EmergencyEvent) -> Bool {
    guard let mine = base.emergency else {
      adopt(theirs)
      return true
    }
    guard mine.isSame(as: theirs) else {
      guard theirs.time > mine.time else { return false }
      adopt(theirs)
      return true
    }
    var isChanged = false
    for ack in theirs.acks where acks[ack.node] != true {
      if ack.isAcked { isChanged = true }
      acks[ack.node] = ack.isAcked
    }
    return isChanged
  }

  private mutating func adopt(_ event: EmergencyEvent?) {
    acks = [:]
    for ack in event?.acks ?? [] { acks[ack.node] = ack.isAcked }
    base.emergency = event.map { EmergencyEvent(source: $0.source, time: $0.time) }
  }
}
