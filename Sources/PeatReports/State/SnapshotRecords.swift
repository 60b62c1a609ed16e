import PeatProtocol
package import PeatReplay
package import WireBytes

/// Snapshots as records, and back (cli.md, "Mergeable states").
///
/// One object a line, so that a snapshot of any size is read and written with little memory: first
/// `snapshot`, then one for each counter, emergency and node, ascending.
extension OutputText {
  /// Appends all lines of a snapshot.
  package mutating func append(snapshot: Snapshot) {
    append("{\"schema\":1,\"scope\":\"snapshot\"")
    field("last_ns", snapshot.last)
    field("cut", snapshot.isCut)
    append("}\n")
    for (node, count) in snapshot.counts.sorted(by: { $0.key < $1.key }) {
      append("{\"schema\":1,\"scope\":\"snapshot_counter\"")
      field("node", node)
      field("count", count)
      append("}\n")
    }
    for identity in snapshot.emergencies.keys.sorted() {
      guard let event = snapshot.event(identity) else { continue }
      append("{\"schema\":1,\"scope\":\"snapshot_emergency\"")
      append(key: "emergency")
      append(json: event)
      append("}\n")
    }
    for (node, state) in snapshot.nodes.sorted(by: { $0.key < $1.key }) {
      append("{\"schema\":1,\"scope\":\"snapshot_node\"")
      field("node", node)
      field("version", state.version)
      append(register: state.document, key: "document")
      if let peripheral = state.peripheral { append(register: peripheral, key: "peripheral") }
      append("}\n")
    }
  }

  private mutating func append(register: Snapshot.Register, key: StaticString) {
    append(key: key)
    append("{\"time_ns\":")
    append(decimal: register.time)
    append(",\"version\":")
    append(decimal: register.version)
    append(",\"payload\":")
    append(jsonHex: register.bytes)
    append("}")
  }

  /// Appends what a snapshot tells as the records of `state`: the mesh, then its nodes.
  package mutating func append(stateOf snapshot: Snapshot) {
    append("{\"schema\":1,\"scope\":\"mesh\"")
    field("time", snapshot.last.map(OutputText.stamp))
    append(key: "counter")
    let counter = GCounter(
      snapshot.counts.map { GCounter.Entry(node: $0.key, count: $0.value) })
    append(json: counter)
    field("total", counter.total)
    if let emergency = snapshot.shown {
      append(key: "emergency")
      append(json: emergency)
    }
    field("nodes", snapshot.nodes.count)
    append("}\n")
    for (node, state) in snapshot.nodes.sorted(by: { $0.key < $1.key }) {
      append(node: node, state, last: snapshot.last)
    }
  }

  private mutating func append(node: NodeID, _ state: Snapshot.Node, last: Int64?) {
    append("{\"schema\":1,\"scope\":\"node\"")
    field("node", node)
    field("version", state.version)
    let document = try? Document.decode(state.document.bytes).document
    let counter = document?.counter ?? GCounter()
    append(key: "counter")
    append(json: counter)
    field("total", counter.total)
    if let emergency = document?.emergency {
      append(key: "emergency")
      append(json: emergency)
    }
    if let bytes = state.peripheral?.bytes, let peripheral = Peripheral(decoding: bytes.rawBytes) {
      append(key: "peripheral")
      append(json: peripheral)
    }
    let heard = OutputText.stamp(state.document.time)
    field("last_heard", heard)
    if let last {
      append(key: "age")
      append(
        seconds: max(0, OutputText.stamp(last).nanoseconds(since: heard)),
        decimals: last % 1000 == 0 ? 6 : 9)
    }
    append("}\n")
  }

  private static func stamp(_ nanoseconds: Int64) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds, isNanosecondPrecise: nanoseconds % 1000 != 0)
  }
}

/// Why a line is no line of a snapshot.
package struct SnapshotFault: Error, Equatable {
  /// One clause.
  package var reason: String
}

