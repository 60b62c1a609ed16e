import BluetoothProtocols

/// What captures tell of devices that other captures of the same run can use: tables by device, and
/// keys that say which private addresses are one device.
public struct TaughtDevices: Sendable {
  /// From captures before the one that is read; of several, from the nearest.
  var before: [ServerIdentity: AttributeTable] = [:]
  /// From captures behind it.
  var after: [ServerIdentity: AttributeTable] = [:]
  /// Tables by database hash, from whichever capture.
  var byHash: [[UInt8]: AttributeTable] = [:]
  /// Keys from pairings, least significant byte first, with the address that each belongs to.
  var keys: [(key: [UInt8], identity: DeviceAddress)] = []

  /// Makes one that knows nothing.
  public init() {}

  /// Whether it knows nothing.
  public var isEmpty: Bool {
    before.isEmpty && after.isEmpty && keys.isEmpty && byHash.isEmpty
  }

  /// Whether a capture with so many values on unnamed handles could be read better with it.
  public func isUseful(unnamed: Int) -> Bool {
    !keys.isEmpty || (unnamed > 0 && !(before.isEmpty && after.isEmpty && byHash.isEmpty))
  }

  /// Adds what a capture told of private addresses alone.
  public mutating func add(keysOf lesson: DeviceLesson) { keys += lesson.keys }

  /// Adds what a capture told; the nearest capture comes last.
  public mutating func add(_ lesson: DeviceLesson, isBefore: Bool) {
    // What its indications meant shows with the tables of captures farther away.
    for indication in lesson.indications where lesson.tables[indication.identity] == nil {
      let known = isBefore ? before[indication.identity] : after[indication.identity]
      guard var table = known,
        table.characteristic(at: indication.handle)?.uuid.short == AttributeTable.serviceChanged
      else { continue }
      table.forget(indication.range)
      if isBefore {
        before[indication.identity] = table
      } else {
        after[indication.identity] = table
      }
    }
    for (identity, table) in lesson.tables {
      if isBefore { before[identity] = table.last } else { after[identity] = table.first }
    }
    for (hash, table) in lesson.byHash {
      if byHash[hash] == nil { byHash[hash] = table } else { byHash[hash]?.merge(table) }
    }
    keys += lesson.keys
  }

  /// Names devices by their identity addresses, where they are known by others.
  mutating func rename(_ identity: (DeviceAddress) -> DeviceAddress) {
    before = TaughtDevices.renamed(before, identity)
    after = TaughtDevices.renamed(after, identity)
  }

  private static func renamed(
    _ tables: [ServerIdentity: AttributeTable], _ identity: (DeviceAddress) -> DeviceAddress
  ) -> [ServerIdentity: AttributeTable] {
    var renamed: [ServerIdentity: AttributeTable] = [:]
    // What is known by the identity address itself counts before the rest.
    for (server, table) in tables.sorted(by: { $0.key.address.value < $1.key.address.value }) {
      let name = ServerIdentity(side: server.side, address: identity(server.address))
      guard var known = renamed[name] else {
        renamed[name] = table
        continue
      }
      if name == server {
        var own = table
        own.merge(known)
        known = own
      } else {
        known.merge(table)
      }
      renamed[name] = known
    }
    return renamed
  }
}

/// What one capture tells of devices.
public struct DeviceLesson: Sendable {
  var tables: [ServerIdentity: (first: AttributeTable, last: AttributeTable)]
  var byHash: [[UInt8]: AttributeTable]
  var keys: [(key: [UInt8], identity: DeviceAddress)]
  /// Indications that may have been Service Changed, ascending.
  var indications: [(identity: ServerIdentity, handle: UInt16, range: ClosedRange<UInt16>)]

  /// Whether it tells nothing.
  public var isEmpty: Bool {
    tables.isEmpty && keys.isEmpty && byHash.isEmpty && indications.isEmpty
  }
  /// Whether it tells which private addresses are one device.
  public var hasKeys: Bool { !keys.isEmpty }
}

extension LinkDissector {
  /// What the capture tells of devices, for other captures.
  var lesson: DeviceLesson {
    DeviceLesson(
      tables: knowledge.deviceTables, byHash: knowledge.byHash, keys: addresses.learntKeys,
      indications: strayIndications.all.compactMap { indication in
        indication.identity.map { ($0, indication.handle, indication.range) }
      })
  }
}
