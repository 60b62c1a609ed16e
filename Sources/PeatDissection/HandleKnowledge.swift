import BluetoothProtocols
import PeatProtocol

/// What is known of servers beyond the connection at hand: other connections, the user's hints,
/// remembered handles, and, in a second reading, what the first one learnt.
struct HandleKnowledge: Sendable {
  /// Devices and connections remembered; of more, those learnt of longest ago are forgotten.
  static let limit = 4096

  /// Entries of all tables remembered together; for more, tables are forgotten in the same way.
  static let entryLimit = 262_144

  /// A device's table, and what earlier connections said of it.
  private struct Remembered: Sendable {
    var link: Int
    /// From connections before `link`.
    var base = AttributeTable()
    var table: AttributeTable

    var entryCount: Int { base.entryCount + table.entryCount }
  }

  /// Tables by device, for connections without discovery (formats.md 11).
  private var byIdentity: [ServerIdentity: Remembered] = [:]
  /// Tables by GATT database hash: the same hash is the same table (Vol 3 Part G, 7.3).
  private var byHash: [[UInt8]: AttributeTable] = [:]
  /// Tables of closed connections whose values came before their discovery.
  private(set) var late: [ServerKey: AttributeTable] = [:]
  /// Entries of the tables above.
  private(set) var entryCount = 0
  /// What the values of unnamed handles say.
  private var evidence: [ContentKey: ContentEvidence] = [:]
  /// Handles settled by what their values were (cli.md, `content`).
  private var byContent: Set<ContentKey> = []
  /// The user's hints; without an address they hold for every server.
  var hints: [HandleHint] = []
  /// Handles of the bond cache, by device.
  private var cached: [ServerIdentity: [RememberedHandle]] = [:]
  /// What the recording host says that it serves, to every peer.
  private var served: [ServedValues.Value] = []
  let characteristics: DocumentCharacteristics

  init(options: DissectionOptions) {
    characteristics = options.characteristics
    hints = options.hints
    for handle in options.remembered { cached[handle.identity, default: []].append(handle) }
  }

  // MARK: - Learning

  /// Takes the recording host's note of its own values, which replaces an earlier one.
  mutating func serve(_ note: ServedValues) { served = note.values }

  /// Remembers what discovery on a connection said of a device.
  mutating func remember(_ table: AttributeTable, of identity: ServerIdentity?, link: Int) {
    makeRoom(for: table)
    if let hash = table.databaseHash, !table.characteristics.isEmpty {
      if byHash[hash] == nil, byHash.count >= HandleKnowledge.limit { forgetHashes() }
      if reserve(table.entryCount, insteadOf: byHash[hash]?.entryCount ?? 0) {
        byHash[hash] = table
      }
    }
    guard let identity else { return }
    if byIdentity[identity] == nil, byIdentity.count >= HandleKnowledge.limit { forgetOldest() }
    guard let before = byIdentity[identity] else {
      if reserve(table.entryCount) {
        byIdentity[identity] = Remembered(link: link, table: table)
      }
      return
    }
    var known = before
    if known.link != link {
      known.link = link
      known.base = known.table
    }
    // A whole discovery replaces an older one; single answers only add to it.
    let differs =
      known.base.databaseHash != nil && table.databaseHash != nil
      && known.base.databaseHash != table.databaseHash
    if differs || table.characteristics.count > 1 { known.base = AttributeTable() }
    known.table = known.base
    known.table.merge(table)
    if let hash = table.databaseHash { known.table.databaseHash = hash }
    if reserve(known.entryCount, insteadOf: before.entryCount) { byIdentity[identity] = known }
  }

  /// Counts a table in, or its growth; false where there is no room for it.
  private mutating func reserve(_ count: Int, insteadOf before: Int = 0) -> Bool {
    let sum = entryCount - before + count
    guard sum <= HandleKnowledge.entryLimit || count <= before else { return false }
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

  /// Forgets what earlier connections said of a range of handles (Service Changed).
  mutating func forget(_ identity: ServerIdentity?, start: UInt16, end: UInt16) {
    guard let identity, let before = byIdentity[identity]?.entryCount else { return }
    byIdentity[identity]?.base.forget(start: start, end: end)
    byIdentity[identity]?.table.forget(start: start, end: end)
    entryCount += (byIdentity[identity]?.entryCount ?? 0) - before
  }

  /// A device is known by another address from now on.
  mutating func rename(_ old: DeviceAddress, to new: DeviceAddress) {
    for side in [Side.local, .peer] {
      let from = ServerIdentity(side: side, address: old)
      let to = ServerIdentity(side: side, address: new)
      guard let known = byIdentity.removeValue(forKey: from) else { continue }
      if byIdentity[to] == nil {
        byIdentity[to] = known
      } else {
        entryCount -= known.entryCount
      }
    }
  }

  /// Remembers a closed connection's table for values of it that wait.
  mutating func rememberLate(_ table: AttributeTable, of key: ServerKey) {
    guard !table.isEmpty || table.databaseHash != nil else { return }
    makeRoom(for: table)
    if late.count >= HandleKnowledge.limit { forgetOldest() }
    if reserve(table.entryCount, insteadOf: late[key]?.entryCount ?? 0) { late[key] = table }
  }

  /// Weighs a value on a handle without a name; false where more values would change nothing.
  mutating func weigh(
    _ value: CapturedValue, key: ServerKey, identity: ServerIdentity?, isFromServer: Bool,
    opens: (@Sendable ([UInt8]) -> Bool)?
  ) -> Bool {
    let place = ContentKey(value.handle, key: key, identity: identity)
    if evidence[place] == nil, evidence.count >= HandleKnowledge.limit {
      // Few handles are settled so, and a stranger can open any number of others.
      evidence = evidence.filter { byContent.contains($0.key) }
      if evidence.count > HandleKnowledge.limit / 2 {
        evidence = [:]
        byContent = []
      }
    }
    evidence[place, default: ContentEvidence()].add(
      value, isFromServer: isFromServer, opens: opens)
    return evidence[place]?.isDecided == false
  }

  /// Whether a value's handle may yet be settled by content.
  func isCandidate(_ value: CapturedValue, key: ServerKey, identity: ServerIdentity?) -> Bool {
    evidence[ContentKey(value.handle, key: key, identity: identity)]?.isCandidate ?? false
  }

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
    return byContent.count > before
  }

