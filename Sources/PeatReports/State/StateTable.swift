import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// A mesh at one moment as tables for a person.
package struct StateTable: Sendable {
  private let view: MeshView
  private let style: TextStyle

  package init(_ view: MeshView, style: TextStyle) {
    self.view = view
    self.style = style
  }

  /// Appends the mesh, its nodes and its advertisers; `all` includes devices that are not of Peat.
  package func append(to text: inout OutputText, all: Bool) {
    append(heading, .bold, to: &text)
    appendEmergency(to: &text)
    append(nodeRows, hiding: ["PLATFORM", "LINKS", "ADDRESS", "ACTIVITY", "VERSION"], to: &text)
    append(advertiserRows(all: all), hiding: ["PEAT", "REPORTS", "TYPE", "MESH"], to: &text)
  }

  /// Appends the same as tables of Markdown.
  package func append(markdown text: inout OutputText, all: Bool) {
    text.append(raw: heading + "\n\n")
    MarkdownTable.append(nodeRows, to: &text)
    MarkdownTable.append(advertiserRows(all: all), to: &text)
  }

  private func append(_ line: String, _ paint: TextStyle.Paint, to text: inout OutputText) {
    for part in line.broken(to: style.columns) {
      text.append(raw: style.paint(part, paint))
      text.append("\n")
    }
  }

  private var heading: String {
    var text = OutputText(capacity: 120)
    if style.clock != .relative || view.elapsed == nil, let time = view.time {
      text.append(instant: time, style: style)
      text.append(", ")
    }
    if let elapsed = view.elapsed {
      text.append("+")
      text.append(seconds: elapsed, decimals: 3)
      text.append(" s, ")
    }
    text.append(raw: counted(view.state.nodes.count, "node"))
    text.append(", mesh total ")
    text.append(decimal: view.state.total)
    text.append(raw: ", \(counted(view.state.messages, "message"))")
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private func appendEmergency(to text: inout OutputText) {
    guard let emergency = view.state.emergency else { return }
    let waiting = emergency.pending.map(name)
    var line = "!!! EMERGENCY from \(name(emergency.source)), "
    line += "ACK \(emergency.acked.count) of \(emergency.acks.count)"
    line += waiting.isEmpty ? ", all acked" : ", waiting for \(waiting.joined(separator: ", "))"
    append(line, waiting.isEmpty ? .warning : .alarm, to: &text)
  }

  /// A node as people call it: its callsign in front of its id.
  private func name(_ node: NodeID) -> String {
    let callsign = view.state.nodes[node]?.peripheral?.callsign.text.replacingUnsafeCharacters()
    return callsign.map { $0.isEmpty ? "\(node)" : "\($0) (\(node))" } ?? "\(node)"
  }

  private var nodeRows: [[String]] {
    guard !view.state.nodes.isEmpty else { return [] }
    var rows = [
      [
        "NODE", "CALLSIGN", "COUNTER", "VERSION", "BATTERY", "ACTIVITY", "POSITION", "AGE",
        "ADDRESS", "PLATFORM", "LINKS",
      ]
    ]
    for node in view.state.nodes.keys.sorted() {
      guard let known = view.state.nodes[node] else { continue }
      let told = known.peripheral
      let sighting = view.sightings[node]
      rows.append([
        node.description, (told?.callsign.text ?? "").replacingUnsafeCharacters(),
        "\(view.state.count(of: node))", "\(known.newest.version)",
        told.map { $0.health.battery > 0 ? "\($0.health.battery)%" : "" } ?? "",
        told?.health.activity.name ?? "", told?.location?.shortText ?? "", age(known),
        sighting?.address?.description ?? "", sighting?.platform?.rawValue ?? "",
        (sighting?.links ?? []).map(String.init).joined(separator: ","),
      ])
    }
    for node in view.state.hearsay.prefix(64) {
      rows.append(
        [node.description, "(hearsay)", "\(view.state.count(of: node))"]
          + Array(repeating: "", count: rows[0].count - 3))
    }
    return rows
  }

  private func age(_ node: NodeState) -> String {
    guard let now = view.time, let age = view.state.age(of: node, at: now) else { return "" }
    var text = OutputText(capacity: 24)
    text.append(seconds: age, decimals: 1)
    text.append(" s")
    return String(decoding: text.slice, as: UTF8.self)
  }

  private func advertiserRows(all: Bool) -> [[String]] {
    let shown = view.advertisers.filter { all || $0.isPeat }
    guard !shown.isEmpty else { return [] }
    var rows = [["ADVERTISER", "TYPE", "NODE", "MESH", "NAME", "RSSI", "REPORTS", "PEAT"]]
    for reading in shown {
      let advertiser = reading.advertiser
      rows.append([
        advertiser.address.description, advertiser.addressType.name,
        reading.node?.description ?? "", (reading.mesh ?? "").replacingUnsafeCharacters(),
        (advertiser.name ?? "").replacingUnsafeCharacters(),
        advertiser.lastRSSI.map { "\($0) dBm" } ?? "", "\(advertiser.reports)",
        reading.isPeat ? "yes" : "no",
      ])
    }
    return rows
  }

  /// Appends rows whose cells stand below each other; columns without any content are left out,
  /// and those in `hiding`, in that order, as far as the width asks for it.
  private func append(_ rows: [[String]], hiding: [String], to text: inout OutputText) {
    guard let header = rows.first else { return }
    var shown = header.indices.filter { column in
      rows.dropFirst().contains { !$0[column].isEmpty }
    }
    let widths = header.indices.map { column in
      min(24, rows.map { $0[column].columns }.max() ?? 0)
    }
    var hidden: [String] = []
    for name in hiding
    where shown.reduce(-2, { $0 + widths[$1] + 2 }) > style.columns {
      guard let place = shown.firstIndex(where: { header[$0] == name }) else { continue }
      shown.remove(at: place)
      hidden.append(name.lowercased())
    }
    text.append("\n")
    for (index, row) in rows.enumerated() {
      let cells = shown.map { row[$0].cut(to: widths[$0]).padded(to: widths[$0]) }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      text.append(raw: index == 0 ? style.paint(line, .faint) : line)
      text.append("\n")
    }
    if !hidden.isEmpty {
      append("no room for: \(hidden.joined(separator: ", ")) (-f csv has all)", .faint, to: &text)
    }
  }
}
