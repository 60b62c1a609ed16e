import BluetoothProtocols
import PeatProtocol

/// What is known of servers beyond the connection at hand: other connections, the user's hints,
/// remembered handles, and, in a second reading, what the first one learnt.
struct HandleKnowledge: Sendable {
  /// Devices and connections remembered; of more, those learnt of longest ago are forgotten.
  static let limit = 4096

  /// Entries of all tables remembered together; for more, tables are forgotten in the same way.
  static let entryLimit = 262_144

  /// What is known of a device, by where from.
  struct Device: Sendable {
    /// The connection that taught something last.
    var link = 0
    /// From discovery in this capture.
    var learnt = TableHistory()
    /// From discovery in other captures, before and after this one.
    var taught = TableHistory()
    var taughtLater = TableHistory()
    /// From the bond cache.
    var cached = TableHistory()

    func isSame(as other: Device) -> Bool {
      learnt.isSame(as: other.learnt) && taught.isSame(as: other.taught)
        && taughtLater.isSame(as: other.taughtLater) && cached.isSame(as: other.cached)
    }

    var entryCount: Int {
      learnt.entryCount + taught.entryCount + taughtLater.entryCount + cached.entryCount
    }

    mutating func change(_ body: (inout TableHistory) -> Void) {
      body(&learnt)
      if !taught.isEmpty { body(&taught) }
      if !taughtLater.isEmpty { body(&taughtLater) }
      if !cached.isEmpty { body(&cached) }
    }
  }

  /// Tables by device, for connections without discovery (formats.md 11).
  private(set) var byIdentity: [ServerIdentity: Device] = [:]
  /// Tables by GATT database hash: the same hash is the same table (Vol 3 Part G, 7.3).
  private(set) var byHash: [[UInt8]: AttributeTable] = [:]
  /// Tables of closed connections whose values came before their discovery.
  private(set) var late: [ServerKey: TableHistory] = [:]
  /// Entries of the tables above.
  private(set) var entryCount = 0
  /// Tables that were forgotten, or not remembered, for want of room.
  private(set) var forgottenCount = 0
  /// What the values of unnamed handles say.
  private var evidence: [ContentKey: ContentEvidence] = [:]
  /// Handles settled by what their values were (cli.md, `content`).
  private(set) var byContent: Set<ContentKey> = []
  /// Those that carry firmware upgrades.
  private(set) var upgradesByContent: Set<ContentKey> = []
  /// The user's hints; without an address they hold for every server.
  var hints: [HandleHint] = []
  /// What the recording host says that it serves, to every peer.
  private(set) var served: [ServedValues.Value] = []
  let catalog: Catalog
  /// In a second reading, when all is known that the capture tells of its devices.
  var isComplete = false

  init(options: DissectionOptions) {
    catalog = Catalog(documents: options.characteristics, wanted: options.wanted)
    hints = options.hints
    for handle in options.remembered { remember(handle) }
  }

  /// Takes in what other captures tell of devices.
  mutating func teach(_ taught: TaughtDevices) {
    for (identity, table) in taught.before { teach(table, identity, isLater: false) }
    for (identity, table) in taught.after { teach(table, identity, isLater: true) }
    for (hash, table) in taught.byHash
    where byHash[hash] == nil && byHash.count < HandleKnowledge.limit && reserve(table.entryCount) {
      byHash[hash] = table
    }
  }

  // MARK: - Learning

  /// Takes the recording host's note of its own values, which replaces an earlier one.
  mutating func serve(_ note: ServedValues) { served = note.values }

  private mutating func remember(_ handle: RememberedHandle) {
    guard byIdentity.count < HandleKnowledge.limit || byIdentity[handle.identity] != nil else {
      forgottenCount += 1
      return
    }
    var table = AttributeTable()
    // A line without a type was a document's all the same.
    let type = handle.characteristic ?? DocumentCharacteristics.alias
    table.learn(AttributeTable.Characteristic(handle: handle.handle, uuid: type))
    if let service = handle.service {
      table.learn(.init(start: handle.handle, end: handle.handle, uuid: service))
    }
    table.databaseHash = handle.databaseHash
    byIdentity[handle.identity, default: Device()].cached.merge(TableHistory(table))
    entryCount += table.entryCount
  }

  private mutating func teach(
    _ table: AttributeTable, _ identity: ServerIdentity, isLater: Bool
  ) {
    guard byIdentity.count < HandleKnowledge.limit || byIdentity[identity] != nil,
      reserve(table.entryCount)
    else { return }
    if isLater {
      byIdentity[identity, default: Device()].taughtLater = TableHistory(table)
    } else {
      byIdentity[identity, default: Device()].taught = TableHistory(table)
    }
  }

