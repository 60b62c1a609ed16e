import CaptureFormats
import WireBytes

/// The span between `--from` and `--to`, both included.
struct MomentWindow {
  private(set) var from: Int64?
  private(set) var to: Int64?

  /// Resolves what was typed by the captures' first and last packets.
  init(
    _ configuration: InspectConfiguration, _ end: CaptureReading.End,
    _ diagnostics: inout Diagnostics
  ) {
    guard let start = end.start else { return }
    let last = end.last ?? start
    let resolver = MomentResolver(
      first: start, last: { () throws(CaptureError) in last },
      isUTC: configuration.raw.clock == .utc)
    do throws(CaptureError) {
      if let moment = configuration.raw.from { from = try resolver.resolve(moment) }
      if let moment = configuration.raw.to { to = try resolver.resolve(moment) }
    } catch {
      diagnostics.report(error)
    }
  }

  func contains(_ time: Timestamp) -> Bool {
    (from.map { time.nanoseconds >= $0 } ?? true) && (to.map { time.nanoseconds <= $0 } ?? true)
  }
}
