import BluetoothProtocols
import CommandLineOptions
import PeatProtocol
import PeatTimeline
import SystemIO

extension OptionCategory {
  static let output = OptionCategory("Output")
  static let selection = OptionCategory("Selection")
  static let reading = OptionCategory("Reading")
  static let diagnostics = OptionCategory("Diagnostics")
}

/// The options that the reading commands share.
enum SharedOptions {
  static let output: [Option<RawOptions>] =
    [
      Option(
        long: "format", short: "f", value: "FMT",
        choices: [
          Choice("text", "for reading"), Choice("csv", "one row a message"),
          Choice("ndjson", "one JSON object a line"),
        ],
        defaultValue: "text", category: .output, summary: "how to print",
        discussion: "CSV and NDJSON always show times in UTC and are stable for scripts.",
        isCommon: true, apply: .choice(\.format)),
      outputPath,
    ] + clocks + [color, noConfig]

  static let outputPath = Option<RawOptions>(
    long: "output", short: "o", value: "PATH", completion: .file, category: .output,
    summary: "write there instead of to standard output",
    discussion: "The file is written whole or not at all.", isCommon: true,
    apply: .text(\.output))

  static let clocks: [Option<RawOptions>] = [
    Option(
      long: "utc", category: .output, summary: "show times in UTC",
      apply: .set(\.clock, to: .utc)),
    Option(
      long: "local", category: .output, summary: "show times in the local zone (default)",
      apply: .set(\.clock, to: .local)),
    Option(
      long: "relative", category: .output, summary: "show seconds from the first packet",
      isCommon: true, apply: .set(\.clock, to: .relative)),
  ]

  static let color = Option<RawOptions>(
    long: "color", value: "WHEN", choices: ["auto", "always", "never"], defaultValue: "auto",
    category: .output, summary: "when to use colour",
    discussion: "auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
    apply: .choice(\.color))

  /// Looked for before anything is parsed: what the file says are the defaults of parsing.
  static let noConfig = Option<RawOptions>(
    long: "no-config", category: .output, summary: "go on without the settings file",
    discussion: """
      $XDG_CONFIG_HOME/peat-inspect/config (~/.config/peat-inspect/config) holds what is said \
      on every command line otherwise, one a line: "keys FILE", "mesh ID", "zone utc|local", \
      "color auto|always|never"; # begins a comment. 'peat-inspect --version -v' shows it.
      """,
    apply: .set(\.ignoresSettings))

  static let selection: [Option<RawOptions>] = [
    Option(
      long: "from", value: "T", category: .selection, summary: "only messages from then on",
      discussion: """
        T is seconds from the first packet (12.5), before the last (-3), a date and time \
        (2026-03-01T12:00:00.5Z), or a clock time on the capture's first day (12:00:07.250). \
        Without a zone it is in the zone shown. The state is replayed from the start in any case.
        """,
      apply: .parsed(\.from, by: { (text) throws(InvalidValue) in try MomentParser.parse(text) })),
    Option(
      long: "to", value: "T", category: .selection, summary: "only messages until then",
      discussion: "Takes the notations of --from.",
      apply: .parsed(\.to, by: { (text) throws(InvalidValue) in try MomentParser.parse(text) })),
    Option(
      long: "node", value: "NODE", category: .selection,
      summary: "only messages by this node, an id or a callsign",
      discussion: """
        A node id is up to 8 hexadecimal digits, with or without 0x in front; what is none is a \
        callsign, which is looked up in a first reading of the captures.
        """, isCommon: true,
      apply: .value(isRepeatable: true) { (raw, text) throws(InvalidValue) in
        if let node = NodeID(text) {
          raw.nodes.append(node)
        } else if text.isEmpty {
          throw InvalidValue("expected a node id or a callsign")
        } else {
          raw.nodeNames.append(text)
        }
      }),
    Option(
      long: "peer", value: "ADDR", category: .selection,
      summary: "only messages on links to this address",
      apply: .appendParsed(\.peers, by: address)),
    Option(
      long: "kind", value: "K",
      choices: MessageKind.allCases.map { Choice($0.rawValue) }, category: .selection,
      summary: "only messages of this kind, wrapped ones included",
      apply: .appendChoice(\.kinds)),
    Option(
      long: "event", value: "E",
      choices: ["ping", "need_assist", "emergency", "moving", "in_position", "ack"],
      category: .selection, summary: "only messages that carry this event",
      discussion: """
        emergency also selects every document that carries an emergency, and ack every message \
        that shows an acknowledgement for the first time.
        """,
      apply: .append(\.events)),
    Option(
      long: "changed", category: .selection,
      summary: "only messages that changed the mesh's state", isCommon: true,
      apply: .set(\.changedOnly)),
    Option(
      long: "filter", value: "EXPR", category: .selection,
      summary: "only messages of which this expression is true", discussion: filterDiscussion,
      apply: .appendParsed(\.filters, by: filter)),
  ]

  private static let filterDiscussion = """
    Compares fields of the NDJSON record with ==, !=, <, <=, >, >= or contains; a field alone \
    asks whether it is true or present; &&, ||, ! and parentheses join: \
    node == 0x12345678 && (event == emergency || finding) && bytes > 200. \
    --filter help lists the fields.
    """

  static let reading: [Option<RawOptions>] =
    handles + keys + alignment + [strict] + AnonymizeOptions.all

