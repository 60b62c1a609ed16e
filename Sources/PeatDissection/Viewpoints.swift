import WireBytes

/// Makes one value of what several viewpoints of one file saw of it (cli.md, `seen_in`).
///
/// Two adapters of one monitor file see a value as sent and as received; several interfaces of one
/// pcapng file may be channels to one adapter and see it the same way. A value waits for its
/// counterpart as long as the time window and the room allow, and only in files where LE
/// connections of more than one adapter occur.
struct Viewpoints: Sendable {
  /// Values that wait.
  private static let limit = 512
  /// Bytes of the values that wait.
  private static let byteLimit = 8 << 20

  /// Values that wait, from `head` on.
  private var waiting: [SeenValue] = []
  /// One for each of `waiting`.
  private var traces: [ValueTrace] = []
  private var head = 0
  private var heldBytes = 0

  var isEmpty: Bool { head == waiting.count }
  /// Time of the value that came last.
  private(set) var lastTime: Timestamp?

  /// Takes a value; `adapters` is how many have connections.
  mutating func add(_ value: CapturedValue, adapters: Int) {
    lastTime = value.time ?? lastTime
    let trace = ValueTrace(value)
    if let index = partner(of: value, trace) {
      let heldBefore = waiting[index].value.payload.count
      let isFromSender = waiting[index].join(value)
      traces[index].isComplete = waiting[index].sightings.count >= adapters
      if isFromSender {
        // The row stands where the sender's packet does.
        waiting.append(waiting.remove(at: index))
        traces.append(traces.remove(at: index))
        heldBytes += value.payload.count - heldBefore
      }
      return
    }
    waiting.append(SeenValue(value))
    traces.append(trace)
    heldBytes += value.payload.count
  }

  private func partner(of value: CapturedValue, _ trace: ValueTrace) -> Int? {
    (head..<traces.count).first {
      traces[$0].mayPair(with: trace) && waiting[$0].isCounterpart(of: value)
    }
  }

  private mutating func takeFirst() -> SeenValue {
    let first = waiting[head]
    waiting[head].forgetPayload()
    heldBytes -= first.value.payload.count
    head += 1
    if head > Viewpoints.limit || head == waiting.count {
      waiting.removeFirst(head)
      traces.removeFirst(head)
      head = 0
    }
    return first
  }

  /// The next value that need not wait any longer at a time, or at the end (nil).
  mutating func next(at now: Timestamp?, isEnd: Bool) -> CapturedValue? {
    guard !isEmpty else { return nil }
    guard
      isEnd || traces[head].isComplete || waiting.count - head > Viewpoints.limit
        || heldBytes > Viewpoints.byteLimit || isOver(waiting[head], now)
    else { return nil }
    return takeFirst().whole
  }

  private func isOver(_ first: SeenValue, _ now: Timestamp?) -> Bool {
    guard let time = first.value.time, let now else { return false }
    return abs(now.nanoseconds(since: time)) > SeenValue.window
  }
}
