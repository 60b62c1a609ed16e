package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Who told whom, as a graph for Graphviz's `dot`: the wider an edge, the more told something.
package struct ConvergenceGraph {
  private let report: ConvergenceReport
  private let callsign: (NodeID) -> String?

  package init(_ report: ConvergenceReport, callsign: @escaping (NodeID) -> String?) {
    self.report = report
    self.callsign = callsign
  }

  /// Appends the graph (the DOT language of Graphviz).
  package func append(to text: inout OutputText) {
    text.append("digraph convergence {\n  rankdir=LR;\n  node [shape=box];\n")
    var ends: [String: String] = [:]
    for node in report.nodes { ends["\(node.node)"] = label(node) }
    for link in report.links {
      for (node, end) in [(link.from, link.link.from), (link.to, link.link.to)] where node == nil {
        ends["\(end)"] = "\(end)"
      }
    }
    for (id, label) in ends.sorted(by: { $0.key < $1.key }) {
      text.append(raw: "  \(quoted(id)) [label=\(quoted(label))];\n")
    }
    let most = max(1, report.links.map(\.traffic.useful).max() ?? 1)
    for link in report.links {
      let from = link.from.map { "\($0)" } ?? "\(link.link.from)"
      let to = link.to.map { "\($0)" } ?? "\(link.link.to)"
      let traffic = link.traffic
      var label = "\(traffic.useful) of \(traffic.messages)"
      if let delay = link.delay, delay.worst > 0 { label += "\n\(SpanText.text(delay.median))" }
      // From 1 to 5 points.
      let tenths = 10 + 40 * traffic.useful / most
      text.append(
        raw: "  \(quoted(from)) -> \(quoted(to)) [label=\(quoted(label)), "
          + "penwidth=\(tenths / 10).\(tenths % 10)\(traffic.useful == 0 ? ", style=dashed" : "")];\n"
      )
    }
    text.append("}\n")
  }

  private func label(_ node: ConvergenceReport.NodeStory) -> String {
    var label =
      callsign(node.node).flatMap { $0.isEmpty ? nil : "\($0)\n\(node.node)" }
      ?? "\(node.node)"
    label += "\n\(node.updates) own, \(node.learnt) learnt, \(node.missed) missed"
    return label
  }

  /// A string of DOT; a line end becomes its escape, and no other escape is made of what is inside.
  private func quoted(_ content: String) -> String {
    var result = "\""
    for character in content.unicodeScalars {
      switch character {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result += OutputText.neutral(String(character))
      }
    }
    return result + "\""
  }
}