  static let alignment: [Option<RawOptions>] = [
    clocksFile,
    Option(
      long: "align", category: .reading,
      summary: "put several captures on the first one's clock (default)",
      discussion: """
        The offset, and the drift where there is enough to tell it, come from messages that two \
        captures recorded at the two ends of a connection. --no-align keeps each capture's clock.
        """,
      apply: .toggle(\.alignsClocks)),
    Option(
      long: "offset", value: "FILE=SECONDS", category: .reading,
      summary: "say how far a capture's clock is ahead of the first one's",
      discussion: "Less than 0 where it is behind; FILE as given on the command line.",
      apply: .appendParsed(
        \.offsets, by: { (text) throws(InvalidValue) in try FileOffsetText.parse(text) })),
  ]

  static let handles: [Option<RawOptions>] = [
    Option(
      long: "handle", value: "[ADDR=]HANDLE", category: .reading,
      summary: "take this attribute handle for the document characteristic",
      discussion: """
        For captures without discovery. With an address it holds for that peer only. A handle is \
        decimal, or hexadecimal with 0x in front.
        """,
      apply: .appendParsed(\.handles, by: handle)),
    Option(
      long: "characteristic", value: "UUID", category: .reading,
      summary: "another document characteristic, besides the known ones",
      apply: .appendParsed(\.characteristics, by: uuid)),
    Option(
      long: "all-characteristics", category: .reading,
      summary: "show values of the other characteristics of Peat services too",
      apply: .set(\.allCharacteristics)),
  ]

  static let keys: [Option<RawOptions>] = [
    Option(
      long: "keys", value: "FILE", completion: .file, category: .reading,
      summary: "secrets for decryption", discussion: keysDiscussion, isCommon: true,
      apply: .append(\.keys)),
    Option(
      long: "mesh", value: "ID", category: .reading,
      summary: "the mesh that --secret belongs to", apply: .text(\.mesh)),
    Option(
      long: "secret", value: "HEX", category: .reading,
      summary: "a mesh's secret of 32 bytes; a keys file keeps it out of the process list",
      apply: .text(\.secret)),
  ]

  static let meshID = Option<RawOptions>(
    long: "mesh-id", value: "ID", category: .selection,
    summary: "read the messages of this Peat mesh only",
    discussion: """
      A node belongs to the mesh that its name announces, or whose key opened its messages; who \
      only appears in others' documents belongs to theirs. The captures are read twice. (--mesh \
      names a secret's mesh; the command mesh is for Bluetooth Mesh.)
      """,
    apply: .text(\.meshID))

  static let strict = Option<RawOptions>(
    long: "strict", category: .reading,
    summary: "stop at the first damaged record instead of going on", apply: .set(\.isStrict))

  private static let keysDiscussion = """
    One entry a line, # begins a comment; keep the file readable by its owner alone: \
    "mesh ID secret HEX", "genesis NAME seed HEX", "peer NODE private HEX", \
    "session NODE NODE key HEX", "irk ADDR HEX", "identity NODE public HEX", \
    "authority public HEX", "beacon ID key HEX", "cdb PATH", "provisioning private HEX".
    """

  /// For the commands that read messages of Bluetooth meshes.
  static let database = Option<RawOptions>(
    long: "cdb", value: "FILE", completion: .file, category: .reading,
    summary: "keys and names of a Bluetooth mesh, as its app exports them",
    discussion: """
      The JSON of the Mesh Configuration Database; may be given several times. It holds keys: keep \
      it readable by its owner alone. None of them appears in any output.
      """,
    apply: .append(\.databases))

  static let diagnostics: [Option<RawOptions>] = [progress] + notes

  static let progress = Option<RawOptions>(
    long: "progress", value: "WHEN", choices: ["auto", "always", "never"],
    defaultValue: "auto", category: .diagnostics, summary: "when to show progress on stderr",
    discussion: "auto: on a terminal, after a second of work.", apply: .choice(\.progress))

  static let quiet = Option<RawOptions>(
    long: "quiet", short: "q", category: .diagnostics, summary: "no warnings on stderr",
    apply: .set(\.isQuiet))

  static let notes: [Option<RawOptions>] = [
    quiet,
    Option(
      long: "verbose", short: "v", category: .diagnostics,
      summary: "say more: about the file on stderr, and every message in text output",
      apply: .count(\.verbosity)),
  ]

  static let all = output + selection + [meshID] + reading + captures + diagnostics

  static func node(_ text: String) throws(InvalidValue) -> NodeID {
    guard let node = NodeID(text) else {
      throw InvalidValue("expected a node id of up to 8 hexadecimal digits")
    }
    return node
  }

  /// Checked here so that a fault is told before anything is read; times wait for the capture.
  private static func filter(_ text: String) throws(InvalidValue) -> String {
    do throws(FilterError) {
      _ = try RowFilter(text) { (try? MomentParser.parse($0)) == nil ? nil : 0 }
      return text
    } catch {
      throw InvalidValue("\(error)")
    }
  }

  private static func address(_ text: String) throws(InvalidValue) -> String {
    guard let address = DeviceAddress(text) else {
      throw InvalidValue("expected an address such as C0:00:00:00:00:01")
    }
    return address.description
  }

  private static func uuid(_ text: String) throws(InvalidValue) -> String {
    guard let uuid = BluetoothUUID(text) else {
      throw InvalidValue("expected 4 hexadecimal digits or a UUID of 36 characters")
    }
    return uuid.description
  }

  private static func handle(_ text: String) throws(InvalidValue) -> String {
    guard HandleText.parse(text) != nil else {
      throw InvalidValue("expected a handle such as 0x0012, or ADDR=HANDLE")
    }
    return text
  }
}
