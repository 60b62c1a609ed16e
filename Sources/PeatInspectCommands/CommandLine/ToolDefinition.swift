import CommandLineOptions

/// The tool as its command line, manual page and completions describe it.
enum ToolDefinition {
  static let version = "0.1.0"
  /// The day of that version in the change log; the manual page carries it.
  static let date = "2026-11-30"

  static let inspect = Command<RawOptions>(
    name: "inspect",
    summary: "the timeline of every Peat message",
    discussion: """
      Prints each Peat message of the captures with what it changed in the replayed state of the \
      mesh. In text, messages that only repeat what is known are folded into a count; a summary \
      of the nodes follows.

      FILE is a capture of any container that is recognised by its content: btsnoop, pcap, \
      pcapng, Apple PacketLogger, and others; - is standard input. Several files are one \
      mesh seen from several places: their clocks are set to that of the first, and a message that \
      two of them recorded is one row.
      """,
    options: [InspectOptions.format] + SharedOptions.all.filter { $0.long != "format" }
      + [SharedOptions.database]
      + ShareOptions.all + SharedOptions.each,
    arguments: Arguments(
      name: "FILE", minimum: 1, maximum: nil, completion: .file, summary: "a capture, or -",
      readsStandardInput: true),
    examples: [
      Example("peat-inspect samples/two-nodes.btsnoop", "The timeline of a capture."),
      Example(
        "peat-inspect -f csv -o timeline.csv samples/phone.log", "A table for a spreadsheet."),
      Example(
        "peat-inspect -f ndjson --changed samples/two-nodes.pcap",
        "Only what changed the mesh, one JSON object a line."),
      Example(
        "peat-inspect -f sqlite -o phone.db samples/phone.log",
        "Everything as a database: sqlite3 phone.db 'SELECT * FROM timeline'."),
      Example(
        "peat-inspect -f pcapng -o small.pcapng samples/phone.log",
        "A capture for Wireshark with only the packets that matter."),
    ],
    seeAlso: ["completions"])

  static let completions = Command<RawOptions>(
    name: "completions",
    summary: "a completion script for bash, zsh or fish",
    discussion: "Prints the script to standard output.",
    arguments: Arguments(
      name: "SHELL", minimum: 1, maximum: 1, completion: .words(["bash", "zsh", "fish"]),
      summary: "bash, zsh or fish"),
    examples: [
      Example("peat-inspect completions bash", "The script that make install puts in place.")
    ])

  static let help = Command<RawOptions>(
    name: "help",
    summary: "the help of a command, or of the tool",
    arguments: Arguments(
      name: "COMMAND", minimum: 0, maximum: 1, completion: .nothing,
      summary: "the command to tell of"),
    examples: [Example("peat-inspect help check", "All of the help of check.")])

  static let versionCommand = Command<RawOptions>(name: "version", summary: "name and version")

  /// Prints the manual page; `make man` keeps `man/peat-inspect.1` in step with it.
  static let manual = Command<RawOptions>(
    name: "man", summary: "the manual page in mdoc, or that of the findings",
    arguments: Arguments(
      name: "PAGE", minimum: 0, maximum: 1, completion: .words(["findings"]), summary: "findings"),
    isHidden: true)

  static let tool = Tool<RawOptions>(
    name: "peat-inspect",
    summary: "inspect the traffic of Peat meshes in Bluetooth captures",
    discussion: """
      Peat is a mesh of phones, watches and sensors that replicate small CRDT documents over \
      Bluetooth Low Energy. peat-inspect reads HCI captures, finds the Peat documents in them, \
      decodes them as the reference implementation does, and replays the state of the mesh.
      """,
    version: version, date: date,
    commands: [
      inspect, state, diff, convergence, emergencies, links, stats, align, mesh, upgrades,
      CheckDefinition.command, decode, merge, monitor, node, interfaces, completions, help,
      versionCommand, manual,
    ],
    defaultCommand: "inspect",
    exitStatuses: [
      Tool.Entry("0", "Done."),
      Tool.Entry(
        "1",
        "check found something of the severity of --fail-on or graver; diff --exit-code found "
          + "differences; monitor: --until was not met when the run ended."),
      Tool.Entry("2", "The command line is wrong."),
      Tool.Entry("3", "An input cannot be read at all, or an output cannot be written."),
      Tool.Entry(
        "4",
        "An input is damaged or cut, or a needed value was cut by the capture; everything that "
          + "could be decoded was output."),
      Tool.Entry("5", "A device, adapter or permission is missing."),
    ],
    environment: [
      Tool.Entry("NO_COLOR", "When set and not empty, no colour is used unless asked for."),
      Tool.Entry("TERM", "When dumb, no colour is used unless asked for."),
      Tool.Entry("TZ", "The zone of local times."),
      Tool.Entry(
        "XDG_CONFIG_HOME", "Where the settings file peat-inspect/config is, instead of ~/.config."),
      Tool.Entry("COLUMNS", "The width of text output where there is no terminal to ask."),
    ],
    files: [
      Tool.Entry(
        "~/.config/peat-inspect/config",
        "Settings that hold where the command line says nothing else; see --no-config."),
      Tool.Entry(
        "share/doc/peat-inspect/protocol.md",
        "Peat on the wire, whose headings findings name as their rule; docs/ in the sources."),
      Tool.Entry(
        "share/doc/peat-inspect/formats.md", "Containers of captures, and HCI, L2CAP and ATT."),
      Tool.Entry(
        "share/doc/peat-inspect/cli.md", "The command line and its records, on which scripts rely."),
      Tool.Entry("share/doc/peat-inspect/records.md", "What the columns and keys mean."),
      Tool.Entry("share/peat-inspect/record.schema.json", "The JSON Schema of the NDJSON record."),
    ],
    seeAlso: ["peat-inspect-findings(7)", "btmon(1)", "tshark(1)", "jq(1)"],
    copyright: """
      The sources are under the Apache License 2.0. A binary that is linked with libbluetooth \
      (GNU General Public License, version 2 or later) is passed on under version 3 or later of \
      that licence.
      """)
}