  // MARK: - Asking

  /// What a handle is by the connection's own table.
  func verdict(of handle: UInt16, by table: AttributeTable) -> HandleVerdict {
    if let found = table.characteristic(at: handle) {
      let service = table.service(containing: handle)?.uuid
      guard let role = characteristics.role(of: found.uuid, in: service) else {
        return .unwanted
      }
      return .wanted(
        ResolvedHandle(
          role: role, characteristic: found.uuid, service: service, resolution: .discovery))
    }
    return table.isKnownOther(handle) ? .unwanted : .unresolved
  }

  /// What a handle is by anything but the connection's own table so far, of which `own` is given
  /// where the connection is open.
  func verdict(
    of handle: UInt16, key: ServerKey, identity: ServerIdentity?, own: AttributeTable? = nil
  ) -> HandleVerdict {
    let own = own ?? late[key]
    if let table = late[key] {
      let verdict = verdict(of: handle, by: table)
      if verdict != .unresolved { return verdict }
    }
    if key.side == .local, !served.isEmpty {
      // The note is whole: what it does not name carries no documents.
      guard let found = served.first(where: { $0.handle == handle }),
        let role = characteristics.role(of: found.characteristic, in: found.service)
      else { return .unwanted }
      return .wanted(
        ResolvedHandle(
          role: role, characteristic: found.characteristic, service: found.service,
          resolution: .cache))
    }
    let other = identity.flatMap { byIdentity[$0]?.table }
    let hash = own?.databaseHash
    if let other, hash == nil || other.databaseHash == nil || hash == other.databaseHash {
      let verdict = elsewhere(handle, by: other)
      if verdict != .unresolved { return verdict }
    }
    if let hash, let table = byHash[hash] {
      let verdict = elsewhere(handle, by: table)
      if verdict != .unresolved { return verdict }
    }
    if let identity, let found = cached[identity]?.first(where: { $0.handle == handle }) {
      let role = found.characteristic.flatMap { characteristics.role(of: $0, in: found.service) }
      return .wanted(
        ResolvedHandle(
          role: role ?? .document, characteristic: found.characteristic,
          service: found.service, resolution: .cache))
    }
    for hint in hints where hint.handle == handle {
      if hint.address == nil || hint.address == identity?.address {
        return .wanted(ResolvedHandle(role: .document, resolution: .option))
      }
    }
    if byContent.contains(ContentKey(handle, key: key, identity: identity)),
      !isContradicted(handle, by: own), !isContradicted(handle, by: other)
    {
      return .wanted(ResolvedHandle(role: .document, resolution: .content))
    }
    return .unresolved
  }

  private func elsewhere(_ handle: UInt16, by table: AttributeTable) -> HandleVerdict {
    switch verdict(of: handle, by: table) {
    case .wanted(var resolved):
      resolved.resolution = .otherConnection
      return .wanted(resolved)
    case .unwanted: return .unwanted
    case .unresolved: return .unresolved
    }
  }

  /// Whether a table, without naming a handle, says that it is not the document: the document lies
  /// elsewhere, the handle's service is another one, or discovery passed over it. A discovery with
  /// lost answers says nothing of what it has not reached.
  private func isContradicted(_ handle: UInt16, by table: AttributeTable?) -> Bool {
    guard let table else { return false }
    if !documents(in: table).isEmpty { return true }
    if let service = table.service(containing: handle) {
      return !DocumentCharacteristics.isPeatService(service.uuid)
    }
    if let last = table.services.last { return last.end > handle }
    return (table.characteristics.last?.handle ?? 0) > handle
  }

  /// What earlier connections told of a device's table, or of a table with this database hash.
  func table(of identity: ServerIdentity?, hash: [UInt8]?) -> AttributeTable? {
    if let other = identity.flatMap({ byIdentity[$0]?.table }),
      hash == nil || other.databaseHash == nil || hash == other.databaseHash
    {
      return other
    }
    return hash.flatMap { byHash[$0] }
  }

  private func documents(in table: AttributeTable) -> [AttributeTable.Characteristic] {
    table.characteristics.filter {
      characteristics.role(of: $0.uuid, in: table.service(containing: $0.handle)?.uuid)
        == .document
    }
  }

  /// The document characteristics that discovery found, for a bond cache: ascending by address.
  var rememberedHandles: [RememberedHandle] {
    var handles: [RememberedHandle] = []
    for (identity, known) in byIdentity {
      for found in documents(in: known.table) {
        handles.append(
          RememberedHandle(
            address: identity.address, isLocalServer: identity.side == .local,
            handle: found.handle, characteristic: found.uuid,
            service: known.table.service(containing: found.handle)?.uuid))
      }
    }
    return handles.sorted {
      ($0.address.value, $0.isLocalServer ? 1 : 0, $0.handle)
        < ($1.address.value, $1.isLocalServer ? 1 : 0, $1.handle)
    }
  }
}
