import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect emergencies FILE...`: who carried each emergency, who acknowledged it, who did
/// not, and why.
struct EmergenciesCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    var analysis = CaptureAnalysis(session)
    guard try analysis.open() else { return try session.finishUnopened() }
    let target = try session.output()
    analysis.read { _ in }
    let story = analysis.story
    var text = OutputText(capacity: 1 << 16)
    let nodes = configuration.raw.nodes
    let stories = analysis.emergencies.filter { emergency in
      nodes.isEmpty || emergency.nodes.contains { nodes.contains($0.node) }
    }
    let callsign = { story.log.callsign($0) }
    let records = EmergencyRecords(hasSeveralFiles: session.streams.count > 1, callsign: callsign)
    switch configuration.format {
    case .ndjson: for emergency in stories { records.append(emergency, to: &text) }
    case .csv:
      records.appendCSVHeader(to: &text)
      for emergency in stories { records.append(csv: emergency, to: &text) }
    case .text where configuration.raw.fileFormat == .markdown && !stories.isEmpty:
      MarkdownReport(hasSeveralFiles: session.streams.count > 1, callsign: callsign)
        .append(stories, to: &text)
    case .text:
      if stories.isEmpty {
        text.append(raw: none(story) + "\n")
      } else {
        EmergencyText(
          style: configuration.style, files: session.streams.map(\.file), start: session.start,
          callsign: callsign
        ).append(stories, to: &text)
      }
    }
    try target.sink.append(text.slice)
    if story.log.leftOut > 0 {
      session.diagnostics.warn("\(story.log.leftOut) documents of more emergencies were left out")
    }
    return try session.finish(target)
  }

  /// Why there is none, as far as the captures tell.
  private func none(_ story: MeshStory) -> String {
    let heard = story.log.heard.count
    if story.log.messages == 0 { return "no emergency: no Peat message in the capture" }
    if heard == 0 {
      return "no emergency can be seen: \(story.log.messages) messages, and none of them is a "
        + "document that can be read (encrypted ones need --keys)"
    }
    return "no emergency in \(story.log.messages) messages of \(heard) node\(heard == 1 ? "" : "s")"
  }
}
