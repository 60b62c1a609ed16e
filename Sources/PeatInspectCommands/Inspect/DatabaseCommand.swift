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
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open(engine: FindingEngine(), keepsNotices: true) else {
      return session.status
    }
    let file = try AtomicOutputFile(path: path, named: true)
    guard let temporary = file.temporaryPath else {
      throw UsageError("\(path): a database needs a regular file")
    }
    do throws(SQLiteError) {
      try write(SQLiteReport(path: temporary))
    } catch {
      session.diagnostics.say("\(path): \(error)")
      session.diagnostics.raise(to: .unreadable)
      return session.status
    }
    return try session.finish(file)
  }

  private func write(_ report: SQLiteReport) throws(SQLiteError) {
    var places: [String: Int] = [:]
    for (place, stream) in session.streams.enumerated() { places[stream.file] = place }
    var convergence = Convergence()
    var whole: FindingReport?
    while let row = session.next() {
      convergence.take(row, capture: places[row.file] ?? 0)
      var current = whole ?? FindingReport(start: session.start)
      for (notice, file) in session.takeNotices() { current.add(notice, file: file) }
      whole = current
      if session.selects(row) { try report.append(row) }
    }
    session.conclude()
    var ends = whole ?? FindingReport(start: session.start)
    for (notice, file) in session.takeNotices() { ends.add(notice, file: file) }
    for (index, stream) in session.streams.enumerated() {
      try report.append(
        file: stream.file, packets: stream.dissector.frameCount, first: stream.firstTime,
        last: stream.lastTime)
      for var facts in stream.dissector.linkFacts {
        guard let number = session.linkNumber(facts.link.id, stream: index) else { continue }
        facts.link.id = number
        try report.append(facts, file: stream.file)
      }
      let end = CaptureEnd(
        file: stream.file, lastTime: stream.dissector.lastTime,
        links: stream.dissector.linkFacts, advertisers: stream.dissector.advertisers)
      for var finding in session.engine?.conclude(end) ?? [] {
        finding.link = finding.link.flatMap { session.linkNumber($0, stream: index) }
        ends.add(finding, file: stream.file)
      }
    }
    ends.blameRecorders()
    for item in ends.items { try report.append(item) }
    try report.append(ConvergenceReport(convergence))
    try report.finish()
  }
}