  /// Remembers what an answer on a connection told of a device; `own` is all that it told so far.
  /// False where that was known.
  mutating func learn(
    _ answer: DiscoveryAnswer, own: AttributeTable, of identity: ServerIdentity?, link: Int,
    frame: Int
  ) -> Bool {
    let isNewHash = rememberHash(of: own)
    return change(identity, link: link, room: own) { $0.learn(answer, own: own, frame: frame) }
      || isNewHash
  }

  /// A connection read a device's database hash; false where all that this tells was known.
  mutating func learn(
    hash: [UInt8], own: AttributeTable, of identity: ServerIdentity?, link: Int, frame: Int
  ) -> Bool {
    let isNewHash = rememberHash(of: own)
    let table = byHash[hash]
    return change(identity, link: link, room: own) {
      $0.learn(hash: hash, table: table, frame: frame)
    } || isNewHash
  }

  /// Handles of a range mean something else from a packet on, whoever learnt them.
  mutating func withdraw(_ range: ClosedRange<UInt16>, of identity: ServerIdentity?, frame: Int) {
    _ = change(identity, link: 0, room: AttributeTable()) { $0.withdraw(range, frame: frame) }
  }

  /// The same of what was only understood later: what the handles were before is not known.
  mutating func withdrawEarlier(
    _ range: ClosedRange<UInt16>, of identity: ServerIdentity?, frame: Int
  ) {
    _ = change(identity, link: 0, room: AttributeTable()) {
      $0.withdrawEarlier(range, frame: frame)
    }
  }

  private mutating func change(
    _ identity: ServerIdentity?, link: Int, room: AttributeTable,
    _ body: (inout TableHistory) -> Void
  ) -> Bool {
    guard let identity, !isComplete else { return false }
    makeRoom(for: room)
    if byIdentity[identity] == nil, byIdentity.count >= HandleKnowledge.limit { forgetOldest() }
    let before = byIdentity[identity] ?? Device()
    var after = before
    after.link = max(after.link, link)
    after.change(body)
    guard reserve(after.entryCount, insteadOf: before.entryCount) else { return false }
    byIdentity[identity] = after
    return !after.isSame(as: before)
  }

  /// Whether, in a second reading, what is known of a device tells of a change at some packet.
  func changesLater(_ identity: ServerIdentity?) -> Bool {
    guard isComplete, let device = identity.flatMap({ byIdentity[$0] }) else { return false }
    return device.learnt.hasChanged || device.taught.hasChanged || device.taughtLater.hasChanged
      || device.cached.hasChanged
  }

  /// Equal hashes are equal tables, on whichever device.
  private mutating func rememberHash(of own: AttributeTable) -> Bool {
    guard !isComplete, let hash = own.databaseHash, !own.characteristics.isEmpty else {
      return false
    }
    if byHash[hash] == nil, byHash.count >= HandleKnowledge.limit { forgetHashes() }
    var table = own
    if let known = byHash[hash] {
      table = known
      table.merge(own)
    }
    guard byHash[hash] != table,
      reserve(table.entryCount, insteadOf: byHash[hash]?.entryCount ?? 0)
    else { return false }
    byHash[hash] = table
    return true
  }

  /// Counts a table in, or its growth; false where there is no room for it.
  private mutating func reserve(_ count: Int, insteadOf before: Int = 0) -> Bool {
    let sum = entryCount - before + count
    guard sum <= HandleKnowledge.entryLimit || count <= before else {
      forgottenCount += 1
      return false
    }
    entryCount = sum
    return true
  }

  // MARK: - Forgetting, so that a run of days goes on learning

  /// Makes room before a table is remembered, by device and by hash and beside what is known.
  private mutating func makeRoom(for table: AttributeTable) {
    if entryCount + 3 * table.entryCount > HandleKnowledge.entryLimit { forgetOldest() }
  }

  /// Forgets a quarter of the devices and of the closed connections: those learnt of longest ago.
  private mutating func forgetOldest() {
    let known = byIdentity.count
    defer { forgottenCount += known - byIdentity.count }
    if let oldest = HandleKnowledge.quarter(of: byIdentity.values.map(\.link)) {
      byIdentity = byIdentity.filter { $0.value.link > oldest }
    }
    if let oldest = HandleKnowledge.quarter(of: late.keys.map(\.link)) {
      late = late.filter { $0.key.link > oldest }
    }
    entryCount =
      byIdentity.values.reduce(0) { $0 + $1.entryCount }
      + late.values.reduce(0) { $0 + $1.entryCount }
      + byHash.values.reduce(0) { $0 + $1.entryCount }
  }

