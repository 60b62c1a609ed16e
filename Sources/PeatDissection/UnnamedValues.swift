/// Why nothing names a handle.
public enum UnnamedReason: String, Sendable {
  /// No discovery of the server is in the captures.
  case noDiscovery
  /// What is known of the server does not say what the handle is.
  case notFound
  /// The server took back what was known of it, and no discovery came since.
  case changed
  /// The capture cut or lost answers of discovery.
  case discoveryLost
}

/// A handle with values that are not shown, because nothing names it.
public struct UnnamedHandle: Sendable, Equatable {
  /// The connection.
  public var link: Link
  /// Whose handle it is: this host's, or the peer's.
  public var isLocalServer: Bool
  /// The handle.
  public var handle: UInt16
  /// Why nothing names it.
  public var reason: UnnamedReason
  /// Values that are not shown.
  public var values: Int
}

/// Values on handles that nothing names, counted; everything in it is bounded.
struct UnnamedValues: Sendable {
  /// Handles told apart; values on further ones are only counted.
  private static let limit = 4096

  struct Place: Hashable, Sendable {
    var link: Int
    var side: Side
    var handle: UInt16
  }

  private struct Entry: Sendable {
    var handle: UnnamedHandle
    var identity: ServerIdentity?
    /// The packets of the first and the last value.
    var frames: ClosedRange<Int>
  }

  private var places: [Place: Entry] = [:]
  /// Values of handles that found no room.
  private(set) var unlisted = 0

  /// All values.
  var count: Int { places.values.reduce(unlisted) { $0 + $1.handle.values } }

  /// Counts a value; false where the place is new and must be told of first.
  mutating func add(_ place: Place, frame: Int) -> Bool {
    guard let known = places[place] else { return false }
    places[place]?.handle.values += 1
    places[place]?.frames =
      min(known.frames.lowerBound, frame)...max(known.frames.upperBound, frame)
    return true
  }

  /// Counts values of a place that was told of.
  mutating func add(_ place: Place, count: Int) {
    if places[place] != nil {
      places[place]?.handle.values += count
    } else {
      unlisted += count
    }
  }

  mutating func add(
    _ place: Place, _ handle: UnnamedHandle, _ identity: ServerIdentity?, frame: Int
  ) {
    if places.count < UnnamedValues.limit {
      places[place] = Entry(handle: handle, identity: identity, frames: frame...frame)
    } else {
      unlisted += handle.values
    }
  }

  /// Takes out what has a name after all, at the first value as at the last.
  mutating func remove(where isNamed: (ServerKey, UInt16, ServerIdentity?, _ frame: Int) -> Bool) {
    places = places.filter { place, known in
      let key = ServerKey(link: place.link, side: place.side)
      return ![known.frames.lowerBound, known.frames.upperBound].allSatisfy {
        isNamed(key, place.handle, known.identity, $0)
      }
    }
  }

  /// The handles, ascending by connection.
  var handles: [UnnamedHandle] {
    places.values.map(\.handle).sorted {
      ($0.link.id, $0.isLocalServer ? 1 : 0, $0.handle)
        < ($1.link.id, $1.isLocalServer ? 1 : 0, $1.handle)
    }
  }
}

extension LinkDissector {
  /// Counts a value that is not shown, because nothing names its handle.
  mutating func countUnnamed(
    _ handle: UInt16, at frame: Int, of link: Link, _ side: Side
  ) {
    if let leftOut, leftOut.contains(frame) { return }
    let place = UnnamedValues.Place(link: link.id, side: side, handle: handle)
    if unnamed.add(place, frame: frame) { return }
    let identity = identity(of: link, side)
    let key = ServerKey(link: link.id, side: side)
    var own: TableHistory?
    if let slot = index[link], connections[slot].link.id == link.id {
      own = connections[slot].tables[side.rawValue]
    }
    var reason = knowledge.reason(of: handle, at: frame, key: key, identity: identity, own: own)
    if reason != .changed, cuts.discoveryAnswers > 0 || losses.places > 0 {
      reason = .discoveryLost
    }
    unnamed.add(
      place,
      UnnamedHandle(
        link: link, isLocalServer: side == .local, handle: handle, reason: reason, values: 1),
      identity, frame: frame)
  }

  /// The same of a value that waited.
  mutating func countUnnamed(_ value: CapturedValue, key: ServerKey) {
    countUnnamed(value.handle, at: value.frame, of: value.link, key.side)
    collector.met(value)
  }
}
