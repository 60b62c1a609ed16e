public import CaptureFormats

/// Finds the values of Peat characteristics in packets as they come.
///
/// Other than in a capture, nothing may wait for long: the outcome of a write is waited for only a
/// moment, and a value whose handle has no name steps aside, so that what follows can be shown. It
/// is given when a discovery names its handle, or forgotten. Where several adapters have
/// connections, a value waits a moment for what another one sees of it. Moments are nanoseconds of
/// any clock that does not run backwards.
public struct LiveDissector {
  /// How long a value waits for the answer to its write, or for its next part.
  public static let outcomePatience: UInt64 = 250_000_000
  /// How long a value without a name is kept.
  public static let namePatience: UInt64 = 120_000_000_000
  /// Values without a name that are kept; of more, the oldest are forgotten.
  public static let unnamedLimit = 512

  private var dissector: LinkDissector
  private var unnamed: [OutputQueue.Entry] = []
  private var named: [CapturedValue] = []
  private var generation = 0
  private var viewpoints = LiveViewpoints()
  private var hasEnded = false

  /// Values forgotten because no discovery named their handle.
  public var unresolvedCount: Int { dissector.unnamed.count }
  /// The same by handle, ascending by connection; the first 4096.
  public var unnamedHandles: [UnnamedHandle] { dissector.unnamed.handles }
  /// Records taken.
  public private(set) var frameCount = 0

  private let patience: UInt64

  /// Makes a dissector to which nothing came yet.
  ///
  /// - Parameter outcomePatience: nanoseconds that a value waits for its outcome.
  public init(
    options: DissectionOptions, outcomePatience: UInt64 = LiveDissector.outcomePatience
  ) {
    patience = outcomePatience
    dissector = LinkDissector(options: options)
  }

  /// LE connections met.
  public var connectionCount: Int { dissector.nextLinkID - 1 }
  /// Who was heard advertising.
  public var advertisers: AdvertiserTable { dissector.advertisers }
  /// The document characteristics that discovery found, for a bond cache.
  public var rememberedHandles: [RememberedHandle] { dissector.knowledge.rememberedHandles }

  /// Whether a handle of a bond cache holds no longer, by what was heard.
  public func isOutdated(_ handle: RememberedHandle) -> Bool {
    dissector.knowledge.isOutdated(handle)
  }

  /// What is known of each connection, in the order of their beginning.
  public var links: [LinkFacts] { dissector.linkFacts }

  /// Takes what went wrong below the messages since the last call.
  public mutating func takeNotices() -> NoticeBatch {
    defer { dissector.notices = NoticeBatch() }
    return dissector.notices
  }

  /// Takes a record that came at `now`.
  public mutating func process(_ record: borrowing RecordView, at now: UInt64) {
    dissector.queue.now = now
    frameCount += 1
    dissector.process(record)
  }

  /// The next value that can be shown at `now`.
  public mutating func next(at now: UInt64) -> CapturedValue? {
    while var value = nextView(at: now) {
      dissector.tellGap(&value)
      let adapters = dissector.connectedAdapters.count
      if adapters < 2 { return value }
      viewpoints.add(value, adapters: adapters, at: now)
    }
    return viewpoints.next(at: now, isEnd: hasEnded)
  }

  /// What one adapter saw of the next value.
  private mutating func nextView(at now: UInt64) -> CapturedValue? {
    if dissector.knowledgeGeneration != generation {
      generation = dissector.knowledgeGeneration
      nameLate()
    }
    if !named.isEmpty { return named.removeFirst() }
    var aside: [OutputQueue.Entry] = []
    let value = dissector.nextLive(at: now, patience: patience, aside: &aside)
    for entry in aside { keep(entry, at: now) }
    guard !aside.isEmpty, dissector.knowledge.settleByContent() else { return value }
    // Values tell what their handle is where no discovery does: older ones go first.
    nameLate()
    if let value { named.append(value) }
    return named.isEmpty ? nil : named.removeFirst()
  }

  /// When a value that waits may be shown, though nothing more comes.
  public var deadline: UInt64? {
    let outcome = dissector.queue.oldestArrival.map { $0 &+ patience }
    return [outcome, viewpoints.deadline].compactMap { $0 }.min()
  }

  /// No record comes any more: nothing waits for an answer.
  public mutating func finish() {
    dissector.finish()
    hasEnded = true
    nameLate()
    giveUp(unnamed.count)
  }

  private mutating func keep(_ entry: OutputQueue.Entry, at now: UInt64) {
    if unnamed.count >= LiveDissector.unnamedLimit {
      giveUp(LiveDissector.unnamedLimit / 4)
    }
    let expired = unnamed.prefix { $0.arrival &+ LiveDissector.namePatience < now }.count
    giveUp(expired)
    unnamed.append(entry)
  }

  /// Gives up the values that wait longest for a name.
  private mutating func giveUp(_ count: Int) {
    for entry in unnamed.prefix(count) {
      if let key = entry.unresolved { dissector.countUnnamed(entry.value, key: key) }
    }
    unnamed.removeFirst(count)
  }

  /// A handle may have got its name: what waits for it is given now.
  private mutating func nameLate() {
    guard !unnamed.isEmpty else { return }
    var rest: [OutputQueue.Entry] = []
    for entry in unnamed {
      switch dissector.lateValue(entry) {
      case .shown(let value): named.append(value)
      case .hidden: break
      case .unnamed: rest.append(entry)
      }
    }
    unnamed = rest
  }
}

extension LinkDissector {
  /// What became of a value that had no name.
  enum LateValue {
    case shown(CapturedValue)
    case hidden
    case unnamed
  }

  /// A value by what was learnt since it came.
  func lateValue(_ entry: OutputQueue.Entry) -> LateValue {
    guard let key = entry.unresolved else { return .shown(entry.value) }
    switch lateVerdict(of: entry.value, key: key) {
    case .unresolved: return .unnamed
    case .unwanted: return .hidden
    case .wanted(let resolved):
      guard resolved.isAlwaysShown || options.includesSiblings else { return .hidden }
      var value = entry.value
      value.resolve(as: resolved)
      return .shown(value)
    }
  }

  /// What can be shown at a moment of a live run; what has no name goes `aside`.
  mutating func nextLive(
    at now: UInt64, patience: UInt64, aside: inout [OutputQueue.Entry]
  ) -> CapturedValue? {
    while let entry = queue.first() {
      let isOverdue = entry.arrival &+ patience <= now
      if entry.isAwaiting, !isOverdue, queue.count <= OutputQueue.awaitingLimit { return nil }
      queue.dropFirst()
      switch lateValue(entry) {
      case .shown(let value): return value
      case .hidden: break
      case .unnamed: aside.append(entry)
      }
    }
    return nil
  }
}
