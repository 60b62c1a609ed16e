import CommandLineOptions
import PeatProtocol
import PeatTimeline

extension ToolDefinition {
  static let diff = Command<RawOptions>(
    name: "diff",
    summary: "what differs between moments, nodes or captures",
    discussion: """
      Without --between and --against: what changed from --from (the beginning, when not given, \
      where nothing is known) to --to (the end), for the mesh and for each node, and which node is \
      not known to know what the mesh knows at --to. What a node knows is the join of all \
      documents that it has sent. With --against and --of: what two runs of a test differ in, for \
      all of the captures of each.
      """,
    options: FormatOption.output(csv: "one row a difference") + moments + sides
      + SharedOptions.reading
      + SharedOptions.members + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example(
        "peat-inspect diff --from 2 --to 8 samples/two-nodes.btsnoop",
        "What changed within six seconds."),
      Example(
        "peat-inspect diff --against samples/phone.log samples/two-nodes.btsnoop",
        "How the end states of two captures differ."),
      Example(
        "peat-inspect diff --of emergencies --of convergence --against after.btsnoop before.btsnoop",
        "Whether the second run of a test went better than the first."),
    ],
    seeAlso: ["inspect", "convergence"])

  private static let moments = SharedOptions.selection.filter { ["from", "to"].contains($0.long) }

  private static let sides: [Option<RawOptions>] = [
    Option(
      long: "between", value: "NODE", category: .selection,
      summary: "compare what two nodes know, at --to or the end",
      discussion: "Two nodes follow: --between NODE NODE, or --between NODE,NODE.",
      apply: .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
          raw.between.append(try SharedOptions.node(String(part)))
        }
      }),
    Option(
      long: "against", value: "OTHER", completion: .file, category: .selection,
      summary: "compare with another capture",
      discussion: """
        The end states, unless --of says what else. May be given several times: all of them together \
        are the other side, and a message that two of them recorded counts once.
        """,
      apply: .append(\.against)),
    Option(
      long: "of", value: "WHAT",
      choices: [
        Choice("emergencies", "who acknowledged, and how fast; the nth of a source with its nth"),
        Choice("convergence", "how far and how fast news spread"),
        Choice("findings", "what check finds, by code and node"),
      ],
      category: .selection, summary: "with --against: compare these of two runs",
      discussion: "May be given several times.",
      apply: .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
        guard let part = RunDifference.Part(rawValue: text) else {
          throw InvalidValue("expected emergencies, convergence or findings")
        }
        raw.comparedParts.insert(part)
      }),
    Option(
      long: "exit-code", category: .diagnostics,
      summary: "end with status 1 where there are differences", apply: .set(\.hasExitCode)),
  ]
}
