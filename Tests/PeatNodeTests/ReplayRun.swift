import PeatNode
import PeatProtocol
import PeatSecurity
import PeatTestSupport
import WireBytes

/// One mesh node and the steps of a vector line that are done to it.
struct ReplayRun {
  /// What the reference's wall clock showed, where it reads that: later than every time of the
  /// vectors (2100-01-01).
  static let wallClock: UInt64 = 4_102_444_800_000

  private(set) var node: MeshNode
  private let cipher: MeshCipher?
  private var state = StateDescription()

  init(_ configuration: JSON) throws {
    var values = MeshConfiguration(
      node: try configuration.node("node_id"), meshID: try configuration.text("mesh_id"),
      callsign: Callsign(padding: Array(try configuration.text("callsign").utf8)),
      peripheralType: PeripheralType(rawValue: try configuration.uint8("peripheral_type")))
    values.encryptionSecret = try ReplayRun.secret(configuration, "encryption_secret")
    values.isStrict = try configuration.flag("strict_encryption")
    values.peerSecret = try ReplayRun.secret(configuration, "e2ee_secret")
    values.relays = try configuration.flag("relay")
    values.maximumHops = try configuration.uint8("max_relay_hops")
    values.maximumPeers = Int(clamping: try configuration.uint64("max_peers"))
    values.peerTimeout = try configuration.uint64("peer_timeout_ms")
    values.syncInterval = try configuration.uint64("sync_interval_ms")
    values.seenLifetime = try configuration.uint64("seen_cache_ttl_ms")
    var registry = AppRegistry()
    if try configuration.flag("register_test_app_type") { _ = registry.register(MaxDocument.self) }
    node = MeshNode(values, apps: registry, counterRule: .beforeAuthentication)
    cipher = values.encryptionSecret.map { MeshCipher(meshID: values.meshID, secret: $0) }
  }

  private static func secret(_ value: JSON, _ name: String) throws -> SecretKey? {
    if value[name].isNull { return nil }
    guard let key = SecretKey(try value.bytes(name)) else { throw MissingValue(what: name) }
    return key
  }

  /// Does a step; gives what it returned, the events it raised and the state that it left.
  mutating func perform(_ step: JSON) throws -> [String: JSON] {
    let result = try call(step)
    let events = node.takeEvents().map { JSON($0) }
    return ["return": .object(result), "events": .array(events), "state": state.describe(node)]
  }

  private mutating func call(_ step: JSON) throws -> [String: JSON] {
    let op = try step.text("op")
    if let result = try connect(op, step) { return result }
    if let result = try exchange(op, step) { return result }
    if let result = try change(op, step) { return result }
    if let result = try track(op, step) { return result }
    throw MissingValue(what: "step \(op)")
  }

  /// Peers and their links.
  private mutating func connect(_ op: String, _ step: JSON) throws -> [String: JSON]? {
    switch op {
    case "discovered":
      let peer = node.discovered(
        identifier: try step.text("identifier"), name: step["name"].string,
        rssi: Int8(clamping: step["rssi"].int ?? 0), meshID: step["mesh_id"].string,
        now: try step.uint64("now_ms"))
      return ["peer": .optional(peer) { JSON($0) }]
    case "connected":
      let id = node.connected(
        identifier: try step.text("identifier"), now: try step.uint64("now_ms"))
      return ["node_id": .optional(id) { .node($0) }]
    case "incoming":
      let isNew = node.incoming(
        identifier: try step.text("identifier"), node: try step.node("node_id"),
        now: try step.uint64("now_ms"))
      return ["is_new": .bool(isNew)]
    case "disconnected":
      let id = node.disconnected(
        identifier: try step.text("identifier"),
        reason: DisconnectReason(rawValue: try step.text("reason")), now: ReplayRun.wallClock)
      return ["node_id": .optional(id) { .node($0) }]
    case "disconnected_node":
      node.disconnected(
        node: try step.node("node_id"),
        reason: DisconnectReason(rawValue: try step.text("reason")), now: ReplayRun.wallClock)
      return [:]
    case "peers_needing_sync":
      return [
        "nodes": .array(node.peersNeedingSync(now: try step.uint64("now_ms")).map { .node($0) })
      ]
    case "connected_identifiers":
      return ["identifiers": .array(node.peers.connected.map { .string($0.identifier) })]
    case "matches_mesh": return ["matches": .bool(node.matches(mesh: step["mesh_id"].string))]
    case "device_name": return ["name": .string(node.deviceName)]
    default: return nil
    }
  }

