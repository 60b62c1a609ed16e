import PeatProtocol
import PeatReplay
import PeatReports
import WireBytes

/// What the table of nodes is sorted by.
package enum NodeSort: String, Sendable, CaseIterable {
  case heard = "last heard"
  case name = "callsign"
  case battery
  case counter
  case signal
  case acknowledged = "acknowledgement"

  /// The next one, round and round.
  var next: NodeSort {
    let all = NodeSort.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }
}

/// The nodes with what each told last.
enum NodeTable {
  /// Ages in seconds at which a node counts as late, and as gone.
  private static let lateAge: Int64 = 30
  private static let goneAge: Int64 = 120

  /// What the table is of, and how it is to look.
  struct Content {
    var status: ScreenStatus
    var sort: NodeSort
    /// The selected node, where the arrows move in the table.
    var selected: NodeID?
    var acks: [NodeID: Bool]
    var columns: Int

    init(_ status: ScreenStatus, sort: NodeSort, selected: NodeID?, columns: Int) {
      self.status = status
      self.sort = sort
      self.selected = selected
      self.columns = columns
      let entries = status.state.emergency?.acks ?? []
      acks = Dictionary(entries.map { ($0.node, $0.isAcked) }, uniquingKeysWith: { $1 })
    }

    var isWide: Bool { columns >= 96 }

    /// Columns of callsign, counter, age and battery.
    var widths: (name: Int, counter: Int, heard: Int, battery: Int) {
      columns < 80 ? (10, 8, 7, 8) : (13, 8, 10, 9)
    }
  }

  /// The nodes in the table's order.
  static func order(_ content: Content) -> [NodeID] {
    let nodes = content.status.state.nodes
    let keyed = nodes.map { node, state in (node, rank(node, state, content)) }
    return keyed.sorted { ($0.1.0, $0.1.1, $0.0.rawValue) < ($1.1.0, $1.1.1, $1.0.rawValue) }
      .map(\.0)
  }

  /// What sorts a node: a number, then a text; the least comes first.
  private static func rank(
    _ node: NodeID, _ state: NodeState, _ content: Content
  ) -> (Int64, String) {
    switch content.sort {
    case .heard: (-max(state.lastHeard.nanoseconds, -.max), "")
    case .name: (0, state.peripheral?.callsign.text.lowercased() ?? "\u{10FFFF}")
    case .battery: (state.peripheral.map { Int64($0.health.battery) } ?? .max, "")
    case .counter: (-Int64(clamping: count(node, state)), "")
    case .signal: (content.status.rssi[node].map { -Int64($0) } ?? .max, "")
    case .acknowledged: (content.acks[node].map { $0 ? 1 : 0 } ?? 2, "")
    }
  }

  /// The table, and the nodes of its lines behind the head.
  static func lines(
    _ content: Content, order: [NodeID], rows: Int
  ) -> (lines: [ScreenLine], nodes: [NodeID]) {
    var lines = [ScreenLine(head(content).text.cells(content.columns), .bold)]
    if order.isEmpty { return (lines + [ScreenLine("  no node heard yet", .faint)], []) }
    let room = max(1, rows - 1)
    let count = order.count > room ? max(1, room - 1) : order.count
    let place = content.selected.flatMap { order.firstIndex(of: $0) } ?? 0
    let first = max(0, min(place - count / 2, order.count - count))
    var nodes: [NodeID] = []
    for node in order[first..<first + count] {
      guard let state = content.status.state.nodes[node] else { continue }
      lines.append(line(node, state, content))
      nodes.append(node)
    }
    let hidden = order.count - count
    if hidden > 0, room > 1 {
      lines.append(ScreenLine("  … \(hidden) more of \(order.count) nodes", .faint))
    }
    return (lines, nodes)
  }

  /// What can be pressed: the heads of columns, and the nodes.
  static func targets(_ content: Content, _ nodes: [NodeID], top: Int) -> [ScreenTarget] {
    head(content).heads.map {
      ScreenTarget(kind: .sort($0.sort), row: top, columns: $0.columns)
    }
      + nodes.enumerated().map { ScreenTarget(kind: .node($1), row: top + 1 + $0) }
  }

