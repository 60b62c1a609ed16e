import CommandLineOptions
import PeatProtocol
import PeatReplay
import PeatReports
import SystemIO
import WireBytes

/// `peat-inspect merge --states FILE...`: snapshots joined, whatever their order and number.
struct MergeStatesCommand {
  private let files: [String]
  private let configuration: DecodeConfiguration
  private var diagnostics: Diagnostics
  private var snapshot = Snapshot()
  private var lines = 0

  /// Checks the options; the files are opened by `run()`.
  init(_ configuration: DecodeConfiguration, files: [String]) throws(UsageError) {
    self.configuration = configuration
    self.files = files.isEmpty ? ["-"] : files
    if configuration.raw.format == .text {
      throw UsageError("--states: 'text' is not a format of records", advice: "use -f ndjson")
    }
    try OutputGuard(configuration.raw, captures: self.files)
      .check(configuration.output, option: "--output")
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
  }

  mutating func run() throws(Errno) -> ExitStatus {
    for file in files {
      do throws(Errno) {
        if file == "-" {
          try read(.standardInput, file)
        } else {
          try read(try .open(readOnly: file), file)
        }
      } catch {
        diagnostics.raise(to: .unreadable)
        diagnostics.say("\(error)")
      }
    }
    diagnostics.finish()
    if lines == 0 {
      if diagnostics.status == .done { diagnostics.say("no snapshot to merge") }
      return max(diagnostics.status, .damaged)
    }
    if snapshot.isCut {
      diagnostics.warn("more nodes, emergencies or acks than are kept: some are left out")
    }
    var text = OutputText(capacity: 1 << 16)
    if configuration.raw.fleet.isMergeable {
      text.append(snapshot: snapshot)
    } else {
      for rival in snapshot.rivals {
        diagnostics.warn(
          "emergency of \(rival.source) has the time of the one of "
            + "\(snapshot.shown.map { "\($0.source)" } ?? "-") that is shown; both are kept: "
            + "a node shows the one that it met first")
      }
      text.append(stateOf: snapshot)
    }
    let target = try OutputTarget(path: configuration.output)
    try target.sink.append(text.slice)
    try target.finish()
    return diagnostics.status
  }

  private mutating func read(
    _ descriptor: consuming FileDescriptor, _ name: String
  ) throws(Errno) {
    var reader = HexLines(descriptor)
    while let line = try reader.next(whenIdle: { () throws(Errno) in }) {
      do throws(SnapshotFault) {
        if try snapshot.read(line: reader.text.extracting(line)) { lines += 1 }
      } catch {
        diagnostics.raise(to: .damaged)
        diagnostics.report("\(name): line \(reader.number): \(error.reason)", code: "no-snapshot")
      }
    }
  }
}