  /// Frames in and out.
  private mutating func exchange(_ op: String, _ step: JSON) throws -> [String: JSON]? {
    switch op {
    case "receive":
      let report = try receive(step)
      state.note(report)
      return ["result": .optional(report) { JSON($0) }]
    case "tick": return ["broadcast": data(node.tick(now: try step.uint64("now_ms")))]
    case "tick_deltas":
      let frames = node.tickPerPeer(now: try step.uint64("now_ms"))
      return [
        "broadcasts": .array(
          frames.map { .object(["node": .node($0.node), "data": data($0.frame)]) })
      ]
    case "build_document": return ["data": data(node.documentFrame())]
    case "decrypt_only":
      let plaintext = node.decrypted(try step.bytes("hex"), source: nil)
      return ["plaintext": .optional(plaintext) { .hex($0) }]
    case "wrap_relay":
      let envelope = node.wrapped(try step.bytes("hex"))
      return [
        "flags": .integer(
          (envelope.requiresAcknowledgement ? 1 : 0) | (envelope.isBroadcast ? 2 : 0)),
        "hop_count": .integer(envelope.hopCount), "max_hops": .integer(envelope.maximumHops),
        "origin_node": .node(envelope.origin), "payload": .hex(envelope.payload),
      ]
    case "process_relay":
      let decision = node.takeEnvelope(
        try step.bytes("hex"), from: try step.node("source_node"),
        now: try step.uint64("now_ms"))
      return ["decision": .optional(decision) { JSON($0) }]
    case "e2ee_initiate":
      let frame = node.initiateSession(
        with: try step.node("node_id"), now: try step.uint64("now_ms"))
      return ["frame": .optional(frame) { .hex($0) }]
    case "e2ee_key_exchange":
      let answer = node.receive(
        keyExchange: try step.bytes("hex"), now: try step.uint64("now_ms"))
      return ["response_built_internally": .optional(answer) { .hex($0) }]
    case "e2ee_close":
      node.closeSession(with: try step.node("node_id"))
      return [:]
    case "e2ee_state":
      let state = node.sessionState(with: try step.node("node_id"))
      return [
        "state": .optional(state) { .string($0.rawValue) },
        "has_session": .bool(state == .established),
      ]
    default: return nil
    }
  }

  private mutating func receive(_ step: JSON) throws -> ReceivedReport? {
    let frame = try step.bytes("hex")
    let now = try step.uint64("now_ms")
    switch try step.text("entry") {
    case "data_received":
      return node.receive(frame, fromKnown: try step.text("identifier"), now: now)
    case "data_from_node": return node.receive(frame, from: try step.node("node_id"), now: now)
    case "data_anonymous":
      return node.receive(frame, fromAnonymous: try step.text("identifier"), now: now)
    case "data": return node.receive(frame, fromAny: try step.text("identifier"), now: now)
    case let other: throw MissingValue(what: "entry \(other)")
    }
  }

