package import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// The difference of two states, in the formats of `diff`.
package struct DifferenceReport {
  /// What one side is: a moment, a node or a capture.
  package struct Side {
    package var name: String
    package var time: Timestamp?

    /// Names a side.
    package init(name: String, time: Timestamp?) {
      self.name = name
      self.time = time
    }
  }

  /// What a node is not known to know of what the right state's mesh holds.
  package struct Lack {
    package var node: NodeID
    package var updates: [String]

    /// Updates that are not named.
    package var more = 0

    /// Updates of one node that are named.
    package static let maximumUpdates = 256
    /// Counts that are compared for all nodes together.
    private static let maximumComparisons = 1 << 20

    /// What each node of a state lacks, ascending by node; of more nodes than can be compared,
    /// the first, and how many were not.
    package static func all(in state: MomentState) -> (lacks: [Lack], uncompared: Int) {
      let nodes = state.knowledge.keys.sorted()
      let room = max(64, maximumComparisons / max(1, state.mesh.counter.entries.count))
      let lacks = nodes.prefix(room).compactMap { node -> Lack? in
        var difference = StateDifference()
        difference.compareKnowledge(
          state.knowledge[node] ?? MeshState(), state.mesh, scope: .node(node))
        let lacking = difference.fields.filter { $0.lacking == .left }
        let updates = lacking.prefix(maximumUpdates).map { field in
          field.right.map { "\(field.name)=\($0)" } ?? field.name
        }
        return updates.isEmpty
          ? nil : Lack(node: node, updates: updates, more: lacking.count - updates.count)
      }
      return (lacks, max(0, nodes.count - room))
    }
  }

  private let difference: StateDifference
  private let left: Side
  private let right: Side
  private let lacks: [Lack]
  private let uncompared: Int

  /// Makes a report.
  package init(
    _ difference: StateDifference, left: Side, right: Side, lacks: [Lack], uncompared: Int = 0
  ) {
    self.uncompared = uncompared
    self.difference = difference
    self.left = left
    self.right = right
    self.lacks = lacks
  }

  /// One object for each field that differs, then what each node lacks, then the summary.
  package func appendRecords(to text: inout OutputText) {
    for field in difference.fields {
      text.append("{\"schema\":")
      text.append(decimal: OutputText.schemaVersion)
      switch field.scope {
      case .mesh: text.append(",\"scope\":\"mesh\"")
      case .node(let node): text.append(raw: ",\"scope\":\"node\",\"node\":\"\(node)\"")
      }
      text.append(raw: ",\"field\":\"\(field.name)\"")
      append(field.left, as: "left", to: &text)
      append(field.right, as: "right", to: &text)
      if let side = field.lacking { text.append(raw: ",\"lacking\":\"\(side.rawValue)\"") }
      text.append("}\n")
    }
    for lack in lacks {
      text.append("{\"schema\":")
      text.append(decimal: OutputText.schemaVersion)
      text.append(raw: ",\"scope\":\"lacks\",\"node\":\"\(lack.node)\",\"updates\":[")
      text.append(raw: lack.updates.map { "\"\($0)\"" }.joined(separator: ","))
      text.append("]")
      if lack.more > 0 { text.append(raw: ",\"more\":\(lack.more)") }
      text.append("}\n")
    }
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(raw: ",\"scope\":\"summary\",\"differences\":\(difference.fields.count)")
    append(left, as: "left", to: &text)
    append(right, as: "right", to: &text)
    if uncompared > 0 { text.append(raw: ",\"not_compared\":\(uncompared)") }
    text.append("}\n")
  }

  private func append(_ value: String?, as key: StaticString, to text: inout OutputText) {
    guard let value else { return }
    text.append(",\"")
    text.append(key)
    text.append("\":")
    text.append(jsonString: value)
  }

  private func append(_ side: Side, as key: StaticString, to text: inout OutputText) {
    text.append(",\"")
    text.append(key)
    text.append("\":{\"name\":")
    text.append(jsonString: side.name)
    if let time = side.time {
      text.append(",\"time\":\"")
      text.append(utc: time)
      text.append("\"")
    }
    text.append("}")
  }

  /// A header and a row for each field that differs.
  package func appendCSV(to text: inout OutputText) {
    text.append("scope,node,field,left,right,lacking\n")
    for field in difference.fields {
      switch field.scope {
      case .mesh: text.append("mesh,,")
      case .node(let node):
        text.append("node,")
        text.append(csvID: node)
        text.append(",")
      }
      text.append(csvField: field.name)
      text.append(",")
      for value in [field.left, field.right] {
        if field.name == "peripheral_id" && value != nil { text.append("0x") }
        text.append(csvField: value ?? "")
        text.append(",")
      }
      text.append(raw: "\(field.lacking?.rawValue ?? "")\n")
    }
  }

  /// The fields under the heading of whose they are, and what each node lacks.
  package func appendText(
    style: TextStyle, callsign: (NodeID) -> String?, to text: inout OutputText
  ) {
    func name(_ node: NodeID) -> String {
      guard let callsign = callsign(node), !callsign.isEmpty else { return "\(node)" }
      return "\(callsign.replacingUnsafeCharacters()) (\(node))"
    }
    guard !difference.fields.isEmpty else {
      line("no differences between \(left.name) and \(right.name)", to: &text)
      return
    }
    line(style.paint("--- \(left.name.replacingUnsafeCharacters())", .bad), to: &text)
    line(style.paint("+++ \(right.name.replacingUnsafeCharacters())", .good), to: &text)
    var scope: StateDifference.Scope?
    for field in difference.fields {
      if field.scope != scope {
        scope = field.scope
        switch field.scope {
        case .mesh: line(style.paint("mesh", .bold), to: &text)
        case .node(let node): line(style.paint(name(node), .bold), to: &text)
        }
      }
      let change = "\(field.left ?? "-") -> \(field.right ?? "-")".replacingUnsafeCharacters()
      var content = "  " + field.name.padded(to: 20) + " " + change
      if let side = field.lacking {
        content += "  (\((side == .left ? left : right).name) lacks it)".replacingUnsafeCharacters()
      }
      line(content.cut(to: style.columns), to: &text)
    }
    for lack in lacks {
      let content =
        "\(name(lack.node)) is not known to know \(lack.updates.joined(separator: ", "))"
      line(content.cut(to: style.columns), to: &text)
    }
    if uncompared > 0 {
      line("\(uncompared) more nodes: what they know was not compared", to: &text)
    }
  }

  private func line(_ content: String, to text: inout OutputText) {
    text.append(raw: content)
    text.append("\n")
  }
}
