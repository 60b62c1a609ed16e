import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReports
import PeatScreen
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// The full-screen view of a live run: model, layout and terminal, and when to draw.
final class ScreenView {
  /// The screen is drawn at most so often, and at least so often for the ages it shows.
  private static let shortestPause: UInt64 = 40_000_000
  private static let longestPause: UInt64 = 1_000_000_000
  /// Nodes whose address is remembered for the signal of their advertisements.
  private static let peerLimit = 4096
  /// Connections that the view of links goes by: the last ones.
  private static let linkLimit = 1024

  private let terminal: CursesTerminal
  private let layout: ScreenLayout
  private var model = ScreenModel()
  private var rates = RateMeter()
  private var peers: [NodeID: DeviceAddress] = [:]
  /// The input's moment of each node's last message: packets' own times may step.
  private var heard: [NodeID: UInt64] = [:]
  private let isUTC: Bool
  private var first: Timestamp?
  private var isStale = true
  private var lastDraw: UInt64 = 0
  private let recordingPath: String?
  private let isReplay: Bool
  /// What is shown, in the first line.
  var title: String
  private var entered: [String] = []

  /// Takes the terminal over; nil where it cannot be, so that lines are printed.
  init?(
    title: String, style: TextStyle, recordingPath: String?, keyring: Keyring,
    environment: Environment, isReplay: Bool = false
  ) {
    guard let terminal = CursesTerminal(usesColor: style.usesColor, environment: environment),
      terminal.start()
    else { return nil }
    self.title = title
    self.terminal = terminal
    let layout = ScreenLayout(style: style)
    self.layout = layout
    self.recordingPath = recordingPath
    self.isReplay = isReplay
    isUTC = style.clock == .utc
    model.dump = { row in
      var opener = keyring
      return MessageDump(row.message, bytes: row.value.payload, opener: &opener)
    }
    model.clock = { row in row.value.time.map { layout.clock($0) } }
  }

  /// Gives the terminal back.
  func stop() { terminal.stop() }

  var keyDescriptor: Int32 { terminal.keyDescriptor }

  /// When to draw again, though nothing happens.
  var deadline: UInt64 {
    guard terminal.isReady else { return .max }
    return lastDraw &+ (isStale ? ScreenView.shortestPause : ScreenView.longestPause)
  }

  /// Takes a message, and what the engine knew when it came; one that is not `isShown` counts only
  /// for the state.
  func show(_ row: TimelineRow, _ engine: MonitorEngine, isShown: Bool) {
    note(row, at: engine.now)
    var moment = ScreenMoment()
    moment.packets = engine.frames
    moment.drops = engine.drops
    moment.rssi = row.value.link.peer.flatMap { engine.rssi(of: $0) }
    model.append(row, state: engine.timeline.state, moment: moment, isShown: isShown)
    rates.count(bytes: row.value.length)
    isStale = true
  }

  private func note(_ row: TimelineRow, at moment: UInt64) {
    if let node = row.message.node, heard[node] != nil || heard.count < ScreenView.peerLimit {
      heard[node] = moment
    }
    guard !row.value.direction.isFromLocal || row.value.link.isFromAir,
      let node = row.message.node, let peer = row.value.link.peer,
      peers[node] != nil || peers.count < ScreenView.peerLimit
    else { return }
    peers[node] = peer
  }

  /// Says something in the last line.
  func tell(_ text: String) {
    model.notice = text
    isStale = true
  }

  /// Takes the keys that were pressed; true where the user wants to quit.
  func takeKeys() -> Bool {
    while let key = terminal.key() {
      isStale = true
      lastDraw = 0
      switch model.press(key) {
      case .quit: return true
      case .redraw: terminal.redraw()
      case .save(let part, let path, let overwrites): save(part, path, overwrites: overwrites)
      case .command(let text): entered.append(text)
      case nil: break
      }
    }
    return false
  }

  /// Lets commands be typed.
  func takeCommands(_ phrases: [String], help: [String]) {
    model.takeCommands(phrases, help: help)
  }

  /// What Tab completes in commands.
  func setPhrases(_ phrases: [String]) { model.setPhrases(phrases) }

  /// Commands that were typed since the last call.
  func enteredCommands() -> [String] {
    defer { entered = [] }
    return entered
  }

