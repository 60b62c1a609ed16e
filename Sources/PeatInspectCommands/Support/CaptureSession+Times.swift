import CommandLineOptions
import PeatTimeline
import WireBytes

extension CaptureSession {
  /// The instant of a time as typed; nil where no packet has a time to count from.
  ///
  /// Asked for behind the last row, it needs no reading of its own.
  func instant(of moment: RawOptions.Moment) -> Int64? {
    let first = start ?? streams.compactMap { $0.findFirstTime() }.min()
    return first.flatMap { resolver(first: $0).resolve(moment) }
  }

  /// The span between `--from` and `--to`, both included.
  func window() -> MomentWindow {
    MomentWindow(
      from: configuration.raw.from.flatMap { instant(of: $0) },
      to: configuration.raw.to.flatMap { instant(of: $0) })
  }

  private func resolver(first: Timestamp) -> MomentResolver {
    MomentResolver(
      first: first, last: { [streams] in streams.compactMap { $0.findLastTime() }.max() ?? first },
      isUTC: configuration.raw.clock == .utc)
  }

  /// The selection of the options, whose times are instants only once the first packet is known.
  func makeSelection() -> RowSelection {
    let raw = configuration.raw
    let resolver = resolver(first: start ?? Timestamp(nanoseconds: 0))
    var selection = RowSelection(raw)
    selection.from = raw.from.flatMap { resolver.resolve($0) }
    selection.to = raw.to.flatMap { resolver.resolve($0) }
    for text in raw.filters {
      do throws(FilterError) {
        selection.filters.append(try RowFilter(text, times: { resolver.instant(of: $0) }))
      } catch {
        diagnostics.say("--filter: \(error)")
        diagnostics.raise(to: .usage)
        selection.isImpossible = true
      }
    }
    return selection
  }

  /// A time before the end of what can be read only once is known too late to choose rows by it.
  func refuseTimesBeforeUnknownEnd() throws(UsageError) {
    guard let stream = streams.first(where: { !$0.knowsEnd }),
      let words = configuration.raw.timeBeforeEnd
    else { return }
    let name = stream.file == "-" ? "standard input" : stream.file
    throw UsageError(
      configuration.raw.follows
        ? "\(words): a capture that is followed has no end yet"
        : "\(words): a time before the end needs a file, \(name) can be read only once",
      advice: "save it to a file, or count from the first packet")
  }
}
