import BluetoothHost
import BluetoothProtocols
import CaptureFormats
import CommandLineOptions
import LiveCapture
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
  static let farewell: UInt64 = 300
  /// Records are to be those of the recording, so they wait for every outcome: longer than the 30 s
  /// after which an ATT request is given up (Core Specification Vol 3 Part F, 3.3.3); nanoseconds.
  private static let recordPatience: UInt64 = 35_000_000_000
  /// Time for which packets that wait keep timeouts from being looked at, in milliseconds.
  static let longestBacklog: UInt64 = 60_000
  /// Versions that are taken at a time.
  static let reservedVersions: UInt32 = 1000

  let configuration: NodeConfiguration
  var transport: ControllerLine
  var stateFile: NodeStateFile
  var state: NodeState
  var node: LiveNode
  let recording: Recording?
  var engine: MonitorEngine
  var writer: RowWriter
  let sink = OutputSink.standardOutput(mode: .lines)
  let diagnostics: Diagnostics
  private let environment: Environment
  /// Opens once more what the screen shows the bytes of.
  private let keyring: Keyring
  var counts = RunCounts()
  var console: NodeConsole
  var frame = 0
  var refusals = RefusalLog()
  var linkNews = RefusalLog()
  /// Whether the controller was ever of use.
  var hasStarted = false
  var status = ExitStatus.done
  var isEnding = false
  var lastTick: UInt64 = 0

  /// Reads keys and state, and opens the controller.
  static func open(
    _ configuration: NodeConfiguration, environment: Environment
  ) throws -> NodeCommand? {
    let diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    try OutputGuard(configuration.raw, captures: []).check(
      configuration.raw.node.record, option: "--record")
    let keys = try KeyLoading(configuration.raw)
    for warning in keys.warnings { diagnostics.warn(warning) }
    let secret = keys.meshSecrets[configuration.mesh]
    if configuration.raw.node.isStrictlyEncrypted, secret == nil {
      throw UsageError("--strict-encryption: no secret of mesh \(configuration.mesh) was given")
    }
    Interrupts.setBrokenPipeEndsProcess(false)
    do throws(NodeStateFile.Failure) {
      let file = try NodeStateFile.open(name: configuration.stateName, environment: environment)
      let recording = try NodeCommand.recording(configuration)
      do throws(TransportError) {
        let transport = try ControllerLine(configuration.transport)
        return NodeCommand(
          configuration, transport: transport, stateFile: file, secret: secret,
          keyring: keys.keyring, recording: recording, diagnostics: diagnostics,
          environment: environment)
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

  private static func recording(
    _ configuration: NodeConfiguration
  ) throws(NodeStateFile.Failure) -> Recording? {
    guard let options = configuration.recording else { return nil }
    do throws(Errno) {
      return try Recording(
        options, at: MonotonicClock.nanoseconds(),
        wall: Timestamp(nanoseconds: Int64(clamping: MonotonicClock.wallNanoseconds())))
    } catch {
      throw .system(error)
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
    _ configuration: NodeConfiguration, transport: consuming ControllerLine,
    stateFile: consuming NodeStateFile, secret: SecretKey?, keyring: Keyring,
    recording: Recording?, diagnostics: Diagnostics, environment: Environment
  ) {
    self.configuration = configuration
    self.diagnostics = diagnostics
    self.environment = environment
    self.keyring = keyring
    var state = stateFile.state ?? .random()
    if let id = configuration.raw.node.id { state.node = id }
    self.transport = transport
    self.stateFile = stateFile
    self.state = state
    let live = configuration.live(state)
    node = LiveNode(
      live, mesh: configuration.meshConfiguration(state, secret: secret), count: state.count,
      version: state.version &+ 1, location: state.location, battery: state.battery)
    let name = configuration.recording?.path ?? configuration.adapter
    engine = MonitorEngine(
      file: name, options: DissectionOptions(), keyring: keyring,
      outcomePatience: configuration.format == .text
        ? LiveDissector.outcomePatience : NodeCommand.recordPatience)
    if let options = configuration.recording {
      engine.recorder = RecordEncoder(format: options.format, application: "peat-inspect")
    }
    writer = RowWriter(
      format: configuration.format, sink: sink, style: configuration.style,
      hasSeveralFiles: false)
    console = NodeConsole(diagnostics)
    self.recording = recording
  }

  /// Runs until an order, a signal, the end of the time, or the end of the controller.
  consuming func run() throws -> ExitStatus {
    try console.start(configuration, keyring: keyring, environment: environment)
    defer { console.stop() }
    dropPrivileges()
    try writer.begin()
    try sink.flush()
    record(node.servedNote, isReceived: true)
    let end = configuration.raw.node.duration.map { milliseconds() &+ $0 / 1_000_000 }
    node.start(now: milliseconds(), wall: wall())
    var failure: Errno?
    do {
      while !isEnding {
        try exchange(until: end)
        if Interrupts.received != nil { isEnding = true }
        if let end, milliseconds() >= end { isEnding = true }
      }
      // Where the controller goes now, there is nobody to take leave of.
      do { try sayFarewell() } catch is TransportError {}
    } catch let error as TransportError {
      console.hold(error.advice(for: configuration.transport))
      status = .missingDevice
    } catch let error as Errno {
      // Of a file or the output: what can be saved still is.
      failure = error
    }
    for line in linkNews.rest() { console.hold(line) }
    for line in refusals.rest() { console.hold("refused: \(line)") }
    try saveExactly()
    if let failure {
      console.stop()
      throw failure
    }
    engine.finish()
    try writeRecording()
    try show()
    console.stop()
    try writer.end(
      TextSummary(style: configuration.style, counts: counts, facts: engine.facts),
      state: engine.timeline.state)
    try sink.flush()
    return status
  }

  /// Strangers' packets are read with no more than what the end asks for: giving the controller
  /// back, and saving the state in the folder that it came from.
  private func dropPrivileges() {
    var kept: Privileges = .anyFile
    if case .controller = configuration.transport { kept.insert(.networkAdministration) }
    if !Privileges.drop(except: kept, sudoUser: nil) {
      diagnostics.warn("the kernel does not let go of privileges that are not needed any more")
    }
  }
}
