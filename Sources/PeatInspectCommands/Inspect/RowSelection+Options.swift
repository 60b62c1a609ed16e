import CaptureFormats
import PeatTimeline
import WireBytes

extension RowSelection {
  /// What the options select, once the captures' first packet is known; `last` finds the last one.
  ///
  /// What cannot be told of this input is reported, and then no row is wanted.
  init(
    _ raw: RawOptions, start: Timestamp?,
    last: @escaping (_ start: Timestamp) throws(CaptureError) -> Timestamp,
    diagnostics: inout Diagnostics
  ) {
    self.init()
    nodes = Set(raw.nodes)
    peers = Set(raw.peers)
    kinds = Set(raw.kinds)
    events = Set(raw.events)
    changedOnly = raw.changedOnly
    guard let start else { return }
    let resolver = MomentResolver(
      first: start, last: { () throws(CaptureError) in try last(start) },
      isUTC: raw.clock == .utc)
    do throws(CaptureError) {
      if let from = raw.from { self.from = try resolver.resolve(from) }
      if let to = raw.to { self.to = try resolver.resolve(to) }
    } catch {
      diagnostics.report(error)
    }
    for text in raw.filters {
      do throws(FilterError) {
        filters.append(try RowFilter(text, times: { resolver.instant(of: $0) }))
      } catch {
        // The option's own check leaves only a time before the end of standard input.
        diagnostics.say("--filter: \(error)")
        diagnostics.raise(to: .usage)
        isImpossible = true
      }
    }
  }
}
