/// Values in file order, some of which cannot be shown yet.
///
/// A value waits where its outcome is still to come (a write's response, the next part of a read),
/// or where no discovery has yet named its handle. Everything behind it waits too, so that what is
/// shown is in file order.
struct OutputQueue: Sendable {
  /// Bytes held before waiting ends.
  static let byteLimit = 16 << 20
  /// The same where the capture can be read again, which costs less than holding much.
  static let surveyLimit = 2 << 20
  /// Values behind one that waits for its outcome; a link that stalls holds up no more than this.
  static let awaitingLimit = 4096
  /// Bytes held up by one that waits for its outcome: no more than where a survey would begin.
  static let awaitingByteLimit = surveyLimit

  struct Entry: Sendable {
    var value: CapturedValue
    var isAwaiting: Bool
    /// The server whose discovery could name the handle, while none has.
    var unresolved: ServerKey?
    var isRemoved = false
    /// When it came, by the clock of a live run.
    var arrival: UInt64 = 0
  }

  private var entries: [Entry] = []
  private var head = 0
  private var firstNumber: UInt64 = 0
  private(set) var heldBytes = 0
  /// The moment of a live run in nanoseconds; 0 where a capture is read.
  var now: UInt64 = 0

  /// The number of the first entry.
  var firstPlace: UInt64 { firstNumber + UInt64(head) }

  var isEmpty: Bool { head == entries.count }
  var count: Int { entries.count - head }

  /// A value costs its payload and what the entry itself takes.
  private static func cost(_ value: CapturedValue) -> Int {
    512 + value.payload.count + value.frames.count * 8
  }

  /// Appends a value and returns its number.
  mutating func append(
    _ value: CapturedValue, isAwaiting: Bool, unresolved: ServerKey?
  ) -> UInt64 {
    if head > 1024, head * 2 > entries.count {
      entries.removeFirst(head)
      firstNumber += UInt64(head)
      head = 0
    }
    heldBytes += OutputQueue.cost(value)
    entries.append(
      Entry(value: value, isAwaiting: isAwaiting, unresolved: unresolved, arrival: now))
    return firstNumber + UInt64(entries.count - 1)
  }

  private func index(_ number: UInt64) -> Int? {
    guard number >= firstNumber + UInt64(head) else { return nil }
    let index = Int(number - firstNumber)
    return index < entries.count ? index : nil
  }

  /// The value's outcome is known, or will never be.
  mutating func settle(
    _ number: UInt64, outcome: ValueOutcome? = nil, isAnswered: Bool = false,
    isOpenEnded: Bool = false
  ) {
    guard let index = index(number) else { return }
    entries[index].isAwaiting = false
    entries[index].value.isOpenEnded = isOpenEnded
    if isAnswered { entries[index].value.isAnswered = true }
    guard let outcome else { return }
    entries[index].value.outcome = outcome
    // Invalid Offset: it was the sender that left the hole, and nothing behind it was taken.
    if outcome == .refused(0x07), entries[index].value.hasHole {
      entries[index].value.length = entries[index].value.payload.count
    }
  }

  /// The value is part of a longer one that will be appended.
  mutating func remove(_ number: UInt64) {
    guard let index = index(number) else { return }
    entries[index].isRemoved = true
    entries[index].isAwaiting = false
    entries[index].unresolved = nil
  }

  /// The first entry that was not removed.
  mutating func first() -> Entry? {
    while head < entries.count, entries[head].isRemoved { dropFirst() }
    return head < entries.count ? entries[head] : nil
  }

  /// When the first entry came, by the clock of a live run.
  var oldestArrival: UInt64? { head < entries.count ? entries[head].arrival : nil }

  /// Takes the first entry away.
  mutating func dropFirst() {
    guard head < entries.count else { return }
    heldBytes -= OutputQueue.cost(entries[head].value)
    entries[head].value.payload = []
    head += 1
    if head == entries.count {
      firstNumber += UInt64(head)
      entries.removeAll(keepingCapacity: true)
      head = 0
    }
  }

  /// Whether a value may go on waiting for its outcome; where too much is held, none does.
  var isPatient: Bool {
    count <= OutputQueue.awaitingLimit && heldBytes <= OutputQueue.awaitingByteLimit
  }

  /// Whether a value waits that has a name.
  var hasNamedValues: Bool {
    entries[head...].contains { $0.unresolved == nil && !$0.isRemoved }
  }

  /// Removes the values without a name for which `isHopeless` holds.
  mutating func removeUnresolved(where isHopeless: (CapturedValue, ServerKey) -> Bool) {
    for index in entries.indices.dropFirst(head) where !entries[index].isRemoved {
      guard let key = entries[index].unresolved, isHopeless(entries[index].value, key) else {
        continue
      }
      entries[index].isRemoved = true
      entries[index].unresolved = nil
      entries[index].isAwaiting = false
    }
  }

  mutating func removeAll() {
    firstNumber += UInt64(entries.count)
    entries.removeAll()
    head = 0
    heldBytes = 0
  }

  /// Visits what waits without a name, in order.
  func forEachUnresolved(_ body: (CapturedValue, ServerKey) -> Void) {
    for entry in entries[head...] {
      if let key = entry.unresolved, !entry.isRemoved { body(entry.value, key) }
    }
  }
}
