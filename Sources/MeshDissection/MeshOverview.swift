package import BluetoothMesh
import MeshSecurity

/// A network as the captures show it.
package struct MeshNetworkState: Sendable {
  package var name: String
  package var meshName: String?
  package var ivIndex: UInt32?
  /// Whether a beacon or a message said the index; else it was searched.
  package var isTold = false
  /// What beacons said, each time it changed.
  package var beacons: [(place: MeshPlace, state: BeaconState, key: String)] = []
  /// PDUs by the name of the key that opened them.
  package var pdus: [String: Int] = [:]
  package var firstByKey: [String: MeshPlace] = [:]
}

/// A node as the captures show it.
package struct MeshNodeState: Sendable {
  package var database: Int
  package var address: MeshAddress
  package var name: String?
  package var messages = 0
  package var sequence: UInt32 = 0
  package var ivIndex: UInt32 = 0
  package var first: MeshPlace
  package var last: MeshPlace
  /// What it said of its features.
  package var features: String?
  package var relay: String?
  /// Its SEQ fell, or it sent with an IV index that is behind.
  package var ignored: String?
  /// The address that it advertises from, where its messages came straight from it.
  package var device: String?
  package var isProxy = false
}

/// What the captures tell of the meshes as a whole: the answers of `peat-inspect mesh`.
package struct MeshOverview: Sendable {
  /// Nodes of an overview, and entries of their histories.
  private static let limit = 4096
  private static let historyLimit = 64

  package struct NodeKey: Sendable, Hashable {
    package var database: Int
    package var address: MeshAddress
  }

  package private(set) var networks: [Int: MeshNetworkState] = [:]
  package private(set) var nodes: [NodeKey: MeshNodeState] = [:]
  /// Messages by layer.
  package private(set) var layers: [MeshMessage.Layer: Int] = [:]
  /// PDUs that were not opened, by why and by which name they bear.
  package private(set) var unopened: [String: Int] = [:]
  package internal(set) var unanswered: [UnansweredRequest] = []
  /// Copies with a lower TTL by who advertised them.
  package private(set) var relays: [String: Int] = [:]
  /// Devices without provisioning that were heard, by UUID.
  package private(set) var unprovisioned: [[UInt8]: Int] = [:]
  /// How often a device advertised a source's PDU first.
  private var origins: [String: [NodeKey: Int]] = [:]
  package internal(set) var provisionings: [ProvisioningStory] = []
  package internal(set) var proxies: [ProxyLink] = []
  /// Exchanges that were answered.
  package internal(set) var answered = 0

  /// The node behind a device address, by what came from it first.
  package func node(at device: String) -> MeshNodeState? {
    origins[device]?.max { ($0.value, $1.key.address) < ($1.value, $0.key.address) }
      .flatMap { nodes[$0.key] }
  }

  mutating func count(_ message: MeshMessage) {
    layers[message.layer, default: 0] += 1
    guard let reason = message.unopened else { return }
    var text = reason
    for field in message.fields where ["nid", "aid"].contains(field.name) {
      text += " \(field.name) \(field.value.words)"
    }
    if reason == "no-device-key", let source = message.source, let target = message.destination {
      text += " \(source) to \(target)"
    }
    if unopened[text] != nil || unopened.count < MeshOverview.limit {
      unopened[text, default: 0] += 1
    }
  }

  mutating func heard(unprovisioned uuid: [UInt8]) {
    if unprovisioned[uuid] != nil || unprovisioned.count < MeshOverview.limit {
      unprovisioned[uuid, default: 0] += 1
    }
  }

  mutating func relayed(by device: String) {
    if relays[device] != nil || relays.count < MeshOverview.limit {
      relays[device, default: 0] += 1
    }
  }

  mutating func network(
    _ id: Int, _ make: () -> MeshNetworkState, _ change: (inout MeshNetworkState) -> Void
  ) {
    guard networks[id] != nil || networks.count < MeshOverview.limit else { return }
    var state = networks[id] ?? make()
    change(&state)
    if state.beacons.count > MeshOverview.historyLimit { state.beacons.remove(at: 1) }
    networks[id] = state
  }

  mutating func node(_ key: NodeKey, _ place: MeshPlace, _ change: (inout MeshNodeState) -> Void) {
    guard nodes[key] != nil || nodes.count < MeshOverview.limit else { return }
    var state =
      nodes[key]
      ?? MeshNodeState(database: key.database, address: key.address, first: place, last: place)
    change(&state)
    nodes[key] = state
  }

  /// A new PDU came straight from a device.
  mutating func origin(_ device: String, _ key: NodeKey) {
    guard origins[device] != nil || origins.count < MeshOverview.limit else { return }
    origins[device, default: [:]][key, default: 0] += 1
    guard (origins[device]?.count ?? 0) <= 64 else {
      origins[device] = [:]
      return
    }
  }
}
