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

  package init(_ use: Use, isOld: Bool = false) {
    self.use = use
    self.isOld = isOld
  }
}

extension MeshKeyName: CustomStringConvertible {
  /// `net:0`, `app:1/old`, `device:0100`.
  package var description: String {
    let name =
      switch use {
      case .net(let index): "net:\(index)"
      case .app(let index): "app:\(index)"
      case .device(let address): "device:\(address)"
      }
    return isOld ? name + "/old" : name
  }
}

/// The keys of all databases that the user has given.
package struct MeshKeyring: Sendable {
  package struct Network: Sendable {
    package let name: MeshKeyName
    package let index: UInt16
    package let key: NetworkKey
  }

  struct Application: Sendable {
    let name: MeshKeyName
    let aid: UInt8
    let boundNetKey: UInt16
    let key: MeshKey
  }

  struct Device: Sendable {
    let address: MeshAddress
    let elements: ClosedRange<UInt16>
    let key: MeshKey
  }

  /// Net keys, of each the one in use before the one that it replaces.
  package private(set) var networks: [Network] = []
  private var applications: [Application] = []
  private var devices: [Device] = []
  private var labels: [VirtualLabel] = []
  /// The highest of the lowest IV indexes that the databases speak of.
  package private(set) var lowestIVIndex: UInt32 = 0

  /// Makes an empty keyring.
  package init() {}

  /// Takes in the keys of a database.
  package mutating func add(_ mesh: MeshDatabase) throws(CryptoFailure) {
    for net in mesh.netKeys {
      networks.append(
        Network(name: MeshKeyName(.net(index: net.index)), index: net.index, key: net.key))
      if let old = net.oldKey {
        let name = MeshKeyName(.net(index: net.index), isOld: true)
        networks.append(Network(name: name, index: net.index, key: old))
      }
    }
    for app in mesh.appKeys {
      for (key, isOld) in [(app.key, false), (app.oldKey, true)] {
        guard let key else { continue }
        applications.append(
          Application(
            name: MeshKeyName(.app(index: app.index), isOld: isOld),
            aid: try MeshFunctions.k4(key), boundNetKey: app.boundNetKey, key: key))
      }
    }
    for node in mesh.nodes {
      guard let key = node.deviceKey else { continue }
      let first = node.address.rawValue
      let last = node.elements.map(\.address.rawValue).max() ?? first
      devices.append(
        Device(address: node.address, elements: first...max(first, last), key: key))
    }
    labels += mesh.labels
    lowestIVIndex = max(lowestIVIndex, mesh.lowestIVIndex ?? 0)
  }

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
    network: UInt16
  ) -> Opened? {
    switch key {
    case .application(let aid):
      let virtual = labels.filter { $0.address == context.destination }
      for app in applications where app.aid == aid && app.boundNetKey == network {
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
        for device in devices where device.elements.contains(address.rawValue) {
          if let bytes = context.open(sealed, with: device.key, isDeviceKey: true) {
            return Opened(key: MeshKeyName(.device(device.address)), bytes: bytes)
          }
        }
      }
    }
    return nil
  }
}