  /// Shows what a command came to.
  func answer(_ lines: [String]) {
    model.answer(lines)
    isStale = true
    lastDraw = 0
  }

  private func save(_ part: ScreenModel.SavedPart, _ path: String, overwrites: Bool) {
    if !overwrites, (try? FileStatus(path: path)) != nil {
      model.askToOverwrite(part, path: path)
      return
    }
    let rows = model.saved(part)
    do throws(Errno) {
      let target = try OutputTarget(path: path == "-" ? "./-" : path)
      var text = OutputText(capacity: 4096)
      for row in rows {
        text.append(record: row)
        try target.sink.append(text.bytes)
        text.removeAll()
      }
      try target.finish()
      model.notice = "\(rows.count) message\(rows.count == 1 ? "" : "s") saved to \(path)"
    } catch {
      model.notice = "not saved: \(error)"
    }
  }

  /// Filters may name times once there is a packet to count from.
  private func learnStart(of engine: MonitorEngine) {
    guard first == nil, let start = engine.first else { return }
    first = start
    let times = MonitorConfiguration.filterTimes(first: start, isUTC: isUTC)
    model.compile = { (text) throws(FilterError) in
      let filter = try RowFilter(text, times: times)
      return { filter.matches($0) }
    }
  }

  /// The connections with the names of who is at their other end.
  private func links(of engine: MonitorEngine) -> [ScreenLink] {
    var names: [DeviceAddress: String] = [:]
    for (node, peer) in peers { names[peer] = model.lines.name(node) }
    return engine.links.suffix(ScreenView.linkLimit).compactMap { facts in
      guard let opened = facts.opened?.nanoseconds else { return nil }
      let peer = facts.identity ?? facts.link.peer
      let name = peer.map { names[$0] ?? "\($0)" } ?? "unknown"
      return ScreenLink(
        name: name, opened: opened, closed: facts.end == nil ? nil : facts.closed?.nanoseconds,
        reason: facts.end?.words)
    }
  }

  /// Draws where it is time to.
  func drawIfDue(at now: UInt64, engine: MonitorEngine, hasEnded: Bool) {
    learnStart(of: engine)
    guard now >= deadline || lastDraw == 0, terminal.isReady else { return }
    rates.sample(at: now, packets: engine.frames)
    var status = ScreenStatus(source: title, state: engine.timeline.state)
    status.now = engine.presentTime
    status.packets = engine.frames
    status.packetRate = rates.packets
    status.messageRate = rates.messages
    status.byteRate = rates.bytes
    status.drops = engine.drops
    status.unrecorded = engine.unrecorded
    status.ages = heard.mapValues { engine.now > $0 ? engine.now - $0 : 0 }
    status.recording = recordingPath
    status.hasEnded = hasEnded
    status.isReplay = isReplay
    if model.mode == .links { status.links = links(of: engine) }
    for (node, peer) in peers { status.rssi[node] = engine.rssi(of: peer) }
    terminal.draw(layout.lines(&model, status, size: terminal.size))
    lastDraw = now
    isStale = false
  }
}

/// Packets, messages and their bytes a second, over the last few seconds.
struct RateMeter {
  private static let interval: UInt64 = 500_000_000
  private static let samples = 10

  private struct Sample {
    var now: UInt64 = 0
    var packets = 0
    var messages = 0
    var bytes = 0
  }

  private var history: [Sample] = []
  private var current = Sample()
  private(set) var packets = 0.0
  private(set) var messages = 0.0
  private(set) var bytes = 0.0

  /// A message came.
  mutating func count(bytes: Int) {
    current.messages += 1
    current.bytes &+= bytes
  }

  mutating func sample(at now: UInt64, packets total: Int) {
    if let last = history.last, now < last.now &+ RateMeter.interval { return }
    current.now = now
    current.packets = total
    history.append(current)
    if history.count > RateMeter.samples { history.removeFirst() }
    guard let first = history.first, now > first.now else { return }
    let seconds = Double(now - first.now) / 1e9
    packets = Double(total - first.packets) / seconds
    messages = Double(current.messages - first.messages) / seconds
    bytes = Double(current.bytes &- first.bytes) / seconds
  }
}
