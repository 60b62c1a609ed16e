import BluetoothProtocols
import CommandLineOptions
import PeatDissection
import PeatProtocol
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect links FILE...`: every connection with its devices, its life and its handles.
struct LinksCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws {
    var configuration = configuration
    configuration.dissection.countsHandles = true
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    var analysis = CaptureAnalysis(session)
    guard try analysis.open() else { return session.status }
    let target = try session.output()
    analysis.read { _ in }
    let story = analysis.story
    var text = OutputText(capacity: 1 << 16)
    let links = story.links.links.filter(isWanted)
    let callsign = { story.log.callsign($0) }
    switch configuration.format {
    case .ndjson: for link in links { text.append(link: link, callsign: callsign) }
    case .csv:
      text.appendLinkCSVHeader()
      for link in links { text.append(csvLink: link, callsign: callsign) }
    case .text where configuration.raw.fileFormat == .markdown:
      MarkdownReport(hasSeveralFiles: session.streams.count > 1, callsign: callsign)
        .append(links, to: &text)
    case .text:
      LinkText(
        style: configuration.style, hasSeveralFiles: session.streams.count > 1, callsign: callsign
      ).append(links, to: &text)
    }
    try target.sink.append(text.slice)
    return try session.finish(target)
  }

  private func isWanted(_ entry: LinkEntry) -> Bool {
    let raw = configuration.raw
    if let members = session.members, !members.contains(entry.facts) { return false }
    if !raw.peers.isEmpty {
      let addresses = [entry.facts.link.peer, entry.facts.identity].compactMap { $0?.description }
      guard addresses.contains(where: { raw.peers.contains($0) }) else { return false }
    }
    if !raw.nodes.isEmpty {
      guard
        [entry.localNode, entry.peerNode].contains(where: { $0.map(raw.nodes.contains) ?? false })
      else { return false }
    }
    return true
  }
}