  /// The heads of the columns, with the columns of the screen that each takes.
  private static func head(
    _ content: Content
  ) -> (text: String, heads: [(sort: NodeSort, columns: Range<Int>)]) {
    var head = "   NODE     "
    var heads: [(sort: NodeSort, columns: Range<Int>)] = []
    func add(_ text: String, _ sort: NodeSort, _ width: Int) {
      let start = head.cellCount
      heads.append((sort: sort, columns: start..<start + width))
      head += (text + (content.sort == sort ? "^" : "")).cells(width)
    }
    add("CALLSIGN", .name, content.widths.name)
    add("COUNTER", .counter, content.widths.counter)
    add("HEARD", .heard, content.widths.heard)
    add("BATTERY", .battery, content.widths.battery)
    if !content.acks.isEmpty { add("ACK", .acknowledged, 8) }
    if content.isWide {
      add("SIGNAL", .signal, 9)
      head += "STATE".cells(12)
    }
    return (head + "POSITION", heads)
  }

  private static func line(_ node: NodeID, _ state: NodeState, _ content: Content) -> ScreenLine {
    var line = ScreenLine()
    line.isSelected = node == content.selected
    let seconds = age(node, state, content.status)
    line.add(line.isSelected ? ">" : " ", .bold)
    line.add(
      mark(seconds) + " ", seconds >= goneAge ? .faint : seconds >= lateAge ? .warning : .good)
    line.add("\(node) ", .name)
    let callsign = state.peripheral?.callsign.text.replacingUnsafeCharacters() ?? ""
    line.add(callsign.cells(content.widths.name - 1) + " ")
    line.add("\(count(node, state))".cells(8))
    let ago = content.columns < 80 ? "" : " ago"
    line.add(
      heard(seconds, ago).cells(content.widths.heard), seconds >= goneAge ? .faint : .plain)
    let battery = state.peripheral.map { Int($0.health.battery) }
    let isLow = battery.map { $0 <= 20 } ?? false
    let shownBattery = battery.map { "\($0)%\(isLow ? " low" : "")" } ?? "-"
    line.add(shownBattery.cells(content.widths.battery), isLow ? .warning : .plain)
    if !content.acks.isEmpty {
      let isAcked = content.acks[node]
      let word = isAcked.map { $0 ? "acked" : "WAITING" } ?? "-"
      line.add(word.cells(8), isAcked == false ? .alarm : .plain)
    }
    if content.isWide {
      line.add((content.status.rssi[node].map { "\($0) dBm" } ?? "-").cells(9))
      line.add(condition(state).cells(12), state.document.emergency != nil ? .alarm : .plain)
    }
    let room = content.columns - line.text.cellCount
    line.add(position(state.peripheral?.location).cells(room))
    return line
  }

  /// The node's own count, as its last document tells it.
  private static func count(_ node: NodeID, _ state: NodeState) -> UInt64 {
    state.document.counter.entries.first { $0.node == node }?.count ?? 0
  }

  /// Seconds since the node was heard.
  private static func age(_ node: NodeID, _ state: NodeState, _ status: ScreenStatus) -> Int64 {
    if let age = status.ages[node] { return Int64(clamping: age / 1_000_000_000) }
    return max(0, (status.now?.nanoseconds(since: state.lastHeard) ?? 0) / 1_000_000_000)
  }

  /// How fresh a node is, without colour: full, half, empty.
  private static func mark(_ seconds: Int64) -> String {
    seconds < lateAge ? "●" : seconds < goneAge ? "◐" : "○"
  }

  private static func heard(_ seconds: Int64, _ ago: String) -> String {
    switch seconds {
    case ..<2: "now"
    case ..<120: "\(seconds) s\(ago)"
    case ..<7200: "\(seconds / 60) m\(ago)"
    default: "\(seconds / 3600) h\(ago)"
    }
  }

  private static func condition(_ state: NodeState) -> String {
    // Who is in need, and who only knows of it, are different things.
    if let emergency = state.document.emergency {
      let node = state.document.node
      if emergency.source == node { return "EMERGENCY" }
      return emergency.acked.contains(node) ? "acked" : "knows of it"
    }
    guard let peripheral = state.peripheral else { return "-" }
    if let event = peripheral.event, event.type != .none { return event.type.name }
    return peripheral.health.alerts.names.first ?? peripheral.health.activity.name
  }

  private static func position(_ location: Location?) -> String {
    guard let location else { return "-" }
    return "\(degrees(location.latitude)),\(degrees(location.longitude))"
  }

  /// Four decimals: eleven metres.
  private static func degrees(_ value: Float) -> String {
    guard value.isFinite, abs(value) < 1000 else { return "\(value)" }
    let scaled = Int((abs(value) * 10_000).rounded())
    let fraction = String(scaled % 10_000)
    let zeros = String(repeating: "0", count: 4 - fraction.count)
    return "\(value < 0 ? "-" : "")\(scaled / 10_000).\(zeros)\(fraction)"
  }
}
