import WireBytes

/// Makes one value of what several viewpoints of one file saw of it (cli.md, `seen_in`).
///
/// Two adapters of one monitor file see a value as sent and as received; several interfaces of one
/// pcapng file may be channels to one adapter and see it the same way. A value waits for its
/// counterpart as long as the time window and the room allow, and only in files where LE
/// connections of more than one adapter occur. Only values that agree in all that both ends see
/// are paired: opcode, handle, bytes, outcome, and addresses, crossed between two ends.
struct Viewpoints: Sendable {
  /// The longest that a value may lie in a controller before it is sent.
  private static let window: Int64 = 5_000_000_000
  /// Two channels to one adapter differ by the kernel's own delays alone.
  private static let channelWindow: Int64 = 100_000_000
  /// Values that wait.
  private static let limit = 512
  /// Bytes of the values that wait.
  private static let byteLimit = 8 << 20

  private struct Waiting: Sendable {
    var value: CapturedValue
    var sightings: [Sighting]
  }

  /// What tells most values apart, to be looked through fast.
  private struct Trace: Sendable, BitwiseCopyable {
    var hash: Int
    /// Of the first sighting.
    var adapter: Int
    var isComplete = false

    init(_ value: CapturedValue) {
      var hasher = Hasher()
      hasher.combine(value.opcode)
      hasher.combine(value.handle)
      hasher.combine(value.length)
      hasher.combine(value.payload)
      hash = hasher.finalize()
      adapter = value.link.adapter
    }
  }

  /// Values that wait, from `head` on.
  private var waiting: [Waiting] = []
  /// One for each of `waiting`.
  private var traces: [Trace] = []
  private var head = 0
  private var heldBytes = 0

  var isEmpty: Bool { head == waiting.count }
  /// Time of the value that came last.
  private(set) var lastTime: Timestamp?

  /// Takes a value; `adapters` is how many have connections.
  mutating func add(_ value: CapturedValue, adapters: Int) {
    lastTime = value.time ?? lastTime
    let sighting = Sighting(
      frame: value.frame, time: value.time, adapter: value.link.adapter)
    let trace = Trace(value)
    if let index = partner(of: value, trace) {
      var pair = waiting[index]
      let isFromSender = value.direction.isFromLocal && !pair.value.direction.isFromLocal
      pair.sightings.append(sighting)
      traces[index].isComplete = pair.sightings.count >= adapters
      if isFromSender {
        // The row stands where the sender's packet does.
        waiting.remove(at: index)
        heldBytes += value.payload.count - pair.value.payload.count
        pair.value = value
        waiting.append(pair)
        traces.append(traces.remove(at: index))
      } else {
        waiting[index] = pair
      }
      return
    }
    waiting.append(Waiting(value: value, sightings: [sighting]))
    traces.append(trace)
    heldBytes += value.payload.count
  }

  private func partner(of value: CapturedValue, _ trace: Trace) -> Int? {
    for index in head..<traces.count {
      let other = traces[index]
      if other.hash == trace.hash, other.adapter != trace.adapter, !other.isComplete,
        pairs(waiting[index], value)
      {
        return index
      }
    }
    return nil
  }

  private mutating func takeFirst() -> Waiting {
    let first = waiting[head]
    waiting[head].value.payload = []
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
    let first = takeFirst()
    var value = first.value
    if first.sightings.count > 1 {
      value.seenIn = first.sightings.sorted {
        ($0.time?.nanoseconds ?? .min, $0.frame) < ($1.time?.nanoseconds ?? .min, $1.frame)
      }
    }
    return value
  }

  private func isOver(_ first: Waiting, _ now: Timestamp?) -> Bool {
    guard let time = first.value.time, let now else { return false }
    return abs(now.nanoseconds(since: time)) > Viewpoints.window
  }

  private func pairs(_ waiting: Waiting, _ value: CapturedValue) -> Bool {
    let other = waiting.value
    guard other.opcode == value.opcode, other.handle == value.handle,
      other.length == value.length, other.outcome == value.outcome,
      !waiting.sightings.contains(where: { $0.adapter == value.link.adapter })
    else { return false }
    let isCrossed = other.direction != value.direction
    if let before = other.time, let after = value.time {
      let distance = abs(after.nanoseconds(since: before))
      if distance > (isCrossed ? Viewpoints.window : Viewpoints.channelWindow) { return false }
    }
    let agrees =
      isCrossed
      ? areEnds(other.link, value.link)
      : other.link.connection == value.link.connection && areSame(other.link, value.link)
    return agrees && other.payload == value.payload
  }

  /// Whether two links are the two ends of one connection.
  private func areEnds(_ left: Link, _ right: Link) -> Bool {
    if let role = left.role, role == right.role { return false }
    var agrees = false
    if let local = left.local, let peer = right.peer {
      if local != peer { return false }
      agrees = true
    }
    if let peer = left.peer, let local = right.local {
      if peer != local { return false }
      agrees = true
    }
    // Connections that began before the capture have no addresses.
    return agrees || (left.peer == nil && right.peer == nil)
  }

  /// Whether two links are one connection, seen through two channels.
  private func areSame(_ left: Link, _ right: Link) -> Bool {
    if let peer = left.peer, let other = right.peer, peer != other { return false }
    if let local = left.local, let other = right.local, local != other { return false }
    if let role = left.role, let other = right.role, role != other { return false }
    return true
  }
}
