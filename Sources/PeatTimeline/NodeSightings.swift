package import BluetoothProtocols
internal import PeatDissection
package import PeatProtocol

/// Where nodes were met: their addresses and connections, as far as links and advertising tell.
package struct NodeSightings: Sendable {
  /// What is known of one node's whereabouts.
  package struct Sighting: Sendable {
    /// The address of its last own message or, without one, of its advertising.
    package var address: DeviceAddress?
    /// Ids of the connections on which it sent its own messages, in order of first use.
    package var links: [Int] = []
    /// What kind of node it seems to be.
    package var platform: NodePlatform?
  }

  /// Nodes, and connections, of which the last sighting is remembered.
  private static let nodeLimit = 65_536
  private static let linkLimit = 1024

  private var sightings: [NodeID: Sighting] = [:]
  /// The node behind an address: its last own message there.
  package private(set) var nodes: [DeviceAddress: NodeID] = [:]

  /// Makes a table that knows of nobody.
  package init() {}

  /// What is known of a node.
  package subscript(node: NodeID) -> Sighting? { sightings[node] }

  /// Takes a row in: a message that was not relayed came from its author's own device.
  package mutating func note(_ row: TimelineRow) {
    guard let node = row.message.node, row.value.opcode != .advertisement,
      row.message.kind != .relay
    else { return }
    note(node, link: row.value.link.id)
    let link = row.value.link
    let isLocal = row.value.direction.isFromLocal
    if let address = isLocal ? link.local : link.peer { note(node, at: address) }
    if let platform = NodePlatform(row, isServer: isLocal == (link.role == .peripheral)) {
      sightings[node]?.platform = platform
    }
  }

  /// Takes an advertiser in whose data names its node.
  package mutating func note(_ reading: AdvertiserReading) {
    guard let node = reading.node, admits(node) else { return }
    let address = reading.advertiser.address
    if sightings[node]?.address == nil { sightings[node, default: Sighting()].address = address }
    if sightings[node]?.platform == nil { sightings[node]?.platform = reading.platform }
    if nodes[address] == nil && nodes.count < NodeSightings.nodeLimit { nodes[address] = node }
  }

  private mutating func note(_ node: NodeID, link: Int) {
    guard admits(node) else { return }
    var sighting = sightings[node] ?? Sighting()
    if !sighting.links.contains(link) && sighting.links.count < NodeSightings.linkLimit {
      sighting.links.append(link)
    }
    sightings[node] = sighting
  }

  private mutating func note(_ node: NodeID, at address: DeviceAddress) {
    guard admits(node) else { return }
    sightings[node, default: Sighting()].address = address
    if nodes[address] != nil || nodes.count < NodeSightings.nodeLimit { nodes[address] = node }
  }

  private func admits(_ node: NodeID) -> Bool {
    sightings[node] != nil || sightings.count < NodeSightings.nodeLimit
  }
}

/// What kind of implementation a node seems to be; the raw value is the name in records.
package enum NodePlatform: String, Sendable {
  case android
  case linux
  /// The library's CoreBluetooth adapter.
  case apple
  case windows
  case wearOS = "wear_os"
  /// The feather and nano examples.
  case nrf

  /// What a message and its characteristic tell: only Android writes its own codec, and some
  /// servers spell the characteristics in a way of their own (protocol.md 1.1, 9.3).
  init?(_ row: TimelineRow, isServer: Bool) {
    if let decoded = row.document, decoded.kotlin != nil {
      self = .android
      return
    }
    guard isServer, row.value.link.role != nil, let uuid = row.value.characteristic else {
      return nil
    }
    let service = row.value.service.map { PeatUUID(high: $0.high, low: $0.low) }
    switch CharacteristicRole.identify(
      characteristic: PeatUUID(high: uuid.high, low: uuid.low), service: service)?.form
    {
    case .library: self = .linux
    case .bluetoothBase: self = .apple
    case .windows: self = .windows
    case .canonical, .alias, nil: return nil
    }
  }
}
