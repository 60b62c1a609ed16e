import PeatReports
import SystemIO
import WireBytes

extension TextStyle {
  /// The style that the options, the environment and the output's other end ask for.
  init(_ raw: RawOptions, writesToFile: Bool, environment: Environment) {
    let isTerminal = !writesToFile && FileDescriptor.standardOutput.isTerminal
    let zone = LocalTimeZone()
    self.init(
      columns: TextStyle.columns(isTerminal: isTerminal, environment: environment),
      usesColor: Terminal.usesColor(raw.color, isTerminal: isTerminal, environment: environment),
      clock: TextStyle.clock(raw.clock), isVerbose: raw.verbosity > 0,
      zone: { zone.offset(at: $0.nanoseconds / 1_000_000_000) })
    namesFilter = raw.share.namesFilter
    isASCII = ASCIISpelling.isAsked(by: environment)
  }

  /// Lines fit 100 columns where nothing tells the width (cli.md).
  private static func columns(isTerminal: Bool, environment: Environment) -> Int {
    if isTerminal || environment.has("COLUMNS") {
      return Terminal.columns(of: .standardOutput, environment: environment)
    }
    return 100
  }

  private static func clock(_ clock: RawOptions.Clock) -> TextStyle.Clock {
    switch clock {
    case .local: .local
    case .utc: .utc
    case .relative: .relative
    }
  }
}
