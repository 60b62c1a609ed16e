import CommandLineOptions
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect -f markdown`, `-f geojson`, `-f kml`: messages as a table, or on a map.
struct TimelineFileCommand {
  private let session: CaptureSession
  private let form: TimelineFile.Form

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration, form: TimelineFile.Form) throws {
    if configuration.raw.follows {
      throw UsageError(
        "--follow prints lines as they come; use -f text, csv or ndjson")
    }
    self.form = form
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open() else { return session.status }
    let target = try session.output()
    var file = TimelineFile(form, hasSeveralFiles: session.streams.count > 1)
    var text = OutputText(capacity: 1 << 16)
    file.begin(to: &text)
    while let row = session.next() {
      guard session.selects(row) else { continue }
      file.append(row, to: &text)
      if text.count > 1 << 15 {
        try target.sink.append(text.slice)
        text.removeAll()
      }
    }
    file.end(to: &text)
    try target.sink.append(text.slice)
    session.conclude()
    return try session.finish(target)
  }
}

extension RawOptions.FileFormat {
  /// Where it is a format of positions, which.
  var positions: PositionFile.Form? { PositionFile.Form(rawValue: rawValue) }

  /// Where it is a format of the timeline's rows, which.
  var timeline: TimelineFile.Form? {
    if let positions { return .positions(positions) }
    return self == .markdown ? .markdown : nil
  }
}
