import BluetoothProtocols
import PeatProtocol

/// What a handle is, by all that is known.
extension HandleKnowledge {
  /// What a handle is by the connection's own table.
  func verdict(of handle: UInt16, by table: AttributeTable) -> HandleVerdict {
    if let found = table.characteristic(at: handle) {
      let service = table.service(containing: handle)?.uuid
      guard let entry = catalog.entry(of: found.uuid, in: service) else { return .unwanted }
      return .wanted(
        ResolvedHandle(
          owner: entry.owner, role: entry.role, characteristic: found.uuid, service: service,
          resolution: .discovery))
    }
    return table.isKnownOther(handle) ? .unwanted : .unresolved
  }

  /// What a handle was at a packet by the user's word, which counts before all else.
  func hinted(_ handle: UInt16, _ identity: ServerIdentity?) -> ResolvedHandle? {
    guard !hints.isEmpty,
      hints.contains(where: {
        $0.handle == handle && ($0.address == nil || $0.address == identity?.address)
      })
    else { return nil }
    return ResolvedHandle(role: .document, resolution: .option)
  }

  /// What a handle was at a packet by anything but the connection's own table, of which `own` is
  /// given where the connection is open.
  func verdict(
    of handle: UInt16, at frame: Int, key: ServerKey, identity: ServerIdentity?,
    own: TableHistory? = nil
  ) -> HandleVerdict {
    var own = own?.table(for: handle, at: frame)
    if let own {
      let verdict = verdict(of: handle, by: own)
      if verdict != .unresolved { return verdict }
    }
    // In a second reading an open connection's whole table is known from the first one.
    if let whole = late[key]?.table(for: handle, at: frame) {
      let verdict = verdict(of: handle, by: whole)
      if verdict != .unresolved { return verdict }
      if own?.databaseHash == nil { own = whole }
    }
    if key.side == .local, !served.isEmpty {
      // The note is whole: what it does not name carries no documents.
      guard let found = served.first(where: { $0.handle == handle }),
        let entry = catalog.entry(of: found.characteristic, in: found.service)
      else { return .unwanted }
      return .wanted(
        ResolvedHandle(
          owner: entry.owner, role: entry.role, characteristic: found.characteristic,
          service: found.service,
          resolution: .cache))
    }
    let hash = own?.databaseHash
    let device = identity.flatMap { byIdentity[$0] }
    if let device {
      let verdict = verdict(of: handle, at: frame, by: device, hash: hash)
      if verdict != .unresolved { return verdict }
    }
    if let hash, let table = byHash[hash] {
      let verdict = elsewhere(handle, by: table)
      if verdict != .unresolved { return verdict }
    }
    let place = ContentKey(
      handle, key: key, identity: identity,
      era: device?.learnt.era(of: handle, at: frame) ?? 0)
    let isUpgrade = upgradesByContent.contains(place)
    if isUpgrade || byContent.contains(place), !isContradicted(handle, by: own),
      !isContradicted(handle, by: device?.learnt.table(for: handle, at: frame))
    {
      return .wanted(
        ResolvedHandle(owner: isUpgrade ? .smp : .peat, role: .document, resolution: .content))
    }
    return .unresolved
  }

  private func verdict(
    of handle: UInt16, at frame: Int, by device: Device, hash: [UInt8]?
  ) -> HandleVerdict {
    // One by one: a list of them would be made for every value.
    var verdict = verdict(of: handle, at: frame, by: device.learnt, hash: hash)
    if verdict != .unresolved { return verdict }
    verdict = self.verdict(of: handle, at: frame, by: device.taught, hash: hash)
    if verdict != .unresolved { return verdict }
    verdict = self.verdict(of: handle, at: frame, by: device.taughtLater, hash: hash)
    if verdict != .unresolved { return verdict }
    let table = device.cached.table(for: handle, at: frame)
    guard let found = table.characteristic(at: handle) else { return .unresolved }
    if let hash, let known = table.databaseHash, hash != known { return .unresolved }
    if found.uuid.short == AttributeTable.serviceChanged { return .unwanted }
    let service = table.service(containing: handle)?.uuid
    return .wanted(
      ResolvedHandle(
        role: catalog.documents.role(of: found.uuid, in: service) ?? .document,
        characteristic: found.uuid, service: service, resolution: .cache))
  }

  private func verdict(
    of handle: UInt16, at frame: Int, by history: TableHistory, hash: [UInt8]?
  ) -> HandleVerdict {
    if history.isEmpty { return .unresolved }
    let table = history.table(for: handle, at: frame)
    if let hash, let known = table.databaseHash, hash != known { return .unresolved }
    return elsewhere(handle, by: table)
  }