extension Snapshot {
  /// Takes one line in; lines of other records are passed over.
  ///
  /// - Returns: whether it was a line of a snapshot.
  package mutating func read(line: RawSpan) throws(SnapshotFault) -> Bool {
    let node: JSONNode
    do throws(DecodeError) {
      var reader = JSONReader(line)
      node = try reader.document()
    } catch {
      throw SnapshotFault(reason: "is no JSON object at character \(error.offset)")
    }
    guard let scope = node["scope"]?.string, scope.hasPrefix("snapshot") else { return false }
    guard node["schema"]?.integer == 1 else { throw SnapshotFault(reason: "schema is not 1") }
    switch scope {
    case "snapshot":
      if let last = node["last_ns"] { reach(try Snapshot.integer(last)) }
      if node["cut"]?.bool == true { noteCut() }
    case "snapshot_counter":
      raise(try Snapshot.id(node["node"]), to: try Snapshot.count(node["count"]))
    case "snapshot_emergency":
      join(try Snapshot.emergency(node["emergency"]))
    case "snapshot_node":
      let document = try Snapshot.register(node["document"])
      let id = try Snapshot.id(node["node"])
      guard let read = try? Document.decode(document.bytes), read.document.node == id else {
        throw SnapshotFault(reason: "document is none of the node")
      }
      var peripheral: Register?
      if node["peripheral"] != nil {
        let found = try Snapshot.register(node["peripheral"])
        guard Peripheral(decoding: found.bytes.rawBytes) != nil else {
          throw SnapshotFault(reason: "peripheral cannot be read")
        }
        peripheral = found
      }
      let version = try Snapshot.integer(node["version"])
      guard let version = UInt32(exactly: version) else {
        throw SnapshotFault(reason: "version is out of its range")
      }
      join(Node(version: version, document: document, peripheral: peripheral), of: id)
    default: throw SnapshotFault(reason: "scope \(scope) is not known")
    }
    return true
  }

  private static func integer(_ node: JSONNode?) throws(SnapshotFault) -> Int64 {
    guard let number = node?.integer else { throw SnapshotFault(reason: "a number is missing") }
    return number
  }

  private static func count(_ node: JSONNode?) throws(SnapshotFault) -> UInt64 {
    switch node?.value {
    case .integer(let number) where number >= 0: return UInt64(number)
    case .number(let text):
      if let number = UInt64(text) { return number }
      throw SnapshotFault(reason: "a count is out of its range")
    default: throw SnapshotFault(reason: "a count is missing")
    }
  }

  private static func id(_ node: JSONNode?) throws(SnapshotFault) -> NodeID {
    guard let text = node?.string, let id = NodeID(text) else {
      throw SnapshotFault(reason: "a node id is missing")
    }
    return id
  }

  private static func ids(_ node: JSONNode?) throws(SnapshotFault) -> [NodeID] {
    var found: [NodeID] = []
    for element in node?.array ?? [] { found.append(try id(element)) }
    return found
  }

  private static func emergency(_ node: JSONNode?) throws(SnapshotFault) -> EmergencyEvent {
    let acks =
      try ids(node?["pending"]).map { EmergencyEvent.Ack(node: $0, isAcked: false) }
      + ids(node?["acked"]).map { EmergencyEvent.Ack(node: $0, isAcked: true) }
    return EmergencyEvent(
      source: try id(node?["source"]), time: try count(node?["time"]), acks: acks)
  }

  private static func register(_ node: JSONNode?) throws(SnapshotFault) -> Register {
    guard let version = UInt32(exactly: try integer(node?["version"])),
      let bytes = (node?["payload"]?.string).flatMap({ Hexadecimal.bytes($0) })
    else { throw SnapshotFault(reason: "a register is not whole") }
    return Register(time: try integer(node?["time_ns"]), version: version, bytes: bytes)
  }
}
