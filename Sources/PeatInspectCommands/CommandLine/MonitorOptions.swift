import CommandLineOptions
import PeatTimeline

/// What only `monitor` takes.
struct MonitorOptions: Sendable {
  /// Devices, or pipes, that are captured from.
  var interfaces: [String] = []
  var replay: String?
  /// Seconds of the capture in one second; 0 for no pauses at all.
  var speed: Double?
  var count: Int?
  /// Nanoseconds.
  var duration: UInt64?
  /// Checked; its times wait for the first packet.
  var until: String?
  var write: String?
  var rotation: RecordingOptions.Rotation?
  var files: Int?
  var comments = false
  var alerts: [AlertCondition] = []
  var commands: [[String]] = []
  var rings = false
  var metrics: MetricsAddress?
}

extension OptionCategory {
  static let source = OptionCategory("Source")
  static let ending = OptionCategory("Ending")
  static let recording = OptionCategory("Recording")
  static let alerts = OptionCategory("Alerts")
  static let metrics = OptionCategory("Metrics")
}

extension MonitorOptions {
  private static let source: [Option<RawOptions>] = [
    Option(
      long: "interface", short: "i", value: "IFACE", category: .source,
      summary: "capture from this device; see the command interfaces",
      discussion: """
        May be given several times, and beside SOURCEs: all are one timeline. A pipe or a file may \
        be named too.
        """, isCommon: true,
      apply: .append(\.monitor.interfaces)),
    Option(
      long: "replay", value: "FILE", completion: .file, category: .source,
      summary: "play a capture as if it came now", isCommon: true,
      apply: .text(\.monitor.replay)),
    Option(
      long: "speed", value: "N", category: .source,
      summary: "play N times as fast; max plays without pauses",
      discussion: "Durations count in the capture's own time then.",
      apply: .parsed(\.monitor.speed, by: speed)),
  ]

  private static let ending: [Option<RawOptions>] = [
    Option(
      long: "count", value: "N", category: .ending, summary: "end after N shown messages",
      apply: .integer(\.monitor.count, in: 1...Int.max)),
    Option(
      long: "duration", value: "TIME", category: .ending,
      summary: "end after so long, such as 60, 90s, 10m or 12h",
      apply: .parsed(
        \.monitor.duration,
        by: { (text) throws(InvalidValue) in try DurationText.parse(text) })),
    Option(
      long: "until", value: "EXPR", category: .ending,
      summary: "end when this holds; status 1 where it never did",
      discussion: """
        EXPR is one or several of these, joined by &&: emergency (the mesh knows of one), \
        emergency.all_acked, changed and finding (of a message), nodes>=N, and what --filter \
        takes, which is asked of each message.
        """,
      apply: .parsed(
        \.monitor.until,
        by: until)),
  ]

  private static let recording: [Option<RawOptions>] = [
    Option(
      long: "write", short: "w", value: "FILE", completion: .file, category: .recording,
      summary: "record every packet to FILE.pcapng or FILE.btsnoop",
      discussion: "A FIFO takes pcapng, whatever it is called.", isCommon: true,
      apply: .text(\.monitor.write)),
    Option(
      long: "rotate", value: "WHEN", category: .recording,
      summary: "begin a new file after a size (100M) or a time (1h)",
      discussion: "The files are called FILE-20260301T113355Z-00001.pcapng and so on.",
      apply: .parsed(
        \.monitor.rotation,
        by: { (text) throws(InvalidValue) in try RecordingOptions.Rotation.parse(text) })),
    Option(
      long: "files", value: "N", category: .recording,
      summary: "keep at most N files; the oldest is removed",
      apply: .integer(\.monitor.files, in: 1...1_000_000)),
    Option(
      long: "comments", category: .recording,
      summary: "with -w FILE.pcapng: tell each message in a comment on its packet",
      discussion: "What keys open of encrypted frames is told too.",
      apply: .set(\.monitor.comments)),
  ]

  private static let alertOptions: [Option<RawOptions>] = [
    Option(
      long: "on", value: "EVENT", category: .alerts,
      summary: "what to alert of: emergency, finding, silence=30s",
      discussion: """
        emergency: a message shows one for the first time; finding: a message or a packet has one, \
        finding=CODE or finding=error (warning, note) only such, or as grave; \
        silence=TIME: no message came for so long. May be given several times; default: emergency.
        """,
      apply: .appendParsed(
        \.monitor.alerts,
        by: { (text) throws(InvalidValue) in try AlertCondition.parse(text) })),
    Option(
      long: "exec", value: "COMMAND", category: .alerts,
      summary: "run a program at each alert: --exec CMD ARG... \\;",
      discussion: """
        Everything up to a lone ; is the program and its arguments; there is no shell. It gets the \
        record as JSON on standard input and the event in the variable PEAT_ALERT.
        """,
      apply: .appendParsed(\.monitor.commands, by: ExecWords.unfold)),
    Option(
      long: "bell", category: .alerts, summary: "ring the terminal's bell at each alert",
      apply: .set(\.monitor.rings)),
  ]

  /// Options of the reading commands that make sense for what has no end.
  private static let shared: [Option<RawOptions>] = SharedOptions.all.filter {
    ![
      "output", "from", "to", "progress", "follow", "all-members", "align", "offset", "mesh-id",
    ].contains($0.long) && $0.category != AnonymizeOptions.category
  }

