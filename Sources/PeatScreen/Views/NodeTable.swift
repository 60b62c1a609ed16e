import PeatProtocol
import PeatReplay
import PeatReports
import WireBytes

/// The nodes with what each told last, the most recently heard first.
enum NodeTable {
  /// Ages in seconds at which a node counts as late, and as gone.
  private static let lateAge: Int64 = 30
  private static let goneAge: Int64 = 120

  static func lines(
    _ status: ScreenStatus, _ names: LiveLines, columns: Int, rows: Int
  ) -> [ScreenLine] {
    let wide = columns >= 90
    let head =
      "  NODE     CALLSIGN     COUNTER HEARD      BATTERY "
      + (wide ? "SIGNAL  STATE       POSITION" : "POSITION")
    var lines = [ScreenLine(head.cells(columns), .bold)]
    let nodes = status.state.nodes.sorted {
      ($1.value.lastHeard, $0.key.rawValue) < ($0.value.lastHeard, $1.key.rawValue)
    }
    let room = max(1, rows - 1)
    let shown = nodes.count > room ? room - 1 : nodes.count
    for (node, state) in nodes.prefix(shown) {
      lines.append(line(node, state, status, names, columns: columns, wide: wide))
    }
    if nodes.count > shown { lines.append(ScreenLine("  … \(nodes.count - shown) more", .faint)) }
    if nodes.isEmpty { lines.append(ScreenLine("  no node heard yet", .faint)) }
    return lines
  }

  private static func line(
    _ node: NodeID, _ state: NodeState, _ status: ScreenStatus, _ names: LiveLines, columns: Int,
    wide: Bool
  ) -> ScreenLine {
    var line = ScreenLine()
    let seconds = age(state.lastHeard, status.now)
    line.add(
      mark(seconds) + " ", seconds >= goneAge ? .faint : seconds >= lateAge ? .warning : .good)
    line.add("\(node) ", .name)
    let callsign = state.peripheral?.callsign.text.replacingUnsafeCharacters() ?? ""
    line.add(callsign.cells(12) + " ")
    let count = state.document.counter.entries.first { $0.node == node }?.count ?? 0
    line.add("\(count)".cells(8))
    line.add(heard(seconds).cells(11), seconds >= goneAge ? .faint : .plain)
    let battery = state.peripheral.map { Int($0.health.battery) }
    let isLow = battery.map { $0 <= 20 } ?? false
    let shownBattery = battery.map { "\($0)%\(isLow ? " low" : "")" } ?? "-"
    line.add(shownBattery.cells(8), isLow ? .warning : .plain)
    if wide {
      line.add((status.rssi[node].map { "\($0) dBm" } ?? "-").cells(8))
      line.add(condition(state).cells(12), state.document.emergency != nil ? .alarm : .plain)
    }
    let room = columns - line.text.cellCount
    line.add(position(state.peripheral?.location).cells(room))
    return line
  }

  private static func age(_ heard: Timestamp, _ now: Timestamp?) -> Int64 {
    max(0, (now?.nanoseconds(since: heard) ?? 0) / 1_000_000_000)
  }

  /// How fresh a node is, without colour: full, half, empty.
  private static func mark(_ seconds: Int64) -> String {
    seconds < lateAge ? "●" : seconds < goneAge ? "◐" : "○"
  }

  private static func heard(_ seconds: Int64) -> String {
    switch seconds {
    case ..<2: "now"
    case ..<120: "\(seconds) s ago"
    case ..<7200: "\(seconds / 60) m ago"
    default: "\(seconds / 3600) h ago"
    }
  }

  private static func condition(_ state: NodeState) -> String {
    if state.document.emergency != nil { return "EMERGENCY" }
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