  /// Forgets which table belongs to which hash; a next discovery tells it again.
  private mutating func forgetHashes() {
    entryCount -= byHash.values.reduce(0) { $0 + $1.entryCount }
    byHash = [:]
  }

  /// The link below which about a quarter of the links lie; nil where all are the newest.
  private static func quarter(of links: [Int]) -> Int? {
    guard let newest = links.max(), newest != links.min() else { return nil }
    return min(links.sorted()[links.count / 4], newest - 1)
  }

  /// A device is known by another address from now on.
  mutating func rename(_ old: DeviceAddress, to new: DeviceAddress) {
    for side in [Side.local, .peer] {
      let from = ServerIdentity(side: side, address: old)
      let to = ServerIdentity(side: side, address: new)
      guard let known = byIdentity.removeValue(forKey: from) else { continue }
      guard var device = byIdentity[to] else {
        byIdentity[to] = known
        continue
      }
      let before = device.entryCount
      device.link = max(device.link, known.link)
      device.learnt.merge(known.learnt)
      device.taught.merge(known.taught)
      device.taughtLater.merge(known.taughtLater)
      device.cached.merge(known.cached)
      byIdentity[to] = device
      entryCount += device.entryCount - before - known.entryCount
    }
  }

  /// Remembers a closed connection's table for values of it that wait.
  mutating func rememberLate(_ table: TableHistory, of key: ServerKey) {
    guard !table.isEmpty else { return }
    makeRoom(for: table.latest)
    if late.count >= HandleKnowledge.limit { forgetOldest() }
    if reserve(table.entryCount, insteadOf: late[key]?.entryCount ?? 0) { late[key] = table }
  }

  /// Weighs a value on a handle without a name, unless more values would change nothing: gives
  /// whether that is so.
  mutating func weigh(
    _ value: CapturedValue, key: ServerKey, identity: ServerIdentity?, isFromServer: Bool,
    opens: (@Sendable ([UInt8]) -> Bool)?
  ) -> Bool {
    let place = ContentKey(
      value.handle, key: key, identity: identity,
      era: era(of: value.handle, identity, at: value.frame))
    if evidence[place]?.isDecided ?? false { return true }
    if evidence[place] == nil, evidence.count >= HandleKnowledge.limit {
      // Few handles are settled so, and a stranger can open any number of others.
      evidence = evidence.filter {
        byContent.contains($0.key) || upgradesByContent.contains($0.key)
      }
      if evidence.count > HandleKnowledge.limit / 2 {
        evidence = [:]
        byContent = []
        upgradesByContent = []
      }
    }
    evidence[
      place, default: ContentEvidence(weighsUpgrades: catalog.wanted.contains(.smp))
    ].add(
      value, isFromServer: isFromServer, opens: opens)
    return false
  }

  /// Gives up a handle of which so many values were weighed that no more are, and none was a
  /// document: true the first time, nil where there is still hope.
  mutating func giveUp(
    _ value: CapturedValue, _ key: ServerKey, _ identity: ServerIdentity?
  ) -> Bool? {
    let era = era(of: value.handle, identity, at: value.frame)
    let place = ContentKey(value.handle, key: key, identity: identity, era: era)
    guard let known = evidence[place], known.isDecided, !known.isCandidate else { return nil }
    if known.isGivenUp { return false }
    evidence[place]?.isGivenUp = true
    return true
  }

  /// Whether a value's handle may yet be settled by content.
  func isCandidate(_ value: CapturedValue, key: ServerKey, identity: ServerIdentity?) -> Bool {
    let era = era(of: value.handle, identity, at: value.frame)
    return evidence[ContentKey(value.handle, key: key, identity: identity, era: era)]?
      .isCandidate ?? false
  }

  /// How many handles are settled so.
  var settledCount: Int { byContent.count }

  /// Settles handles by what their values were; true where one was.
  ///
  /// Two handles of one server that both look right settle neither.
  mutating func settleByContent() -> Bool {
    var found: [ContentKey: [ContentKey]] = [:]
    for (key, evidence) in evidence where evidence.isSufficient && !byContent.contains(key) {
      var server = key
      server.handle = 0
      found[server, default: []].append(key)
    }
    let before = byContent.count
    for keys in found.values where keys.count == 1 { byContent.formUnion(keys) }
    let upgrades = upgradesByContent.count
    // A device has one server for upgrades, but nothing is mixed up by two.
    for (key, evidence) in evidence where evidence.upgrade?.isSufficient ?? false {
      upgradesByContent.insert(key)
    }
    return byContent.count > before || upgradesByContent.count > upgrades
  }
}
