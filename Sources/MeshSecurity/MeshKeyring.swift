package import BluetoothMesh

/// Names a key without showing it.
package struct MeshKeyName: Sendable, Hashable {
  /// What it is for.
  package enum Use: Sendable, Hashable {
    case net(index: UInt16)
    case app(index: UInt16)
    case device(MeshAddress)
  }

  package let use: Use
  /// Whether it is the one that a refresh replaces.
  package let isOld: Bool
  /// Whether no database has it: a message of the capture brought it.
  package let isLearned: Bool

  package init(_ use: Use, isOld: Bool = false, isLearned: Bool = false) {
    self.use = use
    self.isOld = isOld
    self.isLearned = isLearned
  }
}

extension MeshKeyName: CustomStringConvertible {
  /// `net:0`, `app:1/old`, `device:0100`, `app:2/learned`.
  package var description: String {
    let name =
      switch use {
      case .net(let index): "net:\(index)"
      case .app(let index): "app:\(index)"
      case .device(let address): "device:\(address)"
      }
    return name + (isOld ? "/old" : "") + (isLearned ? "/learned" : "")
  }
}

/// The keys of all databases that the user has given, and those that captures brought.
package struct MeshKeyring: Sendable {
  /// Keys learnt from captures; what comes beyond is not kept.
  private static let learnedLimit = 256

  package struct Network: Sendable {
    package let name: MeshKeyName
    /// Tells the networks of several databases apart: equal for both keys of a refresh.
    package let id: Int
    package let key: NetworkKey

    /// Which database it is of, counted from 0.
    package var database: Int { id >> 12 }
    /// The key's index there.
    package var index: UInt16 { UInt16(truncatingIfNeeded: id & 0xFFF) }
  }

  struct Application: Sendable {
    let name: MeshKeyName
    let aid: UInt8
    let network: Int
    let key: MeshKey
  }

  struct Device: Sendable {
    let name: MeshKeyName
    let database: Int
    let elements: ClosedRange<UInt16>
    let key: MeshKey
  }

  /// Net keys, of each the one in use before the one that it replaces.
  package private(set) var networks: [Network] = []
  private var applications: [Application] = []
  private var devices: [Device] = []
  private var labels: [VirtualLabel] = []
  private var learned = 0
  /// Databases taken in.
  package private(set) var databaseCount = 0
  /// The highest of the lowest IV indexes that the databases speak of.
  package private(set) var lowestIVIndex: UInt32 = 0

  /// Makes an empty keyring.
  package init() {}

  /// Whether there is nothing to open anything with.
  package var isEmpty: Bool { networks.isEmpty }

  /// A key of one of the databases.
  package struct DatabaseKey: Sendable, Hashable {
    package let database: Int
    package let name: MeshKeyName

    package init(database: Int, name: MeshKeyName) {
      self.database = database
      self.name = name
    }
  }

  /// Keys that everybody knows.
  package var trivialKeys: Set<DatabaseKey> {
    var found: Set<DatabaseKey> = []
    for key in networks where key.key.key.isTrivial {
      found.insert(DatabaseKey(database: key.database, name: key.name))
    }
    for key in applications where key.key.isTrivial {
      found.insert(DatabaseKey(database: key.network >> 12, name: key.name))
    }
    for key in devices where key.key.isTrivial {
      found.insert(DatabaseKey(database: key.database, name: key.name))
    }
    return found
  }

  /// Takes in the keys of a database.
  package mutating func add(_ mesh: MeshDatabase) throws(CryptoFailure) {
    let database = databaseCount
    databaseCount += 1
    for net in mesh.netKeys {
      let id = database << 12 | Int(net.index)
      networks.append(Network(name: MeshKeyName(.net(index: net.index)), id: id, key: net.key))
      if let old = net.oldKey {
        let name = MeshKeyName(.net(index: net.index), isOld: true)
        networks.append(Network(name: name, id: id, key: old))
      }
    }
    for app in mesh.appKeys {
      for (key, isOld) in [(app.key, false), (app.oldKey, true)] {
        guard let key else { continue }
        applications.append(
          Application(
            name: MeshKeyName(.app(index: app.index), isOld: isOld),
            aid: try MeshFunctions.k4(key), network: database << 12 | Int(app.boundNetKey),
            key: key))
      }
    }
    for node in mesh.nodes {
      guard let key = node.deviceKey else { continue }
      let first = node.address.rawValue
      let last = node.elements.map(\.address.rawValue).max() ?? first
      devices.append(
        Device(
          name: MeshKeyName(.device(node.address)), database: database,
          elements: first...max(first, last), key: key))
    }
    labels += mesh.labels
    lowestIVIndex = max(lowestIVIndex, mesh.lowestIVIndex ?? 0)
  }

  // MARK: - What captures bring

  /// A message brought a net key; true where it is a new one.
  package mutating func learn(netKey key: MeshKey, index: UInt16, database: Int) -> Bool {
    guard learned < MeshKeyring.learnedLimit, !networks.contains(where: { $0.key.key == key }),
      let derived = try? NetworkKey(key)
    else { return false }
    learned += 1
    networks.append(
      Network(
        name: MeshKeyName(.net(index: index), isLearned: true),
        id: database << 12 | Int(index & 0xFFF), key: derived))
    return true
  }

  /// A message brought an application key; true where it is a new one.
  package mutating func learn(
    appKey key: MeshKey, index: UInt16, boundTo netKey: UInt16, database: Int
  ) -> Bool {
    let network = database << 12 | Int(netKey & 0xFFF)
    guard learned < MeshKeyring.learnedLimit,
      !applications.contains(where: { $0.key == key && $0.network == network }),
      let aid = try? MeshFunctions.k4(key)
    else { return false }
    learned += 1
    applications.append(
      Application(
        name: MeshKeyName(.app(index: index), isLearned: true), aid: aid, network: network,
        key: key))
    return true
  }

  /// Provisioning gave a node its key; true where it is a new one.
  package mutating func learn(
    deviceKey key: MeshKey, of address: MeshAddress, elements: Int, database: Int
  ) -> Bool {
    guard learned < MeshKeyring.learnedLimit,
      !devices.contains(where: { $0.key == key && $0.elements.contains(address.rawValue) })
    else { return false }
    learned += 1
    let last = UInt16(min(0x7FFF, Int(address.rawValue) + max(0, elements - 1)))
    devices.append(
      Device(
        name: MeshKeyName(.device(address), isLearned: true), database: database,
        elements: address.rawValue...max(address.rawValue, last), key: key))
    return true
  }

  /// A label came in a message, so that its virtual address can be opened.
  package mutating func learn(label: VirtualLabel) {
    guard learned < MeshKeyring.learnedLimit, !labels.contains(label) else { return }
    learned += 1
    labels.append(label)
  }

  /// The database that has a net key, by the key itself.
  package func database(of key: MeshKey) -> Int? {
    networks.first { $0.key.key == key }?.database
  }

  /// Whether any application key is named so, for any of a network.
  package func hasApplication(aid: UInt8, network: Int) -> Bool {
    applications.contains { $0.aid == aid && $0.network == network }
  }

  // MARK: - Opening

  /// An access message that was opened.
  struct Opened {
    var key: MeshKeyName
    var label: VirtualLabel?
    var bytes: [UInt8]
  }

  /// Opens a message with the application keys of its name that are bound to the network, or with
  /// the device keys of its ends: a client of the configuration uses the other end's both ways.
  func open(
    _ sealed: [UInt8], _ context: UpperTransportContext, key: LowerTransportPDU.AccessKey,
    network: Int
  ) -> Opened? {
    switch key {
    case .application(let aid):
      let virtual = labels.filter { $0.address == context.destination }
      for app in applications where app.aid == aid && app.network == network {
        if context.destination.kind != .virtual {
          if let bytes = context.open(sealed, with: app.key, isDeviceKey: false) {
            return Opened(key: app.name, bytes: bytes)
          }
        }
        for label in virtual {
          if let bytes = context.open(sealed, with: app.key, isDeviceKey: false, label: label) {
            return Opened(key: app.name, label: label, bytes: bytes)
          }
        }
      }
    case .device:
      for address in [context.destination, context.source] {
        for device in devices
        where device.database == network >> 12 && device.elements.contains(address.rawValue) {
          if let bytes = context.open(sealed, with: device.key, isDeviceKey: true) {
            return Opened(key: device.name, bytes: bytes)
          }
        }
      }
    }
    return nil
  }
}
