import BluetoothProtocols

/// What is known of a server's attributes, now and before its table changed.
///
/// A handle that means something else from a packet on keeps its old meaning before it: values that
/// wait for a name are read with the table of their own time.
struct TableHistory: Sendable {
  /// Changes remembered of one server; of more, the oldest are forgotten.
  private static let limit = 16

  /// A table that held until a packet, in a range of handles.
  private struct Past: Sendable, Equatable {
    var until: Int
    var range: ClosedRange<UInt16>
    var table: AttributeTable
  }

  /// The table from the last change on.
  private(set) var latest = AttributeTable()
  private var past: [Past] = []
  /// Whether discovery was answered, though it may have found nothing.
  private(set) var wasAsked = false

  init(_ table: AttributeTable = AttributeTable()) { latest = table }

  /// Entries of all its tables, for a bound over many.
  var entryCount: Int { past.reduce(latest.entryCount) { $0 + $1.table.entryCount } }

  /// Whether nothing was ever learnt, not even that something is not there.
  var isEmpty: Bool {
    past.isEmpty && latest.isEmpty && latest.databaseHash == nil && !wasAsked
  }

  /// Whether it tells the same as another one.
  func isSame(as other: TableHistory) -> Bool {
    wasAsked == other.wasAsked && past.count == other.past.count && latest == other.latest
      && past == other.past
  }

  /// Whether a handle may have meant something else at another time.
  var hasChanged: Bool { !past.isEmpty }

  /// Whether a handle's meaning was taken back and not given anew since.
  func isWithdrawn(_ handle: UInt16, at frame: Int) -> Bool {
    past.contains { $0.until <= frame && $0.range.contains(handle) }
  }

  /// The table that says what a handle was at a packet.
  func table(for handle: UInt16, at frame: Int) -> AttributeTable {
    if past.isEmpty { return latest }
    return past.first { $0.until > frame && $0.range.contains(handle) }?.table ?? latest
  }

  /// The table before the first change.
  var earliest: AttributeTable { past.first?.table ?? latest }

  /// How often a handle's meaning changed before a packet.
  func era(of handle: UInt16, at frame: Int) -> Int {
    past.isEmpty ? 0 : past.count { $0.until <= frame && $0.range.contains(handle) }
  }

  /// Learns what an answer tells, with all that the connection at hand has told.
  mutating func learn(_ answer: DiscoveryAnswer, own: AttributeTable? = nil, frame: Int) {
    let before = latest
    wasAsked = true
    guard let range = latest.learn(answer) else { return }
    if let own { latest.merge(own) }
    remember(before, in: range, frame: frame)
  }

  /// Learns the database hash: where another one was known, nothing of before holds.
  mutating func learn(hash: [UInt8], table: AttributeTable?, frame: Int) {
    if let known = latest.databaseHash, known != hash {
      remember(latest, in: 1...UInt16.max, frame: frame)
      latest = table ?? AttributeTable()
    }
    latest.databaseHash = hash
  }

  /// Takes over what was learnt under another name of the same server.
  mutating func merge(_ other: TableHistory) {
    latest.merge(other.latest)
    wasAsked = wasAsked || other.wasAsked
    past = (past + other.past).sorted { $0.until < $1.until }.suffix(TableHistory.limit)
  }

  /// Service Changed: handles of a range mean something else from now on (Vol 3 Part G, 7.1).
  ///
  /// The handle of Service Changed itself stays while the bond does.
  mutating func withdraw(_ range: ClosedRange<UInt16>, frame: Int) {
    remember(latest, in: range, frame: frame)
    let indicating = latest.characteristics.filter {
      $0.uuid.short == AttributeTable.serviceChanged
    }
    latest.forget(range)
    for characteristic in indicating { latest.learn(characteristic) }
  }

  /// The same of an indication that was understood only later, since nothing named its handle:
  /// what the range's handles were before it is not known.
  mutating func withdrawEarlier(_ range: ClosedRange<UInt16>, frame: Int) {
    if past.count == TableHistory.limit { past.removeFirst() }
    let place = past.firstIndex { $0.until > frame } ?? past.count
    past.insert(Past(until: frame, range: range, table: AttributeTable()), at: place)
  }

  private mutating func remember(
    _ table: AttributeTable, in range: ClosedRange<UInt16>, frame: Int
  ) {
    if past.count == TableHistory.limit { past.removeFirst() }
    past.append(Past(until: frame, range: range, table: table))
  }
}
