import CommandLineOptions
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect diff --of WHAT --against OTHER FILE...`: what two runs of a test differ in.
struct RunComparison {
  private let session: CaptureSession
  private let other: CaptureSession

  init(_ session: CaptureSession, _ other: CaptureSession) {
    self.session = session
    self.other = other
  }

  func run(_ parts: Set<RunDifference.Part>) throws -> ExitStatus {
    var left = CaptureAnalysis(session, [.findings, .convergence])
    guard try left.open() else { return try session.finishUnopened() }
    let target = try session.output()
    left.read { _ in }
    var right = CaptureAnalysis(other, [.findings, .convergence])
    guard try right.open() else {
      session.diagnostics.raise(to: other.status)
      return session.status
    }
    right.read { _ in }
    other.diagnostics.finish()
    session.diagnostics.raise(to: other.status)
    guard let one = RunComparison.run(left), let two = RunComparison.run(right) else {
      return session.status
    }
    let difference = RunDifference(one, two, parts: parts)
    let report = RunDifferenceReport(
      difference, left: RunComparison.name(session), right: RunComparison.name(other))
    var text = OutputText(capacity: 1 << 14)
    let configuration = session.configuration
    let logs = (left.story.log, right.story.log)
    switch configuration.format {
    case .ndjson: report.appendRecords(to: &text)
    case .csv: report.appendCSV(to: &text)
    case .text:
      report.appendText(
        style: configuration.style,
        callsign: { logs.1.callsign($0) ?? logs.0.callsign($0) }, to: &text)
    }
    try target.sink.append(text.bytes)
    if configuration.raw.hasExitCode && !difference.fields.isEmpty {
      session.diagnostics.raise(to: .findings)
    }
    return try session.finish(target)
  }

  private static func run(_ analysis: CaptureAnalysis) -> RunDifference.Run? {
    analysis.convergence.map {
      RunDifference.Run(
        emergencies: analysis.emergencies, convergence: $0, findings: analysis.findings)
    }
  }

  private static func name(_ session: CaptureSession) -> String {
    session.streams.map(\.file).joined(separator: ", ")
  }
}
