import CommandLineOptions

extension ToolDefinition {
  static let convergence = Command<RawOptions>(
    name: "convergence",
    summary: "how each update spread: who knew it, when",
    discussion: """
      An update is a step of a node's counter, an emergency, an acknowledgement, or a clear that \
      another node's document undid. For each, the first message that contains it is told, and for \
      every other node the first of its own messages that does: by then it knew. Messages are \
      redundant where they told their receiver nothing that the captures do not show it to have \
      known. Time on the air is estimated for LE 1M without repetitions.

      The summary counts from the first appearance of an update: until each other node was seen to \
      know it, and until all nodes were that had been seen in the mesh by then. 95% is the \
      smallest value that 95 of 100 do not exceed.
      """,
    options: FormatOption.output(
      [FormatOption.markdown, FormatOption.dot], csv: "one row an update and node") + [graph]
      + SharedOptions.selection.filter { ["from", "to", "node"].contains($0.long) }
      + [SharedOptions.meshID]
      + SharedOptions.reading
      + SharedOptions.members + SharedOptions.each + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example(
        "peat-inspect convergence samples/two-nodes.btsnoop", "How fast news spreads in a mesh."),
      Example(
        "peat-inspect convergence --graph dot -o mesh.dot samples/mesh-emergency.btsnoop",
        "Who told whom: dot -Tsvg mesh.dot draws it."),
    ],
    seeAlso: ["inspect"])

  private static let graph = Option<RawOptions>(
    long: "graph", value: "FMT", choices: [Choice("dot", "the same as -f dot")],
    category: .output, summary: "who told whom as a graph, instead of the tables",
    apply: .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      guard text == "dot" else { throw InvalidValue("expected dot") }
      raw.format = nil
      raw.fileFormat = .dot
    })
}
