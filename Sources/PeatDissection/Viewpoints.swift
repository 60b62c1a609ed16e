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

  private struct Waiting: Sendable {
    var value: CapturedValue
    var sightings: [Sighting]
    var isComplete: Bool
  }

  private var waiting: [Waiting] = []

  var isEmpty: Bool { waiting.isEmpty }
  /// Time of the value that came last.
  private(set) var lastTime: Timestamp?

  /// Takes a value; `adapters` is how many have connections.
  mutating func add(_ value: CapturedValue, adapters: Int) {
    lastTime = value.time ?? lastTime
    let sighting = Sighting(
      frame: value.frame, time: value.time, adapter: value.link.adapter)
    if let index = waiting.firstIndex(where: { !$0.isComplete && pairs($0, value) }) {
      var pair = waiting[index]
      let isFromSender = value.direction.isFromLocal && !pair.value.direction.isFromLocal
      pair.sightings.append(sighting)
      pair.isComplete = pair.sightings.count >= adapters
      if isFromSender {
        // The row stands where the sender's packet does.
        waiting.remove(at: index)
        pair.value = value
        waiting.append(pair)
      } else {
        waiting[index] = pair
      }
      return
    }
    waiting.append(Waiting(value: value, sightings: [sighting], isComplete: false))
  }

  /// The next value that need not wait any longer at a time, or at the end (nil).
  mutating func next(at now: Timestamp?, isEnd: Bool) -> CapturedValue? {
    guard let first = waiting.first else { return nil }
    guard isEnd || first.isComplete || waiting.count > Viewpoints.limit || isOver(first, now)
    else { return nil }
    waiting.removeFirst()
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
      !waiting.sightings.contains(where: { $0.adapter == value.link.adapter }),
      other.payload == value.payload
    else { return false }
    let isCrossed = other.direction != value.direction
    if let before = other.time, let after = value.time {
      let distance = abs(after.nanoseconds(since: before))
      if distance > (isCrossed ? Viewpoints.window : Viewpoints.channelWindow) { return false }
    }
    return isCrossed
      ? areEnds(other.link, value.link)
      : other.link.connection == value.link.connection && areSame(other.link, value.link)
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
