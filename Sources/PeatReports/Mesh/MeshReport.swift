import BluetoothMesh
package import MeshDissection
import MeshSecurity
package import WireBytes

/// What captures tell of meshes as a whole: networks, nodes, proxies, provisionings, and what was
/// neither opened nor answered (docs/mesh.md, "The mesh command").
package struct MeshReport: Sendable {
  /// One fact: a line of text, an object, or a row of a table.
  struct Record: Sendable {
    /// What it is of.
    var kind: String
    /// For a person.
    var line: String
    var fields: [MeshField]
  }

  private static let titles = [
    "network": "Networks", "beacon": "IV index and key refresh, since when", "node": "Nodes",
    "relay": "Who relays", "proxy": "Proxies and their filters", "provisioning": "Provisioning",
    "unprovisioned": "Devices that wait for provisioning", "unopened": "Not opened",
    "unanswered": "Requests without an answer", "finding": "Findings",
  ]

  private let records: [Record]
  private let style: TextStyle
  private let hasMessages: Bool

  package init(
    _ overview: MeshOverview, _ names: MeshNames, findings: [String: Int], style: TextStyle
  ) {
    self.style = style
    hasMessages = !overview.layers.isEmpty
    let builder = MeshRecords(overview: overview, names: names)
    records =
      builder.all
      + findings.sorted { $0.key < $1.key }.map { code, count in
        Record(
          kind: "finding", line: "\(code) \(count)",
          fields: [
            MeshField("code", .text(code)), MeshField("count", .number(count)),
          ])
      }
  }

  /// For a person: what there is, under a title for each.
  package func appendText(to text: inout OutputText) {
    guard hasMessages else {
      text.append("no message of a Bluetooth mesh\n")
      return
    }
    var last = ""
    for record in records {
      if record.kind != last {
        if !last.isEmpty { text.append("\n") }
        text.append(raw: style.paint(MeshReport.titles[record.kind] ?? record.kind, .bold))
        text.append("\n")
        last = record.kind
      }
      for (index, part) in record.line.replacingUnsafeCharacters()
        .broken(to: style.columns - 4).enumerated()
      {
        text.append(raw: (index == 0 ? "  " : "    ") + part)
        text.append("\n")
      }
    }
  }

  /// One object a line.
  package func appendRecords(to text: inout OutputText) {
    for record in records {
      text.append("{\"schema\":")
      text.append(decimal: OutputText.schemaVersion)
      text.field("record", record.kind)
      for field in record.fields {
        text.append(",")
        text.append(jsonString: field.name)
        text.append(":")
        text.append(mesh: field.value)
      }
      text.append("}\n")
    }
  }

  /// A table whose columns are all fields that there are.
  package func appendCSV(to text: inout OutputText) {
    let columns = MeshRecords.columns
    text.append(csvRow: ["record"] + columns)
    for record in records {
      text.append(
        csvRow: [record.kind]
          + columns.map { column in
            record.fields.first { $0.name == column }?.value.words ?? ""
          })
    }
  }
}

/// Makes the records of an overview.
private struct MeshRecords {
  static let columns = [
    "mesh", "network", "name", "address", "file", "frame", "time", "iv_index", "iv_source",
    "iv_update", "key_refresh", "key", "pdus", "messages", "seq", "first", "last", "features",
    "relay", "proxy", "device", "ignored", "copies", "clients", "filter", "addresses", "sent",
    "received", "bearer", "uuid", "algorithm", "authentication", "outcome", "last_pdu", "reason",
    "transaction", "opcode", "request", "src", "dst", "times", "progress", "code", "count",
  ]

  let overview: MeshOverview
  let names: MeshNames

  var all: [MeshReport.Record] {
    networks + beacons + nodes + relays + proxies + provisionings + unprovisioned + unopened
      + unanswered
  }

  private typealias Record = MeshReport.Record

  private func time(_ place: MeshPlace) -> [MeshField] {
    var fields = [
      MeshField("file", .text(place.file)), MeshField("frame", .number(place.frame)),
    ]
    if let time = place.time { fields.append(MeshField("time", .text(CellText.utc(time)))) }
    return fields
  }

  private func when(_ place: MeshPlace) -> String {
    (place.time.map { CellText.utc($0) + ", " } ?? "") + "frame \(place.frame)"
  }

