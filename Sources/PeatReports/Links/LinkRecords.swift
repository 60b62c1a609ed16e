import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Connections as NDJSON and CSV (cli.md, `links`).
extension OutputText {
  /// Appends one connection as a record and its line end.
  package mutating func append(link entry: LinkEntry, callsign: (NodeID) -> String?) {
    let facts = entry.facts
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    append(",\"scope\":\"link\"")
    field("id", facts.link.id)
    field("file", entry.file)
    field("adapter", facts.link.adapter)
    field("connection", facts.link.connection)
    field("local", facts.link.local?.description)
    field("peer", facts.link.peer?.description)
    field("peer_type", facts.link.peerType?.name)
    field("identity", facts.identity?.description)
    field("role", facts.link.role?.rawValue)
    field("local_node", entry.localNode)
    field("peer_node", entry.peerNode)
    field("callsign", entry.peerNode.flatMap(callsign))
    let life = LinkLife(facts)
    append(life: life)
    field("frames", frames: [facts.firstFrame, facts.lastFrame])
    field("intervals", list: entry.lives) { life, text in
      text.append("{\"link\":")
      text.append(decimal: life.link)
      text.append(life: life)
      text.append("}")
    }
    field("mtu", facts.mtu ?? 23)
    if let phy = facts.phy {
      append(key: "phy")
      append(raw: "{\"sent\":\"\(LinkPHY.name(phy.sent))\",")
      append(raw: "\"received\":\"\(LinkPHY.name(phy.received))\"}")
    }
    if let pace = facts.pace {
      append(key: "parameters")
      append(pace: pace)
    }
    if let signal = facts.signal {
      append(key: "rssi")
      append(
        raw: "{\"last\":\(signal.last),\"min\":\(signal.weakest),\"max\":\(signal.strongest)}")
    }
    field("encrypted", facts.isEncrypted)
    append(services: facts)
    field("handles", list: facts.handles) { $1.append(handle: $0) }
    field("unnamed", list: entry.unnamed.map(\.handle)) { $1.append(decimal: $0) }
    append("}\n")
  }

  /// Appends interval and timeout in milliseconds.
  mutating func append(pace: ConnectionPace) {
    append("{\"interval_ms\":")
    append(raw: LinkText.milliseconds(pace))
    append(raw: ",\"latency\":\(pace.latency),\"timeout_ms\":\(Int(pace.timeout) * 10)}")
  }

  private mutating func append(life: LinkLife) {
    field("up", life.up)
    field("down", life.down)
    field("reason", life.end?.name)
    field("ended_by", life.end?.endedBy?.rawValue)
  }

  private mutating func append(services facts: LinkFacts) {
    var services: [(uuid: BluetoothUUID?, isLocal: Bool, members: [KnownCharacteristic])] = []
    for known in facts.characteristics {
      if let last = services.last, last.uuid == known.service, last.isLocal == known.isLocalServer {
        services[services.count - 1].members.append(known)
      } else {
        services.append((known.service, known.isLocalServer, [known]))
      }
    }
    field("services", list: services) { service, text in
      text.append(raw: "{\"server\":\"\(service.isLocal ? "local" : "peer")\"")
      text.field("uuid", service.uuid?.description)
      text.field("name", service.uuid.flatMap { LinkNames.name(of: $0) })
      text.field("characteristics", list: service.members) { known, text in
        text.append("{\"handle\":")
        text.append(decimal: known.handle)
        text.field("uuid", known.uuid.description)
        text.field("name", LinkNames.name(of: known.uuid, in: known.service))
        text.append("}")
      }
      text.append("}")
    }
  }

  private mutating func append(handle use: HandleUse) {
    append("{\"handle\":")
    append(decimal: use.handle)
    field("server", use.isLocalServer ? "local" : "peer")
    field("uuid", use.uuid?.description)
    field("name", LinkNames.name(of: use))
    append(key: "sent")
    append(traffic: use.sent)
    append(key: "received")
    append(traffic: use.received)
    append("}")
  }

  private mutating func append(traffic: HandleUse.Traffic) {
    append(raw: "{\"writes\":\(traffic.writes),\"notifications\":\(traffic.notifications),")
    append(raw: "\"reads\":\(traffic.reads),\"bytes\":\(traffic.bytes)}")
  }

  /// Appends the header row of the connections' CSV.
  package mutating func appendLinkCSVHeader() {
    append("id,file,adapter,connection,local,peer,peer_type,identity,role,local_node,peer_node,")
    append("callsign,up,down,reason,ended_by,mtu,phy_sent,phy_received,interval_ms,latency,")
    append("timeout_ms,rssi,encrypted,handle,server,uuid,name,sent_writes,sent_notifications,")
    append("sent_reads,sent_bytes,received_writes,received_notifications,received_reads,")
    append("received_bytes\n")
  }

  /// Appends one row for each handle that carried values, or one where none did.
  package mutating func append(csvLink entry: LinkEntry, callsign: (NodeID) -> String?) {
    let facts = entry.facts
    let life = LinkLife(facts)
    func csv(_ node: NodeID?) -> String { node.map { "0x\($0)" } ?? "" }
    func csv(_ time: Timestamp?) -> String {
      guard let time else { return "" }
      var text = OutputText(capacity: 32)
      text.append(utc: time)
      return String(decoding: text.slice, as: UTF8.self)
    }
    let link = facts.link
    var cells: [String] = ["\(link.id)", entry.file, "\(link.adapter)", "\(link.connection)"]
    cells.append(link.local?.description ?? "")
    cells.append(link.peer?.description ?? "")
    cells.append(link.peerType?.name ?? "")
    cells.append(facts.identity?.description ?? "")
    cells.append(link.role?.rawValue ?? "")
    cells.append(csv(entry.localNode))
    cells.append(csv(entry.peerNode))
    cells.append(entry.peerNode.flatMap(callsign) ?? "")
    cells.append(csv(life.up))
    cells.append(csv(life.down))
    cells.append(life.end?.name ?? "")
    cells.append(life.end?.endedBy?.rawValue ?? "")
    cells.append("\(facts.mtu ?? 23)")
    cells.append(facts.phy.map { LinkPHY.name($0.sent) } ?? "")
    cells.append(facts.phy.map { LinkPHY.name($0.received) } ?? "")
    cells.append(facts.pace.map { LinkText.milliseconds($0) } ?? "")
    cells.append(facts.pace.map { "\($0.latency)" } ?? "")
    cells.append(facts.pace.map { "\(Int($0.timeout) * 10)" } ?? "")
    cells.append(facts.signal.map { "\($0.last)" } ?? "")
    cells.append(facts.isEncrypted ? "true" : "false")
    let uses: [HandleUse?] = facts.handles.isEmpty ? [nil] : facts.handles
    for use in uses {
      var row = cells
      if let use {
        row += [
          "\(use.handle)", use.isLocalServer ? "local" : "peer", use.uuid?.description ?? "",
          LinkNames.name(of: use) ?? "",
        ]
        for traffic in [use.sent, use.received] {
          row += [traffic.writes, traffic.notifications, traffic.reads, traffic.bytes].map {
            "\($0)"
          }
        }
      } else {
        row += Array(repeating: "", count: 12)
      }
      append(csvRow: row)
    }
  }

  /// Appends fields with commas between, and a line end.
  mutating func append(csvRow row: [String]) {
    for (index, cell) in row.enumerated() {
      if index > 0 { append(",") }
      append(csvField: cell)
    }
    append("\n")
  }
}
