import CommandLineOptions

/// The options that only `inspect` has.
enum InspectOptions {
  static let format = Option<RawOptions>(
    long: "format", short: "f", value: "FMT",
    choices: [
      Choice("text", "for reading"), Choice("csv", "one row a message"),
      Choice("ndjson", "one JSON object a line"),
      Choice("html", "one page that shows everything, for a ticket or a debrief"),
      Choice("sqlite", "a database of messages, links, findings and how updates spread"),
      Choice("pcapng", "the packets again that matter, with the decoding as comments"),
      Choice("pcap", "the same without comments"),
      Choice("btsnoop", "the same without comments"),
    ],
    defaultValue: "text", category: .output, summary: "how to print",
    discussion: """
      CSV and NDJSON always show times in UTC and are stable for scripts. sqlite needs --output. An \
      html page needs no other file and no network; it shows times in UTC and tells emergencies, \
      spread, links, positions, findings and every message, above 10 000 messages those that only \
      repeat as counts.
      """,
    isCommon: true,
    apply: .value(isRepeatable: false) { (raw, text) throws(InvalidValue) in
      try raw.setFormat(text)
    })
}