  private var networks: [Record] {
    overview.networks.sorted { $0.key < $1.key }.map { _, network in
      let keys = network.pdus.sorted { $0.key < $1.key }
      var fields: [MeshField] = []
      if let name = network.meshName { fields.append(MeshField("mesh", .text(name))) }
      fields.append(MeshField("network", .text(network.name)))
      var line = network.meshName.map { "\($0) " } ?? ""
      line += network.name
      if let index = network.ivIndex {
        fields += [
          MeshField("iv_index", .number(Int(index))),
          MeshField("iv_source", .text(network.isTold ? "told" : "searched")),
        ]
        line += ": IV index \(index) " + (network.isTold ? "(told)" : "(found by trying)")
      }
      if let state = network.beacons.last?.state {
        fields += [
          MeshField("iv_update", .flag(state.isUpdatingIV)),
          MeshField("key_refresh", .flag(state.isRefreshingKeys)),
        ]
        if state.isUpdatingIV { line += ", IV update in progress" }
        if state.isRefreshingKeys { line += ", key refresh: the new key is in use" }
      }
      fields.append(
        MeshField("pdus", .list(keys.map { .text("\($0.key)=\($0.value)") })))
      line += "; PDUs by key: " + keys.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      return Record(kind: "network", line: line, fields: fields)
    }
  }

  private var beacons: [Record] {
    overview.networks.sorted { $0.key < $1.key }.flatMap { _, network in
      network.beacons.map { beacon in
        Record(
          kind: "beacon",
          line: "\(when(beacon.place)): \(beacon.key) says IV index \(beacon.state.ivIndex)"
            + (beacon.state.isUpdatingIV ? ", update in progress" : "")
            + (beacon.state.isRefreshingKeys ? ", new key in use" : ""),
          fields: [MeshField("network", .text(network.name))] + time(beacon.place) + [
            MeshField("iv_index", .number(Int(beacon.state.ivIndex))),
            MeshField("iv_update", .flag(beacon.state.isUpdatingIV)),
            MeshField("key_refresh", .flag(beacon.state.isRefreshingKeys)),
            MeshField("key", .text(beacon.key)),
          ])
      }
    }
  }

  private var nodes: [Record] {
    overview.nodes.values.sorted { ($0.database, $0.address) < ($1.database, $1.address) }
      .map { node in
        var fields: [MeshField] = []
        if let mesh = names.mesh(node.database) { fields.append(MeshField("mesh", .text(mesh))) }
        if let name = node.name { fields.append(MeshField("name", .text(name))) }
        fields += [
          MeshField("address", .text("\(node.address)")),
          MeshField("messages", .number(node.messages)),
          MeshField("seq", .number(Int(node.sequence))),
          MeshField("iv_index", .number(Int(node.ivIndex))),
        ]
        var line = "\(node.address)" + (node.name.map { " \($0)" } ?? "")
        line += ": last SEQ \(node.sequence), IV index \(node.ivIndex), "
        line += "\(node.messages) PDUs, last at \(when(node.last))"
        if let first = node.first.time {
          fields.append(MeshField("first", .text(CellText.utc(first))))
        }
        if let last = node.last.time { fields.append(MeshField("last", .text(CellText.utc(last)))) }
        if let features = node.features {
          fields.append(MeshField("features", .text(features)))
          line += "; features: \(features)"
        }
        if let relay = node.relay {
          fields.append(MeshField("relay", .text(relay)))
          line += "; relay \(relay)"
        }
        if node.isProxy {
          fields.append(MeshField("proxy", .flag(true)))
          line += "; proxy"
        }
        if let ignored = node.ignored {
          fields.append(MeshField("ignored", .text(ignored)))
          line += "; ignored: \(ignored)"
        }
        return Record(kind: "node", line: line, fields: fields)
      }
  }

  private var relays: [Record] {
    overview.relays.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { device, count in
      let node = overview.node(at: device)
      var fields = [MeshField("device", .text(device)), MeshField("copies", .number(count))]
      var line = device
      if let node {
        fields.append(MeshField("address", .text("\(node.address)")))
        if let name = node.name { fields.append(MeshField("name", .text(name))) }
        line += " (\(node.name ?? "\(node.address)"))"
      }
      return Record(kind: "relay", line: "\(line): \(count) copies of others' PDUs", fields: fields)
    }
  }

