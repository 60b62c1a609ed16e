package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// What two runs differ in, in the formats of `diff --of`.
package struct RunDifferenceReport {
  private let difference: RunDifference
  private let left: String
  private let right: String

  /// Names the two runs.
  package init(_ difference: RunDifference, left: String, right: String) {
    self.difference = difference
    self.left = left
    self.right = right
  }

  /// One object for each figure that differs, then the summary.
  package func appendRecords(to text: inout OutputText) {
    for field in difference.fields {
      text.append("{\"schema\":")
      text.append(decimal: OutputText.schemaVersion)
      text.field("scope", field.part.rawValue)
      text.field("node", field.node)
      text.field("field", field.name)
      text.field("left", field.left)
      text.field("right", field.right)
      text.append("}\n")
    }
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(raw: ",\"scope\":\"summary\",\"differences\":\(difference.fields.count)")
    for (key, name) in [("left", left), ("right", right)] {
      text.append(raw: ",\"\(key)\":{\"name\":")
      text.append(jsonString: name)
      text.append("}")
    }
    text.append("}\n")
  }

  /// A header and a row for each figure that differs.
  package func appendCSV(to text: inout OutputText) {
    text.append("scope,node,field,left,right\n")
    for field in difference.fields {
      text.append(csvRow: [
        field.part.rawValue, field.node.map { "0x\($0)" } ?? "", field.name, field.left ?? "",
        field.right ?? "",
      ])
    }
  }

  /// The figures under the heading of their part.
  package func appendText(
    style: TextStyle, callsign: (NodeID) -> String?, to text: inout OutputText
  ) {
    func line(_ content: String, _ text: inout OutputText) {
      text.append(raw: content)
      text.append("\n")
    }
    let names = [left, right].map { $0.replacingUnsafeCharacters() }
    guard !difference.fields.isEmpty else {
      line("no differences between \(names[0]) and \(names[1])", &text)
      return
    }
    line(style.paint("--- \(names[0])", .bad), &text)
    line(style.paint("+++ \(names[1])", .good), &text)
    var part: RunDifference.Part?
    for field in difference.fields {
      if field.part != part {
        part = field.part
        line(style.paint(field.part.rawValue, .bold), &text)
      }
      var name = field.name
      if let node = field.node {
        name =
          (callsign(node).map { "\($0.replacingUnsafeCharacters()) (\(node))" } ?? "\(node)")
          + ": \(name)"
      }
      let content =
        "  " + name.padded(to: 44) + " \(field.left ?? "-") -> \(field.right ?? "-")"
      line(content.cut(to: style.columns), &text)
    }
  }
}
