import PeatNode
import PeatProtocol
import PeatTestSupport
import WireBytes

/// Builds the JSON in which the vectors describe results.
extension JSON {
  static func integer(_ value: some BinaryInteger) -> JSON { .number(Double(value)) }
  static func wide(_ value: UInt64) -> JSON { .string(String(value)) }
  static func node(_ value: NodeID) -> JSON { .integer(value.rawValue) }
  static func hex(_ value: [UInt8]) -> JSON { .string(Hexadecimal.string(value)) }
  static func bits(_ value: Float) -> JSON {
    .string(Hexadecimal.upper(UInt64(value.bitPattern), width: 8).lowercased())
  }

  static func optional<T>(_ value: T?, _ make: (T) -> JSON) -> JSON { value.map(make) ?? .null }

  init(_ peer: Peer) {
    self = .object([
      "connected": .bool(peer.isConnected), "identifier": .string(peer.identifier),
      "last_seen_ms": .wide(peer.lastSeen), "mesh_id": .optional(peer.meshID) { .string($0) },
      "name": .optional(peer.name) { .string($0) }, "node_id": .node(peer.node),
      "rssi": .integer(peer.rssi),
    ])
  }

  init(_ report: ReceivedReport) {
    let location = report.peripheral?.location
    self = .object([
      "source_node": .node(report.source), "is_emergency": .bool(report.isEmergency),
      "is_ack": .bool(report.isAcknowledgement),
      "counter_changed": .bool(report.counterChanged),
      "emergency_changed": .bool(report.emergencyChanged), "total_count": .wide(report.total),
      "event_timestamp": .wide(report.eventTime),
      "relay_data": .optional(report.relayed) { .hex($0) },
      "origin_node": .optional(report.origin) { .node($0) },
      "hop_count": .integer(report.hopCount),
      "callsign": .optional(report.callsign) { .string($0) },
      "battery_percent": .optional(report.battery) { .integer($0) },
      "heart_rate": .optional(report.heartRate) { .integer($0) },
      "event_type": .optional(report.peripheral?.event) { .integer($0.type.rawValue) },
      "latitude": .optional(location) { .bits($0.latitude) },
      "longitude": .optional(location) { .bits($0.longitude) },
      "altitude": .optional(location?.altitude) { .bits($0) },
    ])
  }

  init(_ decision: RelayDecision) {
    self = .object([
      "hop_count": .integer(decision.envelope.hopCount),
      "origin_node": .node(decision.envelope.origin),
      "payload": .hex(decision.envelope.payload),
      "relay_data": .optional(decision.copy) { .hex($0.encoded) },
      "should_relay": .bool(decision.copy != nil),
    ])
  }

  init(_ event: MeshEvent) {
    func members(_ name: String, _ rest: [String: JSON]) -> JSON {
      .object(rest.merging(["event": .string(name)]) { first, _ in first })
    }
    switch event {
    case .peerDiscovered(let node): self = members("peer_discovered", ["node": .node(node)])
    case .peerConnected(let node): self = members("peer_connected", ["node": .node(node)])
    case .peerDisconnected(let node, let reason):
      self = members(
        "peer_disconnected", ["node": .node(node), "reason": .string(reason.rawValue)])
    case .peerLost(let node): self = members("peer_lost", ["node": .node(node)])
    case .stateChanged(let peers, let connected):
      self = members(
        "mesh_state_changed", ["peers": .integer(peers), "connected": .integer(connected)])
    case .emergencyReceived(let node):
      self = members("emergency_received", ["node": .node(node)])
    case .acknowledgementReceived(let node):
      self = members("ack_received", ["node": .node(node)])
    case .documentSynced(let node, let total):
      self = members("document_synced", ["node": .node(node), "total_count": .wide(total)])
    case .appDocumentReceived(let type, let source, let timestamp, let isChanged):
      self = members(
        "app_document_received",
        [
          "type_id": .integer(type.rawValue), "node": .node(source),
          "timestamp": .wide(timestamp), "changed": .bool(isChanged),
        ])
    case .sessionEstablished(let node):
      self = members("e2ee_established", ["node": .node(node)])
    case .sessionClosed(let node): self = members("e2ee_closed", ["node": .node(node)])
    case .peerMessage(let node, let data):
      self = members("e2ee_message", ["node": .node(node), "data": .hex(data)])
    case .securityViolation(let violation, let source):
      self = members(
        "security_violation",
        [
          "violation": .string(violation.rawValue),
          "source": .optional(source) { .string($0) },
        ])
    case .messageRelayed(let origin, let hopCount, let targets):
      self = members(
        "message_relayed",
        [
          "node": .node(origin), "hop_count": .integer(hopCount),
          "relay_count": .integer(targets),
        ])
    case .duplicateDropped(let origin, let sightings):
      self = members(
        "duplicate_dropped", ["node": .node(origin), "seen_count": .integer(sightings)])
    case .hopsExpired(let origin, let hopCount):
      self = members("ttl_expired", ["node": .node(origin), "hop_count": .integer(hopCount)])
    }
  }
}