  private static let metricsOptions: [Option<RawOptions>] = [
    Option(
      long: "metrics", value: "ADDRESS:PORT", category: .metrics,
      summary: "serve counts for Prometheus at http://ADDRESS:PORT/metrics",
      discussion: """
        Such as 127.0.0.1:9100, [::1]:9100 or localhost:9100; port 0 lets the system choose one, \
        which is told on stderr. There is no access control: an address that others can reach is \
        served only where it is written out.
        """,
      apply: .parsed(
        \.monitor.metrics,
        by: { (text) throws(InvalidValue) in try MetricsAddress.parse(text) }))
  ]

  static let all = source + recording + alertOptions + metricsOptions + ending + shared

  private static func until(_ text: String) throws(InvalidValue) -> String {
    do throws(FilterError) {
      _ = try UntilCondition(text) { (try? MomentParser.parse($0)) == nil ? nil : 0 }
      return text
    } catch {
      throw InvalidValue(
        "\(error); besides filters there are emergency, emergency.all_acked, finding, changed and "
          + "nodes>=N")
    }
  }

  private static func speed(_ text: String) throws(InvalidValue) -> Double {
    if text == "max" { return 0 }
    guard let number = Double(text), number > 0, number <= 1e9 else {
      throw InvalidValue("expected a number above 0, or max")
    }
    return number
  }
}

/// A span of time as typed: seconds, or a number with `ms`, `s`, `m`, `h` or `d`.
enum DurationText {
  private static let units: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("", 1),
  ]

  /// Nanoseconds.
  static func parse(_ text: String) throws(InvalidValue) -> UInt64 {
    for unit in units where text.hasSuffix(unit.suffix) {
      let digits = text.dropLast(unit.suffix.count)
      guard let first = digits.utf8.first, (0x30...0x39).contains(first) || first == 0x2E,
        let number = Double(digits), number.isFinite, number > 0
      else { break }
      return UInt64(min(number * unit.seconds * 1e9, 9e18))
    }
    throw InvalidValue("expected a span of time such as 60, 1.5s, 10m or 12h")
  }
}

extension ToolDefinition {
  static let monitor = Command<RawOptions>(
    name: "monitor",
    summary: "messages as they come, live",
    discussion: """
      On a terminal a full-screen view: nodes, messages, emergencies, and the fields and bytes of \
      the selected message; ? lists the keys. With -f, or where there is no terminal (or TERM is \
      dumb), one line a message, as soon as it is there. -i captures from bluetooth-monitor or bluetoothN \
      with CAP_NET_RAW, which is given up once the device is open (but for reopening bluetoothN); \
      without it they would show nothing, or a few events. SOURCE is - for standard input, a FIFO, or a file \
      that is still being written, which is followed through rotation; --replay plays a finished \
      one. Of several sources each packet goes into one timeline as it comes, and one that ends \
      leaves the others.

      A write is shown when its answer came, or after a quarter of a second. Values on handles \
      without a name are kept for two minutes and shown when a discovery names them. Where both ends \
      of a connection are adapters of this machine, a message waits up to 50 ms for what the other \
      one sees of it, and is one line. An adapter that goes is opened again when it is back, which is \
      looked for after 1 s and then ever more seldom, up to 30 s; stderr tells both, and a recording \
      goes on in its file. Spans of time are those of a clock that is never put.

      A run reads its sources once, as they come, so that some options of the reading \
      commands have no meaning: --align and --offset (there is one clock), --all-members (no \
      archives), --from and --to (--filter 'time > 12:00' shows a part), --follow (it always does) \
      and --output (-w records packets; lines go to standard output).

      SIGINT, SIGTERM and SIGHUP end the run with the summary and status 0. SIGUSR1 begins a new \
      file of the recording: one with a number, or where FILE was moved away, FILE.
      """,
    options: MonitorOptions.all,
    arguments: Arguments(
      name: "SOURCE", minimum: 0, maximum: nil, completion: .file,
      summary: "- for standard input, a FIFO, or a growing file"),
    examples: [
      Example(
        "peat-inspect monitor -i bluetooth-monitor",
        "What this machine's adapters send and receive."
      ),
      Example(
        "peat-inspect monitor -i bluetooth0 -i bluetooth1 /tmp/sniffer.fifo",
        "Two adapters and a sniffer's pipe as one timeline."),
      Example(
        "peat-inspect monitor --replay samples/two-nodes.btsnoop --speed 4",
        "A capture as if it came now, four times as fast."),
      Example(
        "ssh router btmon -w /dev/stdout | peat-inspect monitor -",
        "What another machine's adapter sends and receives."),
      Example(
        "peat-inspect monitor -i bluetooth0 -w log.pcapng --rotate 100M --files 10",
        "Records the last gigabyte while it shows what comes."),
      Example(
        "peat-inspect monitor -i bluetooth0 --on emergency --exec notify-send Emergency \\;",
        "Runs a program when somebody is in distress."),
      Example(
        "peat-inspect monitor -f ndjson --until emergency.all_acked --duration 60 capture.btsnoop",
        "Waits a minute at most until everybody acknowledged the emergency."),
    ],
    seeAlso: ["inspect", "interfaces"])
}
