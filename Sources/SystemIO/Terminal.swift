import Glibc

/// What the other end of an output can show.
package enum Terminal {
  /// When output is coloured (`--color`).
  package enum ColorChoice: String, Sendable, CaseIterable {
    case auto, always, never
  }

  /// The columns to fill: the terminal's, else `COLUMNS`, else 80.
  package static func columns(
    of descriptor: borrowing FileDescriptor, environment: Environment
  ) -> Int {
    if let columns = Syscalls.terminalColumns(descriptor.rawValue) { return columns }
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), (1...10_000).contains(columns) {
      return columns
    }
    return 80
  }

  /// Whether to colour. `auto` asks for a terminal which is not `TERM=dumb`, and for `NO_COLOR`
  /// (no-color.org) to be unset or empty.
  package static func usesColor(
    _ choice: ColorChoice, isTerminal: Bool, environment: Environment
  ) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && !environment.has("NO_COLOR") && environment.has("TERM")
        && environment["TERM"] != "dumb"
    }
  }
}