/// The state of a node as the vectors describe it after each step.
struct StateDescription {
  /// Nodes that were a peer or the source of a report so far.
  private var nodes: Set<NodeID> = []
  private var document: String?

  mutating func note(_ report: ReceivedReport?) {
    if let report { nodes.insert(report.source) }
  }

  mutating func describe(_ node: MeshNode) -> JSON {
    nodes.formUnion(node.peers.all.map(\.node))
    let text = Hexadecimal.string(node.document.encoded())
    defer { document = text }
    var members: [String: JSON] = [
      "total_count": .wide(node.document.counter.total),
      "version": .integer(node.document.version),
      "document": .string(text == document ? "=" : text),
      "peers": .array(node.peers.all.map { JSON($0) }),
      "connected": .integer(node.peers.connectedCount),
      "current_event": .optional(node.document.peripheral?.event) {
        .integer($0.type.rawValue)
      },
      "emergency": .optional(node.document.emergency) { emergency in
        .object([
          "source": .node(emergency.source), "timestamp": .wide(emergency.time),
          "acked": .integer(emergency.acked.count), "pending": .integer(emergency.pending.count),
          "all_acked": .bool(emergency.isAckedByAll),
        ])
      },
    ]
    let callsigns = nodes.sorted().compactMap { id in
      node.peripherals[id].map { JSON.array([.node(id), .string($0.callsign.text)]) }
    }
    if !callsigns.isEmpty { members["peer_callsigns"] = .array(callsigns) }
    let indirect = node.graph.indirectPeers.map { peer in
      JSON.object([
        "node": .node(peer.node), "messages": .integer(peer.messages),
        "min_hops": .integer(peer.fewestHops),
        "via": .array(
          peer.hops.sorted { $0.key < $1.key }.map {
            .array([.node($0.key), .integer($0.value)])
          }),
      ])
    }
    if !indirect.isEmpty { members["indirect_peers"] = .array(indirect) }
    let seen = node.relayDesk.seen.count
    if seen > 0 { members["seen_cache_size"] = .integer(seen) }
    if node.deltas.count > 0 {
      members["delta_stats"] = .object([
        "peers": .integer(node.deltas.count), "sent": .wide(node.deltas.total.sent),
        "received": .wide(node.deltas.total.received),
        "syncs": .integer(node.deltas.total.syncs),
      ])
    }
    if let sessions = node.sessions {
      members["e2ee"] = .object([
        "sessions": .integer(sessions.count), "established": .integer(sessions.establishedCount),
      ])
    }
    if node.apps.count > 0 {
      members["app_documents"] = .object([
        "count": .integer(node.apps.count),
        "max_docs": .array(
          node.apps.documents.compactMap { $0 as? MaxDocument }.map {
            .array([.node($0.source), .wide($0.timestamp), .integer($0.value)])
          }),
      ])
    }
    return .object(members)
  }
}
