package import PeatProtocol
package import WireBytes

/// What captures tell of a mesh, as a value that can be merged with what others tell (cli.md,
/// "Mergeable states").
///
/// Merging is associative, commutative and idempotent, and an empty snapshot changes nothing, so
/// that captures may be taken in any order, in groups, and twice. Counters are maxima; emergencies
/// are kept by time and source with their acks united; of what a node said last, the later counts,
/// of equal times the higher version, then the bytes. Only beyond the limits, which `isCut` tells,
/// does the order matter.
package struct Snapshot: Equatable, Sendable {
  /// Most nodes, emergencies, and acks and counters of nodes' documents that are kept.
  package static let maximumNodes = 1 << 20
  package static let maximumEmergencies = 1 << 16
  package static let maximumEntries = 1 << 22

  /// What tells one emergency from another, in the order in which they are shown.
  package struct Identity: Hashable, Comparable, Sendable {
    package var time: UInt64
    package var source: NodeID

    /// Makes an identity from its parts.
    package init(time: UInt64, source: NodeID) {
      self.time = time
      self.source = source
    }

    package static func < (left: Identity, right: Identity) -> Bool {
      (left.time, left.source) < (right.time, right.source)
    }
  }

  /// The last of several values of one node.
  package struct Register: Equatable, Sendable {
    /// Nanoseconds since 1970.
    package var time: Int64
    package var version: UInt32
    /// The value as the reference writes it, which decides where time and version are equal.
    package var bytes: [UInt8]

    /// Makes a register from its parts.
    package init(time: Int64, version: UInt32, bytes: [UInt8]) {
      self.time = time
      self.version = version
      self.bytes = bytes
    }

    mutating func join(_ other: Register) {
      if (time, version) != (other.time, other.version) {
        if (time, version) < (other.time, other.version) { self = other }
      } else if bytes.lexicographicallyPrecedes(other.bytes) {
        self = other
      }
    }
  }

  /// What one node told of itself.
  package struct Node: Equatable, Sendable {
    /// The highest version of its documents.
    package var version: UInt32
    /// Its last document without peripheral and chat.
    package var document: Register
    /// The last peripheral that it gave, as the sender meant it.
    package var peripheral: Register?

    /// Makes a node from its parts.
    package init(version: UInt32, document: Register, peripheral: Register?) {
      self.version = version
      self.document = document
      self.peripheral = peripheral
    }

    mutating func join(_ other: Node) {
      version = max(version, other.version)
      document.join(other.document)
      if let theirs = other.peripheral {
        if peripheral == nil { peripheral = theirs } else { peripheral?.join(theirs) }
      }
    }
  }

  /// Each node's count.
  package private(set) var counts: [NodeID: UInt64] = [:]
  /// Every emergency: who is to acknowledge, and whether they have.
  package private(set) var emergencies: [Identity: [NodeID: Bool]] = [:]
  package private(set) var nodes: [NodeID: Node] = [:]
  /// The last packet, nanoseconds since 1970.
  package private(set) var last: Int64?
  /// Whether something was left out because a limit was reached.
  package private(set) var isCut = false
  private var acks = 0

  /// Makes a snapshot that changes nothing it is merged with.
  package init() {}

  /// Two snapshots are equal where they tell the same.
  package static func == (left: Snapshot, right: Snapshot) -> Bool {
    left.counts == right.counts && left.emergencies == right.emergencies
      && left.nodes == right.nodes && left.last == right.last && left.isCut == right.isCut
  }

  /// Takes a message in, where it is a document that the reference would take (protocol.md 2.9).
  ///
  /// The caller leaves out what was refused, cancelled or cut.
  package mutating func join(_ message: Message, at time: Timestamp) {
    guard let decoded = message.dispatchedDocument else { return }
    let document = decoded.document
    for entry in document.counter.entries { raise(entry.node, to: entry.count) }
    if let emergency = document.emergency { join(emergency) }
    let own = Document(
      version: document.version, node: document.node, counter: document.counter,
      emergency: document.emergency)
    join(
      Node(
        version: document.version,
        document: Register(
          time: time.nanoseconds, version: document.version, bytes: own.encoded()),
        peripheral: (decoded.kotlin ?? document.peripheral).map { peripheral in
          var writer = ByteWriter()
          peripheral.encode(into: &writer)
          return Register(
            time: time.nanoseconds, version: document.version, bytes: writer.bytes)
        }), of: document.node)
  }

  /// Takes all that another snapshot tells.
  package mutating func merge(_ other: Snapshot) {
    for (node, count) in other.counts { raise(node, to: count) }
    for (identity, acks) in other.emergencies { join(identity, acks) }
    for (node, state) in other.nodes { join(state, of: node) }
    if let time = other.last { reach(time) }
    if other.isCut { isCut = true }
  }

  /// Raises a node's count.
  package mutating func raise(_ node: NodeID, to count: UInt64) {
    if let known = counts[node] {
      if count > known { counts[node] = count }
    } else if counts.count < Snapshot.maximumNodes {
      counts[node] = count
    } else {
      isCut = true
    }
  }

  /// Takes an emergency in.
  package mutating func join(_ event: EmergencyEvent) {
    join(
      Identity(time: event.time, source: event.source),
      event.acks.lazy.map { ($0.node, $0.isAcked) })
  }

  /// Takes what a node told in.
  package mutating func join(_ state: Node, of node: NodeID) {
    if nodes[node] == nil {
      guard nodes.count < Snapshot.maximumNodes else {
        isCut = true
        return
      }
      nodes[node] = state
    } else {
      nodes[node]?.join(state)
    }
  }

  /// Notes that packets were recorded until a moment.
  package mutating func reach(_ time: Int64) { last = max(last ?? time, time) }

  /// Notes that something was left out.
  package mutating func noteCut() { isCut = true }

  private mutating func join(
    _ identity: Identity, _ given: some Sequence<(NodeID, Bool)>
  ) {
    if emergencies[identity] == nil {
      guard emergencies.count < Snapshot.maximumEmergencies else {
        isCut = true
        return
      }
      emergencies[identity] = [:]
    }
    for (node, isAcked) in given {
      let known = emergencies[identity]?[node]
      if known == nil {
        guard acks < Snapshot.maximumEntries else {
          isCut = true
          continue
        }
        acks += 1
      }
      if known != true { emergencies[identity]?[node] = isAcked }
    }
  }

  private mutating func join(_ identity: Identity, _ acks: [NodeID: Bool]) {
    join(identity, acks.lazy.map { ($0.key, $0.value) })
  }
}

extension Snapshot {
  /// The emergency that is shown: of the latest, that of the lowest source.
  package var shown: EmergencyEvent? {
    guard let latest = emergencies.keys.map(\.time).max(),
      let identity = emergencies.keys.filter({ $0.time == latest }).min()
    else { return nil }
    return event(identity)
  }

  /// Emergencies of the time of the one that is shown, which a node that met them first would show
  /// instead (protocol.md 4.3).
  package var rivals: [EmergencyEvent] {
    guard let shown else { return [] }
    return emergencies.keys.filter { $0.time == shown.time && $0.source != shown.source }.sorted()
      .compactMap { event($0) }
  }

  /// An emergency with its acks.
  package func event(_ identity: Identity) -> EmergencyEvent? {
    emergencies[identity].map { acks in
      EmergencyEvent(
        source: identity.source, time: identity.time,
        acks: acks.map { EmergencyEvent.Ack(node: $0.key, isAcked: $0.value) })
    }
  }
}
