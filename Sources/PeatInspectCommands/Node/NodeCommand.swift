import BluetoothHost
import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import PeatDissection
import PeatNode
import PeatProtocol
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect node`: takes part in a mesh.
struct NodeCommand: ~Copyable {
  /// Time that the controller gets to end links when the node ends, in milliseconds.
  private static let farewell: UInt64 = 300
  /// Records are to be those of the recording, so they wait for every outcome: longer than the 30 s
  /// after which an ATT request is given up (Core Specification Vol 3 Part F, 3.3.3); nanoseconds.
  private static let recordPatience: UInt64 = 35_000_000_000

  private let configuration: NodeConfiguration
  private var transport: H4Transport
  private var stateFile: NodeStateFile
  private var state: NodeState
  private var node: LiveNode
  private var recording: RecordingFile?
  private var engine: MonitorEngine
  private var writer: RowWriter
  private let sink = OutputSink.standardOutput(mode: .lines)
  private let diagnostics: Diagnostics
  private var counts = RunCounts()
  private var orders = OrderLines()
  private var frame = 0
  private var refusals = RefusalLog()
  private var status = ExitStatus.done
  private var isEnding = false

  /// Reads keys and state, and opens the controller.
  static func open(
    _ configuration: NodeConfiguration, environment: Environment
  ) throws -> NodeCommand? {
    let diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    let keys = try KeyLoading(configuration.raw)
    for warning in keys.warnings { diagnostics.warn(warning) }
    let secret = keys.meshSecrets[configuration.mesh]
    if configuration.raw.node.isStrictlyEncrypted, secret == nil {
      throw UsageError("--strict-encryption: no secret of mesh \(configuration.mesh) was given")
    }
    Interrupts.setBrokenPipeEndsProcess(false)
    do throws(NodeStateFile.Failure) {
      let file = try NodeStateFile.open(name: configuration.stateName, environment: environment)
      do throws(TransportError) {
        let transport = try H4Transport(configuration.transport)
        return try NodeCommand(
          configuration, transport: transport, stateFile: file, secret: secret,
          keyring: keys.keyring, diagnostics: diagnostics)
      } catch {
        if Interrupts.received == nil {
          diagnostics.say(error.advice(for: configuration.transport))
        }
        return nil
      }
    } catch {
      diagnostics.say(NodeCommand.text(error))
      return nil
    }
  }

  private static func text(_ failure: NodeStateFile.Failure) -> String {
    switch failure {
    case .inUse(let path): "\(path): the node runs already in another process"
    case .unreadable(let path): "\(path): no state of a node; remove it to begin a new one"
    case .system(let errno): "\(errno)"
    case .noPlace: "neither XDG_STATE_HOME nor HOME is set: there is no place for the node's state"
    }
  }

  private init(
    _ configuration: NodeConfiguration, transport: consuming H4Transport,
    stateFile: consuming NodeStateFile, secret: SecretKey?, keyring: Keyring,
    diagnostics: Diagnostics
  ) throws(TransportError) {
    self.configuration = configuration
    self.diagnostics = diagnostics
    var state = stateFile.state ?? .random()
    if let id = configuration.raw.node.id { state.node = id }
    self.transport = transport
    self.stateFile = stateFile
    self.state = state
    let live = configuration.live(state)
    node = LiveNode(
      live, mesh: configuration.meshConfiguration(state, secret: secret), count: state.count,
      version: state.version &+ 1)
    let name = configuration.raw.node.record ?? configuration.adapter
    engine = MonitorEngine(
      file: name, options: DissectionOptions(), keyring: keyring,
      outcomePatience: configuration.format == .text
        ? LiveDissector.outcomePatience : NodeCommand.recordPatience)
    writer = RowWriter(
      format: configuration.format, sink: sink, style: configuration.style,
      hasSeveralFiles: false)
    if let path = configuration.raw.node.record, let format = configuration.recording {
      do throws(Errno) {
        recording = try RecordingFile(path: path, format: format)
      } catch {
        throw .system(error)
      }
    }
  }

  /// Runs until an order, a signal, the end of the time, or the end of the controller.
  consuming func run() throws(Errno) -> ExitStatus {
    try writer.begin()
    try sink.flush()
    let end = configuration.raw.node.seconds.map { milliseconds() &+ UInt64($0) * 1_000 }
    node.start(now: milliseconds(), wall: wall())
    do throws(TransportError) {
      while !isEnding {
        try exchange(wait: wait(until: end))
        if Interrupts.received != nil { isEnding = true }
        if let end, milliseconds() >= end { isEnding = true }
      }
      try sayFarewell()
    } catch {
      diagnostics.say(error.advice(for: configuration.transport))
      status = .missingDevice
    }
    try save()
    try recording?.flush()
    for line in refusals.rest() { diagnostics.warn("refused: \(line)") }
    engine.finish()
    try show()
    try writer.end(
      TextSummary(style: configuration.style, counts: counts, facts: engine.facts),
      state: engine.timeline.state)
    try sink.flush()
    return status
  }

  /// One turn: sends what is ready, shows what is known, waits, takes what came.
  private mutating func exchange(wait: Int32) throws(TransportError) {
    node.tick(now: milliseconds(), wall: wall())
    try send()
    var descriptors = [transport.descriptor]
    if orders.isOpen { descriptors.append(0) }
    let ready: [Bool]
    do throws(Errno) {
      ready = try Readiness.wait(
        for: descriptors, writing: transport.isWaiting ? transport.descriptor : nil,
        milliseconds: wait)
    } catch {
      throw .system(error)
    }
    try transport.flush(now: milliseconds())
    if ready[0] {
      for packet in try transport.receive() {
        record(packet, isReceived: true)
        node.receive(packet, now: milliseconds(), wall: wall())
        try send()
      }
    }
    if ready.count > 1, ready[1] {
      for line in orders.read() { obey(line) }
      try send()
    }
  }

  private mutating func send() throws(TransportError) {
    let packets = node.takeOutput()
    do throws(Errno) {
      // Before anything goes out, so that no count or version is ever used twice.
      try save()
      for packet in packets { record(packet, isReceived: false) }
      engine.advance(to: MonotonicClock.nanoseconds())
      try recording?.flush()
      try show()
    } catch {
      throw .system(error)
    }
    for packet in packets { try transport.send(packet, now: milliseconds()) }
    for note in node.takeNotes() { tell(note) }
  }

  private mutating func save() throws(Errno) {
    guard node.ownCount != state.count || node.version != state.version else { return }
    state.count = node.ownCount
    state.version = node.version
    try stateFile.save(state)
  }

  private mutating func record(_ packet: HCIPacket, isReceived: Bool) {
    frame += 1
    // Whole microseconds, as the recording holds them.
    let now = Int64(clamping: MonotonicClock.wallNanoseconds() / 1_000)
    let time = Timestamp(microseconds: now)
    recording?.append(packet, isReceived: isReceived, time: time)
    let bytes = [0, 0, 0, isReceived ? 1 : 0] + packet.framed
    let view = RecordView(
      packet: bytes.rawBytes, of: .hciH4WithDirection, frame: frame, time: time,
      originalLength: bytes.count)
    engine.take(view, at: MonotonicClock.nanoseconds())
  }

  private mutating func show() throws(Errno) {
    for notice in engine.takeNotices() { counts.countProblem(notice.code.rawValue) }
    for row in engine.takeRows() {
      counts.count(row)
      counts.shown += 1
      try writer.write(row)
    }
    try sink.flush()
  }

  private mutating func obey(_ line: String) {
    do throws(NodeOrder.Fault) {
      guard let order = try NodeOrder.parse(line) else { return }
      if order == .quit { isEnding = true }
      for answer in node.perform(order, now: milliseconds(), wall: wall()) {
        diagnostics.say(answer)
      }
    } catch {
      diagnostics.say(error.reason)
    }
  }

  private mutating func tell(_ note: LiveNote) {
    let isVerbose = configuration.raw.verbosity > 0
    switch note {
    case .failed(let reason):
      diagnostics.say(reason.advice(for: configuration.transport, named: configuration.adapter))
      status = .missingDevice
      isEnding = true
    case .started(let address, let isExtended):
      diagnostics.say(
        "node \(state.node) of mesh \(configuration.mesh) at \(address)"
          + (isVerbose ? isExtended ? ", extended commands" : ", legacy commands" : ""))
    case .linked(let peer, let isOwn):
      if isVerbose { diagnostics.say("\(peer): \(isOwn ? "connected" : "has connected")") }
    case .unlinked(let peer, let reason):
      if isVerbose { diagnostics.say("\(peer): link ended, reason \(reason)") }
    case .encrypted(let peer): if isVerbose { diagnostics.say("\(peer): paired, encrypted") }
    case .addressChanged(let address):
      if isVerbose { diagnostics.say("address is now \(address)") }
    case .found(let peer): if isVerbose { diagnostics.say("\(peer): serves documents") }
    case .emergency(let source, _): diagnostics.say("EMERGENCY of node \(source)")
    case .refused(let reason):
      if let line = refusals.line(for: reason, now: milliseconds()) {
        diagnostics.warn("refused: \(line)")
      }
    }
  }

  private mutating func sayFarewell() throws(TransportError) {
    guard status == .done else { return }
    node.stop(now: milliseconds(), wall: wall())
    let end = milliseconds() &+ NodeCommand.farewell
    while milliseconds() < end {
      node.tick(now: milliseconds(), wall: wall())
      try send()
      if node.linkCount == 0, node.isQuiet { return }
      let ready: [Bool]
      do throws(Errno) {
        ready = try Readiness.wait(
          for: [transport.descriptor],
          writing: transport.isWaiting ? transport.descriptor : nil, milliseconds: 20)
      } catch {
        throw .system(error)
      }
      try transport.flush(now: milliseconds())
      if ready[0] {
        for packet in try transport.receive() {
          record(packet, isReceived: true)
          node.receive(packet, now: milliseconds(), wall: wall())
        }
      }
    }
  }

  private func wait(until end: UInt64?) -> Int32 {
    let now = milliseconds()
    var due = min(node.deadline, end ?? .max)
    if let deadline = transport.deadline { due = min(due, deadline) }
    if let deadline = engine.deadline { due = min(due, deadline / 1_000_000 &+ 1) }
    return due > now ? Int32(clamping: due - now) : 0
  }

  private func milliseconds() -> UInt64 { MonotonicClock.nanoseconds() / 1_000_000 }
  private func wall() -> UInt64 { MonotonicClock.wallNanoseconds() / 1_000_000 }
}
