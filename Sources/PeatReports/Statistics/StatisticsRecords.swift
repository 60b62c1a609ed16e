import BluetoothProtocols
import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// How much was sent, as it is written: the shares with the names of what they are of.
package struct StatisticsReport {
  let statistics: TrafficStatistics
  let start: Timestamp?
  /// Nanoseconds from the first packet to the last.
  let elapsed: Int64?
  let callsign: (NodeID) -> String?

  /// Makes one; `start` is the first packet of all captures.
  package init(
    _ statistics: TrafficStatistics, start: Timestamp?, elapsed: Int64?,
    callsign: @escaping (NodeID) -> String?
  ) {
    self.statistics = statistics
    self.start = start
    self.elapsed = elapsed
    self.callsign = callsign
  }

  /// The most messages first; what comes from nobody known last of its number.
  var nodes: [(node: NodeID?, share: TrafficShare)] {
    statistics.nodes.map { (node: $0.key, share: $0.value) }
      .sorted {
        ($1.share.messages, $0.node?.rawValue ?? .max)
          < ($0.share.messages, $1.node?.rawValue ?? .max)
      }
  }

  /// By connection, what was sent first; what was advertised last.
  var ways: [(way: TrafficWay, share: TrafficShare)] {
    statistics.ways.map { (way: $0.key, share: $0.value) }
      .sorted {
        ($0.way.link ?? .max, $0.way.direction.isFromLocal ? 0 : 1)
          < ($1.way.link ?? .max, $1.way.direction.isFromLocal ? 0 : 1)
      }
  }

  var kinds: [(kind: MessageKind, share: TrafficShare)] {
    statistics.kinds.map { (kind: $0.key, share: $0.value) }
      .sorted { ($1.share.messages, $0.kind.rawValue) < ($0.share.messages, $1.kind.rawValue) }
  }

  /// Who is at the ends of a way: a node where one spoke there, else an address.
  func ends(of way: TrafficWay) -> (from: TrafficEnd, to: TrafficEnd) {
    let link = statistics.ends[way]
    let isFromLocal = way.direction.isFromLocal
    let back = statistics.speakers.first {
      $0.key.link == way.link && $0.key.direction.isFromLocal != isFromLocal
    }
    let from = TrafficEnd(
      node: way.link == nil ? nil : statistics.speakers[way],
      address: (isFromLocal ? link?.local : link?.peer)?.description)
    let to = TrafficEnd(
      node: way.link == nil ? nil : back?.value,
      address: (isFromLocal ? link?.peer : link?.local)?.description)
    return (from, to)
  }

  /// When an interval begins.
  func time(of offset: Int64) -> Timestamp? {
    guard let start else { return nil }
    let sum = start.nanoseconds.addingReportingOverflow(offset)
    return sum.overflow ? nil : Timestamp(nanoseconds: sum.partialValue)
  }
}

/// One end of a connection.
struct TrafficEnd {
  var node: NodeID?
  var address: String?
}

/// NDJSON and CSV (cli.md, `stats`).
extension StatisticsReport {
  /// Appends a record for everything, then one for each node, connection and direction, kind, and
  /// interval that holds messages.
  package func appendRecords(to text: inout OutputText) {
    record("all", statistics.total, to: &text) { text in
      text.field("time", start)
      if let elapsed { text.field("elapsed", seconds: elapsed) }
      text.field("unplaced", statistics.unplaced > 0 ? statistics.unplaced : nil)
      text.field("timeless", statistics.timeless > 0 ? statistics.timeless : nil)
    }
    for (node, share) in nodes {
      record("node", share, to: &text) { text in
        text.field("node", node)
        text.field("callsign", node.flatMap(callsign))
      }
    }
    for (way, share) in ways {
      let ends = ends(of: way)
      record("link", share, to: &text) { text in
        text.field("link", way.link)
        text.field("direction", way.direction.rawValue)
        text.field("from", ends.from.address)
        text.field("from_node", ends.from.node)
        text.field("to", ends.to.address)
        text.field("to_node", ends.to.node)
      }
    }
    for (kind, share) in kinds {
      record("kind", share, to: &text) { $0.field("kind", kind.rawValue) }
    }
    let intervals = statistics.intervals()
    for (offset, share) in intervals.shares {
      record("interval", share, to: &text) { text in
        text.field("time", time(of: offset))
        text.field("elapsed", seconds: offset)
        text.field("interval", seconds: intervals.width)
      }
    }
  }

  private func record(
    _ by: String, _ share: TrafficShare, to text: inout OutputText,
    _ fields: (inout OutputText) -> Void
  ) {
    text.append("{\"schema\":")
    text.append(decimal: OutputText.schemaVersion)
    text.append(",\"scope\":\"stats\"")
    text.field("by", by)
    fields(&text)
    text.field("messages", share.messages)
    text.field("bytes", share.bytes)
    text.field("useful_messages", share.useful)
    text.field("useful_bytes", share.usefulBytes)
    text.field("repeats", share.repeats)
    text.append("}\n")
  }

  /// Appends the same as rows of one table.
  package func appendCSV(to text: inout OutputText) {
    text.append("by,node,callsign,link,direction,from,to,kind,time,elapsed,interval,messages,")
    text.append("bytes,useful_messages,useful_bytes,repeats\n")
    row("all", time: start, elapsed: elapsed, statistics.total, to: &text)
    for (node, share) in nodes {
      row("node", node: node, share, to: &text)
    }
    for (way, share) in ways {
      let ends = ends(of: way)
      row(
        "link",
        cells: [
          way.link.map { "\($0)" } ?? "", way.direction.rawValue, cell(ends.from), cell(ends.to),
        ],
        share, to: &text)
    }
    for (kind, share) in kinds { row("kind", kind: kind.rawValue, share, to: &text) }
    let intervals = statistics.intervals()
    for (offset, share) in intervals.shares {
      row(
        "interval", time: time(of: offset), elapsed: offset, interval: intervals.width, share,
        to: &text)
    }
  }

  private func cell(_ end: TrafficEnd) -> String {
    end.address ?? end.node.map { "0x\($0)" } ?? ""
  }

  private func row(
    _ by: String, node: NodeID? = nil, cells: [String] = ["", "", "", ""], kind: String = "",
    time: Timestamp? = nil, elapsed: Int64? = nil, interval: Int64? = nil, _ share: TrafficShare,
    to text: inout OutputText
  ) {
    func shown(_ nanoseconds: Int64?) -> String {
      guard let nanoseconds else { return "" }
      var text = OutputText(capacity: 24)
      text.append(seconds: nanoseconds, decimals: 6)
      return String(decoding: text.slice, as: UTF8.self)
    }
    var moment = OutputText(capacity: 32)
    if let time { moment.append(utc: time) }
    text.append(
      csvRow: [by, node.map { "0x\($0)" } ?? "", node.flatMap(callsign) ?? ""] + cells
        + [kind, String(decoding: moment.slice, as: UTF8.self), shown(elapsed), shown(interval)]
        + [share.messages, share.bytes, share.useful, share.usefulBytes, share.repeats].map {
          "\($0)"
        })
  }
}

extension OutputText {
  /// Appends a span of nanoseconds as seconds.
  fileprivate mutating func field(_ key: StaticString, seconds nanoseconds: Int64) {
    append(key: key)
    append(seconds: nanoseconds, decimals: 6)
  }
}
