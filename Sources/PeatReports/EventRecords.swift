import BluetoothProtocols
import PeatDissection
import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Event rows as NDJSON and CSV (cli.md, event rows).
extension OutputText {
  /// Appends one event as a record and its line end.
  package mutating func append(event row: TimelineEvent) {
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    field("file", row.file)
    field("frame", row.event.frame)
    field("time", row.event.time)
    if let elapsed = row.elapsed {
      append(",\"elapsed\":")
      append(
        seconds: elapsed, decimals: row.event.time?.isNanosecondPrecise == true ? 9 : 6)
    }
    if let link = row.event.link { append(link: link) }
    field("kind", "event")
    field("event", row.event.name)
    switch row.event.kind {
    case .connected(let pace):
      if let pace {
        append(key: "parameters")
        append(pace: pace)
      }
    case .parameters(let pace):
      append(key: "parameters")
      append(pace: pace)
    case .disconnected(let end):
      field("reason", end.name)
      field("ended_by", end.endedBy?.rawValue)
    case .encrypted(let isOn): field("on", isOn)
    case .mtu(let mtu): field("mtu", mtu)
    case .phy(let phy):
      append(key: "phy")
      append(raw: "{\"sent\":\"\(LinkPHY.name(phy.sent))\",")
      append(raw: "\"received\":\"\(LinkPHY.name(phy.received))\"}")
    case .serviceChanged(let start, let end):
      field("start", start)
      field("end", end)
    case .lost(let packets): field("lost", packets)
    case .silent(let span):
      append(key: "silent")
      append(seconds: span, decimals: 3)
    case .clockStep(let step):
      append(key: "step")
      append(seconds: step, decimals: 6)
    }
    append("}\n")
  }

  /// Appends one event as a row of the timeline's CSV: `event` has its name, `findings` the rest.
  package mutating func append(csvEvent row: TimelineEvent) {
    let columns = OutputText.columns
    var cells = Array(repeating: "", count: columns.count)
    func set(_ name: String, _ value: String?) {
      if let place = columns.firstIndex(of: name) { cells[place] = value ?? "" }
    }
    let link = row.event.link
    set("file", row.file)
    set("frame", "\(row.event.frame)")
    if let time = row.event.time {
      var text = OutputText(capacity: 32)
      text.append(utc: time)
      set("time", String(decoding: text.slice, as: UTF8.self))
    }
    if let elapsed = row.elapsed {
      var text = OutputText(capacity: 32)
      text.append(
        seconds: elapsed, decimals: row.event.time?.isNanosecondPrecise == true ? 9 : 6)
      set("elapsed", String(decoding: text.slice, as: UTF8.self))
    }
    set("adapter", link.map { "\($0.adapter)" })
    set("connection", link.map { "\($0.connection)" })
    set("local", link?.local?.description)
    set("peer", link?.peer?.description)
    set("role", link?.role?.rawValue)
    set("kind", "event")
    set("event", row.event.name)
    set("findings", EventWords.text(row.event))
    append(csvRow: cells)
  }
}

/// What happened, in words.
enum EventWords {
  static func text(_ event: LinkEvent) -> String {
    switch event.kind {
    case .connected(let pace):
      return "up" + (pace.map { ", interval \(LinkText.milliseconds($0)) ms" } ?? "")
    case .disconnected(let end): return "down: \(LinkText.words(end))"
    case .encrypted(let isOn): return isOn ? "encrypted" : "no longer encrypted"
    case .mtu(let mtu): return "MTU \(mtu)"
    case .parameters(let pace):
      return "interval \(LinkText.milliseconds(pace)) ms, latency \(pace.latency), timeout "
        + "\(Int(pace.timeout) * 10) ms"
    case .phy(let phy):
      return "PHY \(LinkPHY.name(phy.sent)) out, \(LinkPHY.name(phy.received)) in"
    case .serviceChanged(let start, let end): return "services changed, handles \(start) to \(end)"
    case .lost(let packets):
      return "the recorder lost \(packets) packet\(packets == 1 ? "" : "s")"
    case .silent(let span): return "nothing for \(seconds(span)) s"
    case .clockStep(let step): return "the recorder's clock moved by \(seconds(step)) s"
    }
  }

  private static func seconds(_ span: Int64) -> String {
    var text = OutputText(capacity: 24)
    text.append(seconds: span, decimals: 3)
    return String(decoding: text.slice, as: UTF8.self)
  }
}
