import BluetoothMesh
import BluetoothProtocols
import MeshDissection
import MeshSecurity
import PeatDissection
package import PeatTimeline
package import WireBytes

/// Messages of a mesh as NDJSON records (docs/mesh.md, "Records").
extension OutputText {
  /// Appends one record and its line end.
  package mutating func append(mesh row: MeshRow) {
    let value = row.carried.value
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    field("file", row.carried.file)
    field("frame", value.frame)
    field("time", value.time)
    if let elapsed = row.carried.elapsed {
      append(",\"elapsed\":")
      append(seconds: elapsed, decimals: value.time?.isNanosecondPrecise == true ? 9 : 6)
    }
    if row.seenIn.count > 1 {
      field("seen_in", list: row.seenIn) { sighting, text in
        text.append("{\"file\":")
        text.append(jsonString: sighting.place.file)
        text.field("frame", sighting.place.frame)
        text.field("time", sighting.place.time)
        text.field("adapter", sighting.place.adapter)
        text.field("ttl", sighting.ttl)
        text.append("}")
      }
    }
    if value.opcode == .advertisement {
      append(advertiser: value.link)
    } else {
      append(link: value.link)
    }
    field("direction", value.direction.rawValue)
    if value.isDirectionGuessed { append(",\"direction_guessed\":true") }
    if value.opcode == .advertisement {
      append(",\"att\":{\"opcode\":\"advertisement\",\"frames\":[")
      append(decimal: value.frame)
      append("]}")
    } else {
      var whole = value
      whole.frames = row.message.place.frames
      append(att: whole)
    }
    field("bytes", row.message.bytes.count)
    append(",\"payload\":")
    append(jsonHex: row.message.bytes)
    field("kind", "mesh")
    append(",\"mesh\":{")
    append(mesh: row.message)
    append("}")
    append(findings: row.findings)
    append("}\n")
  }

  private mutating func append(mesh message: MeshMessage) {
    append("\"layer\":\"")
    append(raw: message.layer.rawValue)
    append("\"")
    field("carrier", message.channel.name)
    field("net_key", message.netKey?.description)
    field("app_key", message.appKey?.description)
    field("mesh", message.meshName)
    field("iv_index", message.ivIndex)
    field("ttl", message.ttl)
    field("seq", message.sequence)
    field("src", message.source?.description)
    field("dst", message.destination?.description)
    field("src_name", message.sourceName)
    field("dst_name", message.destinationName)
    field("opcode", message.opcode)
    field("name", message.name)
    field("parameters", message.parameters)
    if !message.fields.isEmpty {
      append(",\"fields\":{")
      for (index, entry) in message.fields.enumerated() {
        if index > 0 { append(",") }
        append(jsonString: entry.name)
        append(":")
        append(mesh: entry.value)
      }
      append("}")
    }
    if let segments = message.segments {
      append(",\"segments\":{\"index\":")
      append(decimal: segments.index)
      field("last", segments.last)
      field("seq_auth", segments.sequence)
      field("received", list: segments.received) { $1.append(decimal: $0) }
      append("}")
    }
    field("transaction", message.transaction)
    field("unopened", message.unopened)
    field("malformed", message.malformed)
  }

  mutating func append(mesh value: MeshValue) {
    switch value {
    case .number(let number): append(decimal: number)
    case .text(let text): append(jsonString: text)
    case .flag(let flag): append(json: flag)
    case .list(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        append(mesh: value)
      }
      append("]")
    }
  }

  /// Appends one row of the timeline's CSV: `node` is the sender, `parent` the receiver, `event`
  /// the message's name.
  package mutating func append(csvMesh row: MeshRow) {
    let columns = OutputText.columns
    var cells = Array(repeating: "", count: columns.count)
    func set(_ name: String, _ value: String?) {
      if let place = columns.firstIndex(of: name) { cells[place] = value ?? "" }
    }
    let message = row.message
    setCarriage(of: row.carried, set)
    set("kind", "mesh")
    set("node", message.source.map { "0x\($0)" })
    set("version", message.sequence.map { "\($0)" })
    set("bytes", "\(message.bytes.count)")
    set("parent", message.destination.map { "0x\($0)" })
    set("peripheral_type", message.layer.rawValue)
    set("callsign", message.sourceName)
    set("event", message.name ?? message.opcode ?? message.unopened)
    set("findings", row.findings.map(\.code.rawValue).joined(separator: ";"))
    if !message.bytes.isEmpty { set("payload", "0x" + Hexadecimal.string(message.bytes)) }
    append(csvRow: cells)
  }

  /// Sets the cells of how a message beside Peat's was carried.
  func setCarriage(of carried: CarriedValue, _ set: (String, String?) -> Void) {
    let value = carried.value
    set("file", carried.file)
    set("frame", "\(value.frame)")
    if let time = value.time { set("time", CellText.utc(time)) }
    if let elapsed = carried.elapsed {
      set(
        "elapsed",
        CellText.seconds(elapsed, decimals: value.time?.isNanosecondPrecise == true ? 9 : 6))
    }
    set("adapter", "\(value.link.adapter)")
    if value.opcode != .advertisement {
      set("connection", "\(value.link.connection)")
      set("handle", "\(value.handle)")
    }
    set("local", value.link.local?.description)
    set("peer", value.link.peer?.description)
    set("role", value.link.role?.rawValue)
    set("direction", value.direction.rawValue)
    set("opcode", value.opcode.rawValue)
    set("characteristic", value.characteristic?.description)
    set("resolved_by", value.resolution?.rawValue)
  }
}

/// Times as cells of a table.
enum CellText {
  static func utc(_ time: Timestamp) -> String {
    var text = OutputText(capacity: 32)
    text.append(utc: time)
    return String(decoding: text.slice, as: UTF8.self)
  }

  static func seconds(_ value: Int64, decimals: Int) -> String {
    var text = OutputText(capacity: 32)
    text.append(seconds: value, decimals: decimals)
    return String(decoding: text.slice, as: UTF8.self)
  }
}
