import WireBytes

/// A value and where it was seen so far, which knows its counterparts from other viewpoints.
///
/// Only values that agree in all that both ends see are one: opcode, handle, bytes, outcome, and
/// addresses, crossed between two ends.
struct SeenValue: Sendable {
  /// The longest that a value may lie in a controller before it is sent.
  static let window: Int64 = 5_000_000_000
  /// Two channels to one adapter differ by the kernel's own delays alone.
  private static let channelWindow: Int64 = 100_000_000

  private(set) var value: CapturedValue
  private(set) var sightings: [Sighting]

  init(_ value: CapturedValue) {
    self.value = value
    sightings = [SeenValue.sighting(of: value)]
  }

  private static func sighting(of value: CapturedValue) -> Sighting {
    Sighting(frame: value.frame, time: value.time, adapter: value.link.adapter)
  }

  /// Adds what another viewpoint saw; true where that is the sender's, whose row it is then.
  mutating func join(_ other: CapturedValue) -> Bool {
    let isFromSender = other.direction.isFromLocal && !value.direction.isFromLocal
    sightings.append(SeenValue.sighting(of: other))
    if isFromSender { value = other }
    return isFromSender
  }

  /// The value, with its places where there are several.
  var whole: CapturedValue {
    guard sightings.count > 1 else { return value }
    var whole = value
    whole.seenIn = sightings.sorted {
      ($0.time?.nanoseconds ?? .min, $0.frame) < ($1.time?.nanoseconds ?? .min, $1.frame)
    }
    return whole
  }

  /// The bytes are not asked for any more.
  mutating func forgetPayload() { value.payload = [] }

  /// Whether another viewpoint saw the same in `other`.
  func isCounterpart(of other: CapturedValue) -> Bool {
    guard value.owner == other.owner, value.opcode == other.opcode, value.handle == other.handle,
      value.length == other.length, value.outcome == other.outcome,
      !sightings.contains(where: { $0.adapter == other.link.adapter })
    else { return false }
    let isCrossed = value.direction != other.direction
    if let before = value.time, let after = other.time {
      let distance = abs(after.nanoseconds(since: before))
      if distance > (isCrossed ? SeenValue.window : SeenValue.channelWindow) { return false }
    }
    let agrees =
      isCrossed
      ? SeenValue.areEnds(value.link, other.link)
      : value.link.connection == other.link.connection
        && SeenValue.areSame(value.link, other.link)
    return agrees && value.payload == other.payload
  }

  /// Whether two links are the two ends of one connection.
  private static func areEnds(_ left: Link, _ right: Link) -> Bool {
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
  private static func areSame(_ left: Link, _ right: Link) -> Bool {
    if let peer = left.peer, let other = right.peer, peer != other { return false }
    if let local = left.local, let other = right.local, local != other { return false }
    if let role = left.role, let other = right.role, role != other { return false }
    return true
  }
}

/// What tells most values apart, to be looked through fast.
struct ValueTrace: Sendable, BitwiseCopyable {
  let hash: Int
  /// Of the first sighting.
  let adapter: Int
  /// Whether every adapter has seen it.
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

  /// Whether a value with this trace may be the other's counterpart.
  func mayPair(with other: ValueTrace) -> Bool {
    hash == other.hash && adapter != other.adapter && !isComplete
  }
}
