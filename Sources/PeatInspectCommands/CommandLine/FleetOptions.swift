import CommandLineOptions

/// What the command line says of many captures, each for itself.
struct FleetOptions: Sendable {
  /// Whether every capture is read for itself.
  var isEach = false
  var jobs: Int?
  /// Seconds that one capture may take; 0 waits without end.
  var timeLimit: Int?
  /// Whether each capture is closed with a record of its own.
  var hasFacts = false
  /// What records call standard input.
  var inputName: String?
  /// Whether this is a process that is handed captures by another one.
  var isWorker = false
  /// A file of `align`'s records.
  var clocks: String?
  var isMergeable = false
  var mergesStates = false

  /// Whether records bear the name of their message.
  var namesMessages: Bool { isEach || hasFacts }
}

extension SharedOptions {
  private static let category = OptionCategory("Many captures")

  /// For the commands that can take every capture for itself.
  static let each: [Option<RawOptions>] = [
    Option(
      long: "each", category: category, summary: "take every capture for itself, not as one mesh",
      discussion: """
        One that cannot be read never stops the others; the status is the highest of all. \
        NDJSON of commands whose records do not name the capture has it as "file" then, CSV as a \
        first column "capture"; text has a heading. @LIST stands for the files that LIST names, \
        one a line or with zero bytes between, @- for those on standard input.
        """,
      apply: .set(\.fleet.isEach)),
    Option(
      long: "jobs", value: "N", defaultValue: "1", category: category,
      summary: "with --each: read with so many processes",
      discussion: "Captures then come in the order in which they are done.",
      apply: .integer(\.fleet.jobs, in: 1...256)),
    Option(
      long: "time-limit", value: "SECONDS", defaultValue: "900", category: category,
      summary: "with --each: give a capture up after so long; 0: never",
      apply: .integer(\.fleet.timeLimit, in: 0...1_000_000)),
    Option(
      long: "facts", category: category,
      summary: "close each capture with a record of its own",
      discussion: """
        "scope":"capture" in the NDJSON: checksum, packets, times, mesh, and what became of it. \
        With it, as with --each, messages have an "id" that is the same in every capture.
        """,
      apply: .set(\.fleet.hasFacts)),
    Option(
      long: "each-worker", category: category, summary: "read captures as they are handed over",
      isHidden: true, apply: .set(\.fleet.isWorker)),
  ]

  static let mergeable = Option<RawOptions>(
    long: "mergeable", category: category,
    summary: "print a snapshot that merge --states takes",
    discussion: """
      All emergencies, counters and nodes, without the limits of a document, as NDJSON. Snapshots \
      may be merged in any order, in groups, and twice.
      """,
    apply: .set(\.fleet.isMergeable))

  static let states = Option<RawOptions>(
    long: "states", category: category,
    summary: "merge the snapshots in these files, which state --mergeable printed",
    discussion: """
      The arguments are files then, - for standard input. Prints the records of state, of the mesh \
      first; with --mergeable the snapshot. Of several emergencies of one time all are kept, and \
      that of the lowest source is shown.
      """,
    apply: .set(\.fleet.mergesStates))

  static let clocksFile = Option<RawOptions>(
    long: "clocks", value: "FILE", completion: .file, category: .reading,
    summary: "put captures on the clocks that align -f ndjson found",
    discussion: """
      A capture is looked up by its name as given, with --each too. Others are aligned as usual.
      """,
    apply: .text(\.fleet.clocks))

  static let inputName = Option<RawOptions>(
    long: "name", value: "NAME", category: category,
    summary: "what records call standard input (default -)", apply: .text(\.fleet.inputName))
}
