import CommandLineOptions
import PeatDissection
import PeatTimeline
import SystemIO
import WireBytes

/// Puts the captures of a command line on one clock.
struct CaptureAlignment {
  private let configuration: InspectConfiguration
  private var options = Alignment.Options()

  /// Checks the options on clocks; nothing is opened yet.
  init(_ configuration: InspectConfiguration) throws(UsageError) {
    self.configuration = configuration
    options.isEnabled = configuration.raw.alignsClocks
    for offset in configuration.raw.offsets {
      guard configuration.files.contains(offset.file) else {
        throw UsageError(
          "--offset: \(UsageError.quoted(offset.file)) is not one of the files",
          advice: "name it as it is given on the command line")
      }
      guard offset.file != configuration.files.first else {
        throw UsageError("--offset: the first file's clock is the one that others are set to")
      }
      options.offsets[offset.file] = offset.nanoseconds
    }
  }

  /// Reads the clocks that a file tells.
  ///
  /// - Throws: what is wrong with the file.
  mutating func readClocks() throws {
    guard let path = configuration.raw.fleet.clocks else { return }
    options.clocks = try ClocksFile(path: path).clocks
  }

  /// Turns the captures' clocks into the first one's, and says by how much.
  func align(_ streams: [CaptureStream], _ diagnostics: Diagnostics) {
    guard let first = streams.first else { return }
    if streams.count == 1 {
      // Nothing to compare with; a clock that is known is put right all the same.
      if !options.clocks.isEmpty { _ = Alignment(streams, options: options) }
      return
    }
    let alignment = Alignment(streams, options: options)
    for (stream, outcome) in zip(streams, alignment.outcomes) {
      report(outcome, of: stream.file, against: first.file, diagnostics)
    }
    guard options.isEnabled else { return }
    for stream in streams where !stream.dissector.clockSteps.all.isEmpty {
      diagnostics.warn(
        "\(stream.file): its clock was put; the stretch with the most messages is aligned, and "
          + "the others are shown as if time had gone on")
    }
  }

  /// Finds the clocks alone, of every group of captures that share messages.
  func clocks(of streams: [CaptureStream]) -> Alignment {
    var options = options
    options.isForClocks = true
    return Alignment(streams, options: options)
  }

  private func report(
    _ outcome: Alignment.Outcome, of file: String, against first: String,
    _ diagnostics: Diagnostics
  ) {
    switch outcome {
    case .reference: return
    case .given(let offset):
      note("\(file): clock \(seconds(offset)) s against \(first), as given", diagnostics)
    case .kept(let reason):
      if options.isEnabled {
        diagnostics.warn("\(file): its clock is not aligned with \(first): \(reason)")
      }
    case .estimated(let fit, let offset):
      var text = "\(file): clock \(seconds(offset)) s against \(first) at its first packet"
      if let uncertainty = fit.uncertainty { text += " (+- \(milliseconds(uncertainty)) ms)" }
      if let deviation = fit.driftUncertainty {
        text += ", drift \(ppm(fit.correction.drift)) ppm (+- \(ppm(deviation, sign: false)))"
      }
      text += ", from \(fit.pairs.forward + fit.pairs.backward) messages recorded at both ends"
      note(text, diagnostics)
      if fit.uncertainty == nil {
        diagnostics.warn(
          "\(file): the messages at both ends went one way only; "
            + "the fastest one is taken to have needed no time")
      }
      if !fit.isConsistent {
        diagnostics.warn(
          "\(file): no steady clock explains when its messages were seen; was it set meanwhile?")
      }
    }
  }

  private func note(_ text: String, _ diagnostics: Diagnostics) {
    if !configuration.raw.isQuiet { diagnostics.say(text) }
  }

  private func seconds(_ nanoseconds: Int64) -> String {
    (nanoseconds < 0 ? "-" : "+") + decimal(nanoseconds.magnitude, places: 9, shown: 6)
  }

  private func milliseconds(_ nanoseconds: Int64) -> String {
    decimal(nanoseconds.magnitude, places: 6, shown: 1)
  }

  private func ppm(_ drift: Double, sign: Bool = true) -> String {
    let tenths = Int64((drift * 1e7).rounded())
    let number = decimal(tenths.magnitude, places: 1, shown: 1)
    return sign ? (tenths < 0 ? "-" : "+") + number : number
  }

  /// A number of units of 10^-places as a decimal with `shown` digits behind the point.
  private func decimal(_ value: UInt64, places: Int, shown: Int) -> String {
    let unit = (0..<places).reduce(UInt64(1)) { unit, _ in unit * 10 }
    let digits = String(value % unit)
    let fraction = String(repeating: "0", count: places - digits.utf8.count) + digits
    return "\(value / unit).\(fraction.prefix(shown))"
  }
}
