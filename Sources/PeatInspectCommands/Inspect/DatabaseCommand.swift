import CommandLineOptions
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO

/// `peat-inspect -f sqlite -o FILE`: the timeline and what came of it as a database.
struct DatabaseCommand {
  private let path: String
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    guard let path = configuration.output else {
      throw UsageError(
        "-f sqlite needs a file to write", advice: "give one, such as '-o timeline.db'")
    }
    if configuration.raw.follows {
      throw UsageError("--follow prints lines; a database is written once, at the end")
    }
    self.path = path
    var configuration = configuration
    // For the findings, which are those of check.
    configuration.dissection.wanted = [.mesh, .smp]
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    var analysis = CaptureAnalysis(session, [.findings, .convergence])
    guard try analysis.open() else { return session.status }
    let file = try AtomicOutputFile(path: path, named: true)
    guard let temporary = file.temporaryPath else {
      throw UsageError("\(path): a database needs a regular file")
    }
    do throws(SQLiteError) {
      try write(&analysis, to: SQLiteReport(path: temporary))
    } catch {
      session.diagnostics.say("\(path): \(error)")
      session.diagnostics.raise(to: .unreadable)
      return session.status
    }
    return try session.finish(file)
  }

  private func write(
    _ analysis: inout CaptureAnalysis, to report: SQLiteReport
  ) throws(SQLiteError) {
    try analysis.read { row throws(SQLiteError) in try report.append(row) }
    for stream in session.streams {
      try report.append(
        file: stream.file, packets: stream.dissector.frameCount, first: stream.firstTime,
        last: stream.lastTime)
    }
    for link in analysis.story.links.links { try report.append(link.facts, file: link.file) }
    let log = analysis.story.log
    let words = EmergencyRecords(hasSeveralFiles: session.streams.count > 1) { log.callsign($0) }
    for story in analysis.emergencies { try report.append(story, words) }
    for item in analysis.blamed { try report.acquit(item) }
    for item in analysis.wholeFindings.items { try report.append(item) }
    if let convergence = analysis.convergence { try report.append(convergence) }
    try report.finish()
  }
}
