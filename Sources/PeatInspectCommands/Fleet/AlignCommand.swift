import CommandLineOptions
import PeatDissection
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// `peat-inspect align FILE...`: the clock of each capture, as records that `--clocks` applies.
struct AlignCommand {
  private let configuration: InspectConfiguration
  private let session: CaptureSession

  /// Reads the keys; the captures are opened by `run()`.
  init(_ configuration: InspectConfiguration) throws {
    self.configuration = configuration
    session = try CaptureSession(configuration)
  }

  func run() throws -> ExitStatus {
    guard try session.open(findsClocksOnly: true), let clocks = session.foundClocks else {
      return try session.finishUnopened()
    }
    let target = try session.output()
    session.conclude()
    let records = self.records(clocks)
    var text = OutputText(capacity: 1 << 16)
    switch configuration.format {
    case .ndjson: for record in records { record.append(to: &text) }
    case .csv:
      ClockRecord.appendHeader(to: &text)
      for record in records { record.append(csv: &text) }
    case .text: for record in records { text.append(raw: record.line + "\n") }
    }
    try target.sink.append(text.slice)
    return try session.finish(target)
  }

  private func records(_ clocks: Alignment) -> [ClockRecord] {
    // One that could not be read has been told with its reason.
    let shown = session.streams.indices.filter { !session.streams[$0].hasFailed }
    var members: [Int: Int] = [:]
    for index in shown { members[clocks.references[index] ?? index, default: 0] += 1 }
    var numbers: [Int: Int] = [:]
    return shown.map { index in
      let stream = session.streams[index]
      var outcome = clocks.outcomes[index]
      var reference = clocks.references[index]
      switch outcome {
      case .reference where members[index] == 1 && stream.clock == nil,
        .kept(Alignment.notAsked):
        // Whatever stands first: without another one there is nothing to be the reference of.
        outcome = .kept(Alignment.nothingShared)
        reference = nil
      default: break
      }
      let group = reference ?? index
      if numbers[group] == nil { numbers[group] = numbers.count + 1 }
      return ClockRecord(
        file: stream.file, reference: reference.map { session.streams[$0].file },
        group: numbers[group] ?? 0, outcome: outcome, clock: stream.clock,
        stretch: stream.dissector.clockSteps.all.isEmpty ? nil : stream.commonStretch)
    }
  }
}

extension ToolDefinition {
  static let align = Command<RawOptions>(
    name: "align",
    summary: "the clock of each capture against the others",
    discussion: """
      Finds from messages that several captures recorded how far the clock of each is ahead and how \
      much it drifts, and prints one record a capture. Captures that share messages, be it through \
      others, are one group with the clock of its first one; groups cannot be joined. A sniffer \
      hears a message between its sending and its arrival, which bounds its clock too.

      --clocks FILE applies the records in the reading commands.
      """,
    options: [SharedOptions.output[0], SharedOptions.outputPath]
      + SharedOptions.handles + SharedOptions.keys
      + SharedOptions.alignment + [SharedOptions.strict]
      + SharedOptions.members + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example(
        "peat-inspect align -f ndjson -o clocks.ndjson alpha.btsnoop bravo.pcapng",
        "The clocks of two captures, for --clocks."),
      Example(
        "find exercise -name '*.btsnoop' | peat-inspect align -f csv @-",
        "A table of the clocks of a whole exercise."),
    ],
    seeAlso: ["inspect", "convergence"])
}