  private func called(_ address: MeshAddress, _ database: Int) -> String {
    names.name(address, database).map { "\(address) (\($0))" } ?? "\(address)"
  }

  private var proxies: [Record] {
    overview.proxies.filter { $0.sent + $0.received > 0 }.map { link in
      let addresses = link.addresses.sorted().map { called($0, link.database) }
      let clients = link.clients.sorted()
      let own = clients.filter { !link.passes($0) }
      var fields = time(link.began)
      if let proxy = link.proxy { fields.append(MeshField("proxy", .text("\(proxy)"))) }
      fields += [
        MeshField("clients", .list(clients.map { .text("\($0)") })),
        MeshField("filter", .text(link.filter == .accept ? "accept" : "reject")),
        MeshField("addresses", .list(link.addresses.sorted().map { .text("\($0)") })),
        MeshField("sent", .number(link.sent)), MeshField("received", .number(link.received)),
      ]
      var line = "connection \(link.began.link) since \(when(link.began)): "
      line += link.proxy.map { "proxy \(called($0, link.database)), " } ?? "proxy not named, "
      line += "\(ProxyLink.words(link.filter)) of "
      line += addresses.isEmpty ? "nothing" : addresses.joined(separator: ", ")
      line += "; \(link.sent) messages to it, \(link.received) from it"
      for address in own {
        line += "; what is sent to \(called(address, link.database)) is kept back"
      }
      return Record(kind: "proxy", line: line, fields: fields)
    }
  }

  private var provisionings: [Record] {
    overview.provisionings.map { story in
      var fields = time(story.began) + [MeshField("bearer", .text(story.bearer))]
      var line = "\(when(story.began)), \(story.bearer)"
      if let uuid = story.uuid {
        fields.append(MeshField("uuid", .text(Hexadecimal.string(uuid))))
        line += ", device \(Hexadecimal.string(uuid))"
        if let node = names.node(uuid: uuid) {
          fields.append(MeshField("address", .text("\(node.address)")))
          line += " (\(node.name ?? "\(node.address)"))"
        }
      }
      if let address = story.address, story.uuid == nil {
        fields.append(MeshField("address", .text(address)))
      }
      if let algorithm = story.algorithm {
        fields.append(MeshField("algorithm", .text(algorithm)))
        line += ", \(algorithm)"
      }
      if let method = story.method {
        fields.append(MeshField("authentication", .text(method)))
        line += ", authentication \(method)"
      }
      let outcome: String =
        switch story.outcome {
        case .complete: "complete"
        case .failed(let reason): "failed: \(reason)"
        case .closed(let reason): "closed: \(reason)"
        case .open: "not ended in the capture"
        }
      fields.append(MeshField("outcome", .text(outcome)))
      if let last = story.lastPDU { fields.append(MeshField("last_pdu", .text(last))) }
      line += ": \(outcome)"
      if story.outcome != .complete, let last = story.lastPDU { line += ", last PDU \(last)" }
      return Record(kind: "provisioning", line: line, fields: fields)
    }
  }

  private var unprovisioned: [Record] {
    overview.unprovisioned.sorted { Hexadecimal.string($0.key) < Hexadecimal.string($1.key) }
      .map { uuid, count in
        let text = Hexadecimal.string(uuid)
        return Record(
          kind: "unprovisioned", line: "\(text), \(count) beacons",
          fields: [MeshField("uuid", .text(text)), MeshField("count", .number(count))])
      }
  }

  private var unopened: [Record] {
    overview.unopened.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
      Record(
        kind: "unopened", line: "\(count) PDUs: \(reason)",
        fields: [MeshField("reason", .text(reason)), MeshField("count", .number(count))])
    }
  }

  private var unanswered: [Record] {
    overview.unanswered.map { request in
      Record(
        kind: "unanswered",
        line: "\(when(request.place)): \(request.name) from \(request.source) to "
          + "\(request.destination): \(request.progress)",
        fields: time(request.place) + [
          MeshField("transaction", .number(request.transaction)),
          MeshField("opcode", .text(request.opcode)), MeshField("request", .text(request.name)),
          MeshField("src", .text(request.source)), MeshField("dst", .text(request.destination)),
          MeshField("times", .number(request.times)),
          MeshField("progress", .text(request.progress)),
        ])
    }
  }
}
