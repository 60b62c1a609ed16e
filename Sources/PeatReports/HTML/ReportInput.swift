package import PeatDissection
package import PeatProtocol
package import PeatTimeline
package import WireBytes

/// Everything that a page is made of, after the captures were read to their ends.
package struct ReportInput {
  /// A capture as the page names it.
  package struct File {
    package var name: String
    package var size: UInt64?
    /// SHA-256 in hexadecimal digits; nil where the bytes cannot be read again.
    package var digest: String?
    package var packets: Int
    package var first: Timestamp?
    package var last: Timestamp?
    /// Why it shows no message.
    package var silence: String?

    package init(
      name: String, size: UInt64?, digest: String?, packets: Int, first: Timestamp?,
      last: Timestamp?, silence: String?
    ) {
      self.name = name
      self.size = size
      self.digest = digest
      self.packets = packets
      self.first = first
      self.last = last
      self.silence = silence
    }
  }

  /// A stretch or a moment in which the recording itself is not to be trusted.
  package struct Hazard {
    package var file: String
    package var event: LinkEvent

    package init(file: String, event: LinkEvent) {
      self.file = file
      self.event = event
    }
  }

  /// Hazards that are kept.
  package static let hazardLimit = 512

  package var tool: String
  package var command: String
  package var files: [File]
  package var axis: ReportAxis
  package var end: Timestamp?
  package var timeline: ReportTimeline
  package var stories: [EmergencyStory]
  package var links: [LinkEntry]
  package var convergence: ConvergenceReport
  package var findings: FindingReport
  package var view: MeshView
  package var heard: [NodeID]
  package var callsign: (NodeID) -> String?
  package var hazards: [Hazard]

  package init(
    tool: String, command: String, files: [File], axis: ReportAxis, end: Timestamp?,
    timeline: ReportTimeline, stories: [EmergencyStory], links: [LinkEntry],
    convergence: ConvergenceReport, findings: FindingReport, view: MeshView, heard: [NodeID],
    callsign: @escaping (NodeID) -> String?, hazards: [Hazard]
  ) {
    self.tool = tool
    self.command = command
    self.files = files
    self.axis = axis
    self.end = end
    self.timeline = timeline
    self.stories = stories
    self.links = links
    self.convergence = convergence
    self.findings = findings
    self.view = view
    self.heard = heard
    self.callsign = callsign
    self.hazards = hazards
  }

  /// A node as people call it.
  func name(_ node: NodeID) -> String {
    callsign(node).flatMap { $0.isEmpty ? nil : ReportText.cut($0, to: 48) } ?? "\(node)"
  }

  /// The sentences on emergencies, with times in UTC.
  var words: EmergencyWords { EmergencyWords(clock: SpanText.utc, name: name) }
}
