import CommandLineOptions

/// The options of `state`.
enum StateOptions {
  static let format = FormatOption.option(
    [FormatOption.markdown] + FormatOption.positions, csv: "one row for each object of the NDJSON")

  static let moment: [Option<RawOptions>] = [
    Option(
      long: "at", value: "T", category: .selection, summary: "the moment; default: the end",
      discussion: "Takes the notations of --from in inspect.", isCommon: true,
      apply: .parsed(\.at, by: { (text) throws(InvalidValue) in try MomentParser.parse(text) })),
    Option(
      long: "apply-deltas", category: .selection,
      summary: "join delta documents too, which no Rust receiver does",
      apply: .set(\.appliesDeltas)),
    SharedOptions.mergeable,
  ]

  static let all =
    [format, SharedOptions.outputPath] + SharedOptions.clocks + [
      SharedOptions.color, SharedOptions.noConfig,
    ] + moment
    + [SharedOptions.meshID] + SharedOptions.reading + SharedOptions.members + SharedOptions.each
    + SharedOptions.diagnostics
}

extension ToolDefinition {
  static let state = Command<RawOptions>(
    name: "state",
    summary: "the CRDT state of the mesh, and of each node, at one moment",
    discussion: """
      The mesh's state is the join of all documents seen up to then, wrapped ones included where \
      they can be opened; malformed, incomplete, refused and cancelled values are left out. A \
      node's state is what its last own document said.

      NDJSON has one object for the mesh, one for each node, and one for each Peat device that was \
      heard advertising; -v adds the other devices. A node's links are the ids of the connections \
      on which it sent messages of its own, as inspect shows them. Its platform is a guess from \
      its codec, its characteristics and its way of advertising.
      """,
    options: StateOptions.all,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example("peat-inspect state samples/two-nodes.btsnoop", "The mesh at the capture's end."),
      Example(
        "peat-inspect state --at 12.5 -f ndjson samples/two-nodes.btsnoop",
        "The state after 12.5 seconds, for a script."),
    ],
    seeAlso: ["inspect"])
}