  /// The node's own state.
  private mutating func change(_ op: String, _ step: JSON) throws -> [String: JSON]? {
    switch op {
    case "send_emergency":
      return ["data": data(node.sendEmergency(time: try step.uint64("timestamp")))]
    case "send_ack":
      return ["data": data(node.sendAcknowledgement(time: try step.uint64("timestamp")))]
    case "start_emergency":
      let peers = (step["peers"].array ?? []).compactMap { $0.uint32.map(NodeID.init(rawValue:)) }
      return [
        "data": data(node.startEmergency(peers: peers, time: try step.uint64("timestamp")))
      ]
    case "start_emergency_known":
      return ["data": data(node.startEmergency(time: try step.uint64("timestamp")))]
    case "ack_emergency":
      return ["data": data(node.acknowledgeEmergency(time: try step.uint64("timestamp")))]
    case "clear_emergency": node.clearEmergency()
    case "clear_event", "clear_peripheral_event": node.clearEvent()
    case "clear_location": node.setLocation(nil)
    case "update_health": node.setBattery(try step.uint8("battery"))
    case "update_activity":
      node.setActivity(Activity(rawValue: try step.uint8("activity")))
    case "update_health_full":
      node.setHealth(
        battery: try step.uint8("battery"),
        activity: Activity(rawValue: try step.uint8("activity")))
    case "update_heart_rate": node.setHeartRate(try step.uint8("heart_rate"))
    case "update_location": node.setLocation(step.location)
    case "update_callsign": node.setCallsign(try callsign(step))
    case "set_event":
      node.setEvent(step.eventType ?? .none, time: try step.uint64("timestamp"))
    case "update_state":
      node.update(
        StateUpdate(
          callsign: try callsign(step), battery: try step.uint8("battery"),
          heartRate: step["heart_rate"].uint8, location: step.location, event: step.eventType,
          time: try step.uint64("timestamp")))
    default: return nil
    }
    return [:]
  }

  /// Deltas, application documents and the messages that were seen.
  private mutating func track(_ op: String, _ step: JSON) throws -> [String: JSON]? {
    switch op {
    case "full_delta": return ["data": data(node.fullDelta(now: try step.uint64("now_ms")))]
    case "delta_for_peer":
      let peer = try step.node("node_id")
      let frame = node.delta(for: peer, now: try step.uint64("now_ms"))
      return [
        "data": data(frame),
        "peer_stats": .optional(node.deltas[peer]) {
          .array([.wide($0.sent), .wide($0.received), .integer($0.syncs)])
        },
      ]
    case "register_delta": node.trackDeltas(of: try step.node("node_id"))
    case "unregister_delta": node.untrackDeltas(of: try step.node("node_id"))
    case "reset_delta": node.resetDeltas(of: try step.node("node_id"))
    case "store_app":
      let document = MaxDocument(
        source: try step.node("node_id"), timestamp: try step.uint64("timestamp"),
        value: step["value"].uint32 ?? 0)
      return ["changed": .bool(node.store(document))]
    case "mark_seen":
      let isNew = node.markSeen(
        try step.messageID("id"), from: try step.node("node_id"), now: try step.uint64("now_ms"))
      return ["is_new": .bool(isNew)]
    case "has_seen": return ["seen": .bool(node.hasSeen(try step.messageID("id")))]
    case "canned_check":
      let isNew = node.isNewCanned(
        from: try step.node("node_id"), timestamp: try step.uint64("timestamp"))
      return ["is_new": .bool(isNew)]
    case "canned_mark":
      node.markCanned(
        from: try step.node("node_id"), timestamp: try step.uint64("timestamp"),
        now: ReplayRun.wallClock)
    default: return nil
    }
    return [:]
  }

  /// The reference cuts a callsign at 12 bytes, be it inside a character (protocol.md 2.3).
  private func callsign(_ step: JSON) throws -> Callsign {
    Callsign(padding: Array(try step.text("callsign").utf8))
  }

  /// A frame for sending as the vectors describe it: what it opens to where it is sealed.
  private func data(_ frame: [UInt8]?) -> JSON {
    guard let frame else { return .null }
    guard let cipher else {
      return .object(["encrypted": .bool(false), "plaintext": .hex(frame)])
    }
    let plaintext = (try? EncryptedFrame(frame)).flatMap { cipher.open($0) }
    return .object([
      "encrypted": .bool(plaintext != nil), "plaintext": .optional(plaintext) { .hex($0) },
    ])
  }
}
