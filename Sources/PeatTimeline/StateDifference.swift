package import PeatProtocol
package import PeatReplay

/// Two states compared: the fields that differ, and who lacks what.
package struct StateDifference: Sendable {
  /// Whose field it is.
  package enum Scope: Sendable, Equatable {
    case mesh
    case node(NodeID)
  }

  /// Which side lacks what the other has.
  package enum Side: String, Sendable {
    case left, right
  }

  /// One field that differs; nil on a side that has no such field.
  package struct Field: Sendable, Equatable {
    package var scope: Scope
    package var name: String
    package var left: String?
    package var right: String?
    /// The side that lacks the news which the other has.
    package var lacking: Side?
  }

  package private(set) var fields: [Field] = []

  package init() {}

  /// Compares what two sides know: counters, emergency and acks (protocol.md 4).
  package mutating func compareKnowledge(
    _ left: MeshState, _ right: MeshState, scope: Scope
  ) {
    var counts: [NodeID: (left: UInt64?, right: UInt64?)] = [:]
    for entry in left.counter.entries { counts[entry.node, default: (nil, nil)].left = entry.count }
    for entry in right.counter.entries {
      counts[entry.node, default: (nil, nil)].right = entry.count
    }
    for node in counts.keys.sorted() {
      guard let pair = counts[node], pair.left != pair.right else { continue }
      let isLeftLess =
        (pair.left ?? 0, pair.left == nil ? 0 : 1) < (pair.right ?? 0, pair.right == nil ? 0 : 1)
      add(
        scope, "counter:\(node)", pair.left.map { "\($0)" }, pair.right.map { "\($0)" },
        lacking: isLeftLess ? .left : .right)
    }
    add(scope, "total", "\(left.total)", "\(right.total)")
    compareEmergencies(left.emergency, right.emergency, scope)
  }

  private mutating func compareEmergencies(
    _ left: EmergencyEvent?, _ right: EmergencyEvent?, _ scope: Scope
  ) {
    let names = (left.map { "\($0.source)@\($0.time)" }, right.map { "\($0.source)@\($0.time)" })
    guard names.0 == names.1 else {
      // The later emergency replaces the earlier one (protocol.md 4.3).
      let lacking: Side? =
        switch (left?.time, right?.time) {
        case (nil, _?): .left
        case (_?, nil): .right
        case (let one?, let other?): one == other ? nil : one < other ? .left : .right
        case (nil, nil): nil
        }
      add(scope, "emergency", names.0, names.1, lacking: lacking)
      return
    }
    let one = Set(left?.acked ?? [])
    let other = Set(right?.acked ?? [])
    for node in one.symmetricDifference(other).sorted() {
      let isLeft = one.contains(node)
      add(
        scope, "ack:\(node)", isLeft ? "true" : "false", isLeft ? "false" : "true",
        lacking: isLeft ? .right : .left)
    }
  }

  /// Compares what nodes tell of themselves.
  package mutating func compareNodes(_ left: MeshState, _ right: MeshState) {
    for node in Set(left.nodes.keys).union(right.nodes.keys).sorted() {
      compare(left.nodes[node], right.nodes[node], scope: .node(node))
    }
  }

  private mutating func compare(_ left: NodeState?, _ right: NodeState?, scope: Scope) {
    let one = StateDifference.told(left)
    let other = StateDifference.told(right)
    for (name, value) in one { add(scope, name, value, other.first { $0.name == name }?.value) }
    for (name, value) in other where !one.contains(where: { $0.name == name }) {
      add(scope, name, nil, value)
    }
  }

  /// What a node last told of itself, in the words of the records.
  private static func told(_ state: NodeState?) -> [(name: String, value: String)] {
    guard let state else { return [] }
    var fields: [(name: String, value: String)] = [("version", "\(state.newest.version)")]
    guard let peripheral = state.peripheral else { return fields }
    fields += [
      ("peripheral_id", "\(peripheral.id)"), ("peripheral_type", peripheral.type.name),
      ("callsign", peripheral.callsign.text), ("battery", "\(peripheral.health.battery)"),
      ("activity", peripheral.health.activity.name),
      ("alerts", peripheral.health.alerts.names.joined(separator: ";")),
      ("heart_rate", "\(peripheral.health.heartRate)"),
    ]
    if let event = peripheral.event {
      fields.append(("event", "\(event.type.name)@\(event.time)"))
    }
    if let location = peripheral.location {
      fields += [
        ("latitude", "\(location.latitude)"), ("longitude", "\(location.longitude)"),
      ]
      if let altitude = location.altitude { fields.append(("altitude", "\(altitude)")) }
      if let accuracy = location.accuracy { fields.append(("accuracy", "\(accuracy)")) }
    }
    return fields
  }

  private mutating func add(
    _ scope: Scope, _ name: String, _ left: String?, _ right: String?, lacking: Side? = nil
  ) {
    guard left != right else { return }
    fields.append(
      Field(scope: scope, name: name, left: left, right: right, lacking: lacking))
  }
}

extension StateDifference {
  /// What changed from one moment to another: the mesh, and each node.
  package init(from left: MomentState, to right: MomentState) {
    compareKnowledge(left.mesh, right.mesh, scope: .mesh)
    compareNodes(left.mesh, right.mesh)
  }

  /// What two nodes know otherwise, by what each has sent.
  package init(between left: NodeID, and right: NodeID, in state: MomentState) {
    compareKnowledge(
      state.knowledge[left] ?? MeshState(), state.knowledge[right] ?? MeshState(), scope: .mesh)
  }
}
