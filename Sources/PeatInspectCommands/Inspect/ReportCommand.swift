import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReplay
import PeatReports
import PeatSecurity
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect -f html -o FILE`: one page that shows everything of the captures.
struct ReportCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    if configuration.raw.follows {
      throw UsageError("--follow prints lines; a page is written once, at the end")
    }
    if configuration.output == nil, FileDescriptor.standardOutput.isTerminal {
      throw UsageError(
        "-f html writes a page, and standard output is a terminal",
        advice: "give a file, such as '-o report.html'")
    }
    var configuration = configuration
    configuration.dissection.tellsLinkEvents = true
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    // What sound captures are full of is told where `check` would tell it.
    let tellsUsual = configuration.raw.verbosity > 0
    var analysis = CaptureAnalysis(session, [.findings, .convergence]) {
      tellsUsual || !FindingTable.entry(of: $0).isUsual
    }
    guard try analysis.open() else { return session.status }
    let target = try session.output()
    var text = OutputText(capacity: 1 << 20)
    HTMLReport(read(&analysis), digest: SHA256.digest).append(to: &text)
    try target.sink.append(text.slice)
    return try session.finish(target)
  }

  private func read(_ analysis: inout CaptureAnalysis) -> ReportInput {
    let files = session.streams.map(\.file)
    var places: [String: Int] = [:]
    for (place, file) in files.enumerated() { places[file] = place }
    var sightings = NodeSightings()
    var timeline = ReportTimeline()
    var hazards: [ReportInput.Hazard] = []
    var opener = session.keyring
    analysis.read { row in
      sightings.note(row)
      timeline.take(row, file: places[row.file] ?? 0, opener: &opener)
      takeHazards(&hazards)
    }
    takeHazards(&hazards)
    let story = analysis.story
    let log = story.log
    let state = session.state
    let spread =
      analysis.convergence ?? ConvergenceReport(Convergence(), spans: ClockSpans(session.clocks))
    return ReportInput(
      tool: "peat-inspect \(ToolDefinition.version)", command: command, files: captures,
      axis: ReportAxis(start: session.start, files: files, clocks: session.clocks.map(\.steps)),
      end: session.last, timeline: timeline, stories: analysis.emergencies,
      links: story.links.links, convergence: spread, findings: analysis.findings,
      view: MeshView(
        time: session.last, elapsed: session.elapsed, state: state, sightings: sightings,
        advertisers: story.advertisers),
      heard: log.heard,
      callsign: { log.callsign($0) ?? state.nodes[$0]?.peripheral?.callsign.text },
      hazards: hazards)
  }

  private func takeHazards(_ hazards: inout [ReportInput.Hazard]) {
    for stream in session.streams {
      for event in stream.takeLinkEvents() where hazards.count < ReportInput.hazardLimit {
        switch event.kind {
        case .lost, .silent: hazards.append(.init(file: stream.file, event: event))
        case .connected, .disconnected, .encrypted, .mtu, .parameters, .phy, .serviceChanged,
          .clockStep:
          break
        }
      }
    }
  }

  private var captures: [ReportInput.File] {
    session.streams.map { stream in
      let measured = CaptureDigest(path: stream.file, canReopen: stream.canReopen)
      return ReportInput.File(
        name: stream.file, size: measured.size, digest: measured.digest,
        packets: stream.dissector.frameCount, first: stream.firstTime, last: stream.lastTime,
        silence: CaptureSilence(stream).reason)
    }
  }

  /// The command as a shell takes it, without the secret.
  private var command: String {
    let words = configuration.raw.words.map { word in
      guard let secret = configuration.raw.secret, !secret.isEmpty, word.hasSuffix(secret) else {
        return ShellWord.quoted(word)
      }
      return ShellWord.quoted(String(word.dropLast(secret.count))) + "…"
    }
    let note = configuration.raw.anonymize.made.map { ["# \($0.note)"] } ?? []
    return (["peat-inspect"] + words + note).joined(separator: " ")
  }
}

/// A word of a command line as a shell reads it back.
enum ShellWord {
  /// The word, quoted where it needs that (POSIX.1-2024, Shell Command Language 2.2.2).
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ","),
        UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"):
        true
      default: false
      }
    }
    if isPlain && !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
