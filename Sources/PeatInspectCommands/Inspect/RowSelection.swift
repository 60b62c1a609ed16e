import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import WireBytes

/// Which rows are shown: options of one name are alternatives, different ones must all hold.
struct RowSelection: Sendable {
  var from: Int64?
  var to: Int64?
  var nodes: Set<NodeID> = []
  var peers: Set<String> = []
  var kinds: Set<MessageKind> = []
  var events: Set<String> = []
  var changedOnly = false
  var filters: [RowFilter] = []
  /// Set where an option could not be understood in the end: then no row is wanted.
  var isImpossible = false

  /// Whether a time lies in the window.
  func contains(_ time: Timestamp?) -> Bool {
    guard from != nil || to != nil else { return true }
    guard let time = time?.nanoseconds else { return false }
    return time >= from ?? .min && time <= to ?? .max
  }

  func contains(_ row: TimelineRow) -> Bool {
    if isImpossible { return false }
    if from != nil || to != nil {
      guard let time = row.value.time?.nanoseconds else { return false }
      if let from, time < from { return false }
      if let to, time > to { return false }
    }
    if changedOnly && !row.effect.isChanged { return false }
    if !nodes.isEmpty {
      guard let node = row.message.node, nodes.contains(node) else { return false }
    }
    if !peers.isEmpty {
      let link = row.value.link
      guard
        [link.peer, link.identity].contains(where: {
          $0.map { peers.contains($0.description) } ?? false
        })
      else { return false }
    }
    if !kinds.isEmpty && !hasKind(row.message) { return false }
    if !events.isEmpty && !hasEvent(row) { return false }
    return filters.isEmpty || filters.contains { $0.matches(row) }
  }

  /// Whether a message of any protocol is wanted; what asks for Peat's alone leaves the others out.
  func contains(_ item: TimelineItem) -> Bool {
    if case .peat(let row) = item { return contains(row) }
    if isImpossible || changedOnly || !nodes.isEmpty || !kinds.isEmpty || !events.isEmpty {
      return false
    }
    let value = item.carried.value
    guard contains(value.time) else { return false }
    if !peers.isEmpty {
      guard
        [value.link.peer, value.link.identity].contains(where: {
          $0.map { peers.contains($0.description) } ?? false
        })
      else { return false }
    }
    return filters.isEmpty || filters.contains { $0.matches(item) }
  }

  private func hasKind(_ message: Message) -> Bool {
    kinds.contains(message.kind) || (message.inner.map(hasKind) ?? false)
  }

  private func hasEvent(_ row: TimelineRow) -> Bool {
    guard let decoded = row.document else { return false }
    if let event = decoded.shownPeripheral?.event, events.contains(event.type.name) { return true }
    if events.contains("emergency") && decoded.document.emergency != nil { return true }
    guard events.contains("ack") else { return false }
    return row.effect.firstSeen.contains {
      if case .ack = $0 { true } else { false }
    }
  }
}

extension RowSelection {
  /// What the options say of messages without times: nothing of `--from`, `--to` and `--filter`.
  init(_ raw: RawOptions) {
    nodes = Set(raw.nodes)
    peers = Set(raw.peers)
    kinds = Set(raw.kinds)
    events = Set(raw.events)
    changedOnly = raw.changedOnly
  }

  /// The same with the filters, whose times `times` understands.
  init(_ raw: RawOptions, times: @escaping FilterTimes) throws(FilterError) {
    self.init(raw)
    for text in raw.filters { filters.append(try RowFilter(text, times: times)) }
  }
}
