import CommandLineOptions
import PeatTimeline

/// `check` as command line, manual page and completions describe it.
enum CheckDefinition {
  static let command = Command<RawOptions>(
    name: "check",
    summary: "findings: protocol faults, CRDT violations, waste, risks",
    discussion: """
      Reads the captures and tells what is wrong with the mesh: each finding with its stable code, \
      the packets that show it, the source of the rule, and what to do. Findings of one code and \
      one node or connection are told once, with their number, and those of one code stand \
      together. error is only what loses or falsifies data or an alert. Findings that sound \
      captures are full of are told only with --only or -v. peat-inspect-findings(7) explains every \
      code; check --list prints the same table.
      """,
    options: FormatOption.output([FormatOption.markdown], csv: "one row a finding") + findings
      + SharedOptions.selection
      + [SharedOptions.meshID]
      + SharedOptions.reading + [SharedOptions.database]
      + SharedOptions.members + SharedOptions.each + SharedOptions.diagnostics,
    arguments: Arguments(
      name: "FILE", minimum: 0, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example("peat-inspect check samples/phone.log", "What is wrong in a phone's log."),
      Example(
        "peat-inspect check -f ndjson --fail-on warning samples/two-nodes.btsnoop",
        "For a test run: status 1 where a warning or an error was found."),
      Example(
        "peat-inspect check --ignore old-document --severity warning samples/phone.log",
        "Without one code, and without notes."),
      Example("peat-inspect check --list", "Every finding there is."),
    ],
    seeAlso: ["inspect"])

  private static let category = OptionCategory("Findings")

  private static let findings: [Option<RawOptions>] = [
    Option(
      long: "fail-on", value: "SEVERITY",
      choices: [
        Choice("error", "what loses or falsifies data"), Choice("warning", "what may"),
        Choice("note", "anything"),
      ],
      defaultValue: "error", category: category,
      summary: "the least severity that makes the exit status 1", isCommon: true,
      apply: .choice(\.failOn)),
    Option(
      long: "only", value: "CODE", choices: codes, category: category,
      summary: "only findings of this code; repeatable", apply: .appendChoice(\.onlyFindings)),
    Option(
      long: "ignore", value: "CODE", choices: codes, category: category,
      summary: "no findings of this code; repeatable", apply: .appendChoice(\.ignoredFindings)),
    Option(
      long: "severity", value: "SEVERITY",
      choices: [
        Choice("error", "errors alone"), Choice("warning", "errors and warnings"),
        Choice("note", "everything"),
      ],
      defaultValue: "note", category: category, summary: "only findings from this severity on",
      apply: .choice(\.leastSeverity)),
    Option(
      long: "list", category: category, summary: "print the table of findings, and read nothing",
      apply: .set(\.listsFindings)),
  ]

  private static let codes = FindingCode.allCases.map { Choice($0.rawValue) }
}
