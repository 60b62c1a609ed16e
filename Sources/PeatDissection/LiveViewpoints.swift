/// Makes one value of what several adapters of a live run saw of it, as `Viewpoints` does for a
/// capture, but waits for a moment only.
///
/// What was given is remembered for a while: a counterpart that comes too late is a repeat of what
/// was shown, and left out. Moments are nanoseconds of a clock that does not run backwards.
struct LiveViewpoints: Sendable {
  /// How long a value waits for its counterpart.
  static let patience: UInt64 = 50_000_000
  /// Values that wait or are remembered.
  private static let limit = 512
  /// Bytes of them.
  private static let byteLimit = 8 << 20

  private struct Entry: Sendable {
    var seen: SeenValue
    var trace: ValueTrace
    /// The moment at which the first viewpoint saw it.
    let arrival: UInt64
  }

  /// What was given, then from `head` on what waits.
  private var entries: [Entry] = []
  private var head = 0
  private var heldBytes = 0

  /// Takes a value at a moment; `adapters` is how many have connections.
  mutating func add(_ value: CapturedValue, adapters: Int, at now: UInt64) {
    let trace = ValueTrace(value)
    let partner = entries.firstIndex {
      $0.trace.mayPair(with: trace) && $0.seen.isCounterpart(of: value)
    }
    guard let index = partner else {
      entries.append(Entry(seen: SeenValue(value), trace: trace, arrival: now))
      heldBytes += value.payload.count
      return
    }
    let isFromSender = entries[index].seen.join(value)
    entries[index].trace.isComplete = entries[index].seen.sightings.count >= adapters
    // The row stands where the sender's packet does, unless it was shown already.
    if isFromSender, index >= head { entries.append(entries.remove(at: index)) }
  }

  /// The next value that need not wait any longer at a moment; at the end, none waits.
  mutating func next(at now: UInt64, isEnd: Bool) -> CapturedValue? {
    guard head < entries.count else { return nil }
    let first = entries[head]
    guard
      isEnd || first.trace.isComplete || first.arrival &+ LiveViewpoints.patience <= now
        || entries.count - head > LiveViewpoints.limit || heldBytes > LiveViewpoints.byteLimit
    else { return nil }
    head += 1
    forget()
    return first.seen.whole
  }

  /// When the first value that waits has waited long enough.
  var deadline: UInt64? {
    head < entries.count ? entries[head].arrival &+ LiveViewpoints.patience : nil
  }

  /// Lets go of the oldest of what was given.
  private mutating func forget() {
    guard head > LiveViewpoints.limit || heldBytes > LiveViewpoints.byteLimit else { return }
    let count = (head + 1) / 2
    heldBytes -= entries[..<count].reduce(0) { $0 + $1.seen.value.payload.count }
    entries.removeFirst(count)
    head -= count
  }
}
