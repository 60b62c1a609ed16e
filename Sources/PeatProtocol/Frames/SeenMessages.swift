/// The relayed messages that a node has seen of late (protocol.md 7.1).
///
/// Cleaning happens on a mark when more than half the lifetime passed since the last one; until
/// then an entry past its age still counts as seen.
public struct SeenMessages: Sendable {
  /// What is kept of a message.
  public struct Entry: Hashable, Sendable, BitwiseCopyable {
    /// Milliseconds of the first sighting.
    public var firstSeen: UInt64
    /// The node that the first sighting came from.
    public var firstOrigin: NodeID
    /// Sightings so far.
    public var count: UInt32
  }

  /// Entries above which a cleaning thins the cache.
  public static let maximumCount = 1000
  /// Entries that thinning leaves, the youngest.
  public static let thinnedCount = 500
  /// Entries at which a cleaning comes early; the reference has no limit between cleanings.
  public static let hardLimit = 65_536
  /// Milliseconds that an entry lives unless told otherwise.
  public static let defaultLifetime: UInt64 = 300_000

  /// Milliseconds that an entry lives.
  public let lifetime: UInt64
  private var entries: [RelayMessageID: Entry] = [:]
  private var lastCleaning: UInt64 = 0

  /// Makes an empty cache.
  public init(lifetime: UInt64 = SeenMessages.defaultLifetime) { self.lifetime = lifetime }

  /// Entries in the cache, old ones included.
  public var count: Int { entries.count }

  /// The entry of a message.
  public subscript(id: RelayMessageID) -> Entry? { entries[id] }

  /// Whether a message was seen.
  public func contains(_ id: RelayMessageID) -> Bool { entries[id] != nil }

  /// Notes a sighting at a time in milliseconds; true when it is the first.
  public mutating func mark(_ id: RelayMessageID, from origin: NodeID, at now: UInt64) -> Bool {
    if elapsed(since: lastCleaning, at: now) > lifetime / 2
      || entries.count >= SeenMessages.hardLimit
    {
      clean(at: now)
    }
    if entries[id] != nil {
      entries[id]?.count &+= 1
      return false
    }
    entries[id] = Entry(firstSeen: now, firstOrigin: origin, count: 1)
    return true
  }

  /// Drops entries of full age, then the oldest of a cache that is still too large.
  public mutating func clean(at now: UInt64) {
    lastCleaning = now
    let lifetime = lifetime
    entries = entries.filter { elapsed(since: $0.value.firstSeen, at: now) < lifetime }
    guard entries.count > SeenMessages.maximumCount else { return }
    let oldest = entries.sorted {
      ($0.value.firstSeen, $0.key.low, $0.key.high)
        < ($1.value.firstSeen, $1.key.low, $1.key.high)
    }
    for (id, _) in oldest.prefix(entries.count - SeenMessages.thinnedCount) { entries[id] = nil }
  }

  private func elapsed(since time: UInt64, at now: UInt64) -> UInt64 {
    now > time ? now - time : 0
  }
}
