import CommandLineOptions
import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect diff FILE...`: what differs between two moments, two nodes or two captures.
struct DiffCommand {
  private let session: CaptureSession
  private let other: CaptureSession?
  private let nodes: (left: NodeID, right: NodeID)?

  /// Checks the sides against each other, and reads the keys.
  init(_ options: RawOptions, arguments: [String], environment: Environment) throws {
    var raw = options
    var files = arguments
    // `--between NODE NODE`: the second one is parsed as an argument.
    if raw.between.count == 1, let place = DiffCommand.place(ofNodeIn: files),
      let node = NodeID(files[place])
    {
      raw.between.append(node)
      files.remove(at: place)
    }
    if !raw.between.isEmpty && !raw.against.isEmpty {
      throw UsageError("--between and --against do not go together")
    }
    if !raw.comparedParts.isEmpty && raw.against.isEmpty {
      throw UsageError("--of compares two runs", advice: "name the other one with --against")
    }
    switch raw.between.count {
    case 0: nodes = nil
    case 2: nodes = (raw.between[0], raw.between[1])
    default: throw UsageError("--between needs two nodes", advice: "as in --between NODE NODE")
    }
    guard !files.isEmpty else { throw UsageError("diff needs a FILE") }
    session = try CaptureSession(InspectConfiguration(raw, files: files, environment: environment))
    guard !raw.against.isEmpty else {
      other = nil
      return
    }
    raw.offsets = []
    other = try CaptureSession(
      InspectConfiguration(raw, files: raw.against, environment: environment))
  }

  /// Where the second node stands among the arguments: the first one that reads as a node id and
  /// is no file; where all such are files, the first of them.
  static func place(ofNodeIn files: [String]) -> Int? {
    let places = files.indices.filter { NodeID(files[$0]) != nil }
    return places.first { (try? FileStatus(path: files[$0])) == nil } ?? places.first
  }

  /// Says of a node that nothing, or no document of its own, tells what it knows.
  private func warn(ofUnheard node: NodeID, in state: MomentState) {
    guard state.knowledge[node] == nil else { return }
    let isCounted = state.mesh.counter.entries.contains { $0.node == node }
    session.diagnostics.warn(
      isCounted
        ? "node \(node) is known only by counters: it sent no document"
        : "node \(node) does not appear in the captures")
  }

  func run() throws -> ExitStatus {
    let parts = session.configuration.raw.comparedParts
    if let other, !parts.isEmpty { return try RunComparison(session, other).run(parts) }
    guard try session.open(resolvesTimesLater: true) else { return session.status }
    let target = try session.output()
    let index = read(session)
    let window = session.window()
    if index.isCoarse {
      session.diagnostics.warn(
        "the capture is long: versions and positions at a moment are as of a little earlier")
    }
    let right = window.to.map { index.state(at: Timestamp(nanoseconds: $0)) } ?? index.end
    if let nodes {
      warn(ofUnheard: nodes.left, in: index.end)
      warn(ofUnheard: nodes.right, in: index.end)
      return try finish(
        StateDifference(between: nodes.left, and: nodes.right, in: right),
        left: DifferenceReport.Side(name: "\(nodes.left)", time: nil),
        right: DifferenceReport.Side(name: "\(nodes.right)", time: nil), lacks: [], right, target)
    }
    if let other { return try compare(right, with: other, target) }
    let left = window.from.map { index.state(at: Timestamp(nanoseconds: $0)) } ?? MomentState()
    let lacking = DifferenceReport.Lack.all(in: right)
    return try finish(
      StateDifference(from: left, to: right),
      left: side(window.from ?? session.start?.nanoseconds, start: session.start),
      right: side(window.to ?? session.last?.nanoseconds, start: session.start),
      lacks: lacking.lacks, uncompared: lacking.uncompared, right, target)
  }

  /// The states of all moments of one side.
  private func read(_ session: CaptureSession) -> MomentIndex {
    var index = MomentIndex()
    while let row = session.next() { index.add(row) }
    session.conclude()
    return index
  }

  private func name(_ session: CaptureSession) -> String {
    session.streams.map(\.file).joined(separator: ", ")
  }

  private func compare(
    _ state: MomentState, with other: CaptureSession, _ target: consuming OutputTarget
  ) throws -> ExitStatus {
    let isOpen = try other.open(resolvesTimesLater: true)
    guard isOpen else {
      session.diagnostics.raise(to: other.status)
      return session.status
    }
    let index = read(other)
    other.diagnostics.finish()
    session.diagnostics.raise(to: other.status)
    return try finish(
      StateDifference(from: state, to: index.end),
      left: DifferenceReport.Side(name: name(session), time: nil),
      right: DifferenceReport.Side(name: name(other), time: nil), lacks: [], index.end, target)
  }

  /// A moment as a side, named in the notation of text output.
  private func side(_ nanoseconds: Int64?, start: Timestamp?) -> DifferenceReport.Side {
    guard let nanoseconds else { return DifferenceReport.Side(name: "nothing", time: nil) }
    let time = Timestamp(nanoseconds: nanoseconds)
    var text = OutputText(capacity: 40)
    if session.configuration.style.clock == .relative, let start {
      text.append("+")
      text.append(seconds: time.nanoseconds(since: start), decimals: 6)
      text.append(" s")
    } else {
      text.append(instant: time, style: session.configuration.style)
    }
    return DifferenceReport.Side(
      name: String(decoding: text.bytes, as: UTF8.self), time: time)
  }

  private func finish(
    _ difference: StateDifference, left: DifferenceReport.Side, right: DifferenceReport.Side,
    lacks: [DifferenceReport.Lack], uncompared: Int = 0, _ state: MomentState,
    _ target: consuming OutputTarget
  ) throws(Errno) -> ExitStatus {
    let report = DifferenceReport(
      difference, left: left, right: right, lacks: lacks, uncompared: uncompared)
    var text = OutputText(capacity: 1 << 14)
    let configuration = session.configuration
    switch configuration.format {
    case .ndjson: report.appendRecords(to: &text)
    case .csv: report.appendCSV(to: &text)
    case .text:
      report.appendText(
        style: configuration.style,
        callsign: { state.mesh.nodes[$0]?.peripheral?.callsign.text }, to: &text)
    }
    try target.sink.append(text.bytes)
    if configuration.raw.hasExitCode && !difference.fields.isEmpty {
      session.diagnostics.raise(to: .findings)
    }
    return try session.finish(target)
  }
}
