import CommandLineOptions
import MeshDissection
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect mesh --cdb FILE CAPTURE...`: the Bluetooth meshes of the captures as a whole.
struct MeshCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  init(_ configuration: InspectConfiguration) throws {
    var configuration = configuration
    configuration.dissection.wanted = [.mesh]
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open() else { return session.status }
    let target = try session.output()
    var findings: [String: Int] = [:]
    while let item = session.nextItem() {
      for finding in item.findings {
        if case .mesh = item { findings[finding.code.rawValue, default: 0] += 1 }
      }
      count(session.takeMeshFindings(), &findings)
    }
    count(session.takeMeshFindings(), &findings)
    session.conclude(tellsSilence: false)
    let report = MeshReport(
      session.meshOverview, session.meshNames, findings: findings, style: configuration.style)
    var text = OutputText(capacity: 1 << 16)
    switch configuration.format {
    case .text: report.appendText(to: &text)
    case .csv: report.appendCSV(to: &text)
    case .ndjson: report.appendRecords(to: &text)
    }
    try target.sink.append(text.slice)
    return try session.finish(target)
  }

  private func count(_ placed: [PlacedMeshFinding], _ findings: inout [String: Int]) {
    for entry in placed { findings[entry.finding.code.rawValue, default: 0] += 1 }
  }
}

extension ToolDefinition {
  static let mesh = Command<RawOptions>(
    name: "mesh",
    summary: "Bluetooth meshes: nodes, IV index, proxies, provisioning, unanswered requests",
    discussion: """
      Tells of the Bluetooth meshes in the captures: which IV index and key each network lives with \
      and since when, each node with its last sequence number and what it said of its features, who \
      relays, which proxies there were and what their filters let through, how provisioning went, \
      what was not opened and why, and which requests were never answered and how far they got.

      Without --cdb only what is not sealed is told: beacons, provisioning, and the names of keys. \
      The messages themselves are rows of inspect, and what is wrong with each is a finding of \
      check.
      """,
    options: FormatOption.output(csv: "one row a node") + [SharedOptions.database]
      + SharedOptions.reading
      + SharedOptions.members + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "CAPTURE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -"),
    examples: [
      Example(
        "peat-inspect mesh --cdb mesh.cdb.json capture.btsnoop",
        "The mesh of a phone's export in a capture.")
    ],
    seeAlso: ["inspect", "check"])
}