  func era(of handle: UInt16, _ identity: ServerIdentity?, at frame: Int) -> Int {
    identity.flatMap { byIdentity[$0] }?.learnt.era(of: handle, at: frame) ?? 0
  }

  /// Whether a handle is Service Changed by anything known: its indication takes handles back.
  func isServiceChanged(_ handle: UInt16, own: AttributeTable, identity: ServerIdentity?) -> Bool {
    func names(_ table: AttributeTable) -> Bool? {
      table.characteristic(at: handle).map { $0.uuid.short == AttributeTable.serviceChanged }
    }
    if let answer = names(own) { return answer }
    if let device = identity.flatMap({ byIdentity[$0] }) {
      for history in [device.learnt, device.taught, device.taughtLater, device.cached] {
        if let answer = names(history.latest) { return answer }
      }
    }
    return own.databaseHash.flatMap { byHash[$0] }.flatMap(names) ?? false
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
    if let other = identity.flatMap({ byIdentity[$0]?.learnt.latest }),
      hash == nil || other.databaseHash == nil || hash == other.databaseHash
    {
      return other
    }
    return hash.flatMap { byHash[$0] }
  }

  /// Why nothing names a handle.
  func reason(
    of handle: UInt16, at frame: Int, key: ServerKey, identity: ServerIdentity?,
    own: TableHistory?
  ) -> UnnamedReason {
    let own = own ?? late[key]
    let device = identity.flatMap { byIdentity[$0] }
    if own?.isWithdrawn(handle, at: frame) ?? false { return .changed }
    if device?.learnt.isWithdrawn(handle, at: frame) ?? false { return .changed }
    let knowsSome = !(own?.isEmpty ?? true) || !(device?.learnt.isEmpty ?? true)
    return knowsSome ? .notFound : .noDiscovery
  }

  /// What discovery told of each device, for other captures: before its first change and at last.
  var deviceTables: [ServerIdentity: (first: AttributeTable, last: AttributeTable)] {
    byIdentity.filter { !$0.value.learnt.isEmpty }
      .mapValues { ($0.learnt.earliest, $0.learnt.latest) }
  }

  /// The characteristics that discovery found on any server, each type once with its service's,
  /// ascending.
  var discovered: [DiscoveredType] {
    var found: Set<DiscoveredType> = []
    let tables = byIdentity.values.map(\.learnt.latest) + late.values.map(\.latest)
    for table in tables {
      for characteristic in table.characteristics {
        found.insert(
          DiscoveredType(
            uuid: characteristic.uuid,
            service: table.service(containing: characteristic.handle)?.uuid,
            isDocument: catalog.documents.role(
              of: characteristic.uuid, in: table.service(containing: characteristic.handle)?.uuid)
              == .document))
      }
    }
    return found.sorted { $0.uuid.description < $1.uuid.description }
  }

  private func documents(in table: AttributeTable) -> [AttributeTable.Characteristic] {
    table.characteristics.filter {
      catalog.documents.role(of: $0.uuid, in: table.service(containing: $0.handle)?.uuid)
        == .document
    }
  }

  /// Whether a handle of a bond cache holds no longer: its device changed its table since, or
  /// discovery found something else there.
  func isOutdated(_ handle: RememberedHandle) -> Bool {
    guard let device = byIdentity[handle.identity] else { return false }
    let learnt = device.learnt.latest
    if let found = learnt.characteristic(at: handle.handle) {
      return handle.characteristic.map { $0 != found.uuid } ?? false
    }
    if let hash = learnt.databaseHash, let known = handle.databaseHash, hash != known {
      return true
    }
    return learnt.isKnownOther(handle.handle)
      || device.cached.isWithdrawn(handle.handle, at: .max)
  }

  /// The document characteristics that discovery found, for a bond cache: ascending by address.
  ///
  /// Service Changed is kept with them, so that its indication is understood without discovery.
  var rememberedHandles: [RememberedHandle] {
    var handles: [RememberedHandle] = []
    for (identity, known) in byIdentity {
      let table = known.learnt.latest
      let indicating = table.characteristics.filter {
        $0.uuid.short == AttributeTable.serviceChanged
      }
      for found in documents(in: table) + indicating {
        handles.append(
          RememberedHandle(
            address: identity.address, isLocalServer: identity.side == .local,
            handle: found.handle, characteristic: found.uuid,
            service: table.service(containing: found.handle)?.uuid,
            databaseHash: table.databaseHash))
      }
    }
    return handles.sorted {
      ($0.address.value, $0.isLocalServer ? 1 : 0, $0.handle)
        < ($1.address.value, $1.isLocalServer ? 1 : 0, $1.handle)
    }
  }
}
