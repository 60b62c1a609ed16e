import CommandLineOptions

/// The options that only `inspect` has.
enum InspectOptions {
  static let format = FormatOption.option(
    [
      Choice("html", "one page that shows everything, for a ticket or a debrief"),
      Choice("sqlite", "a database of messages, links, findings and how updates spread"),
      FormatOption.markdown,
    ] + FormatOption.positions + [
      Choice("pcapng", "the packets again that matter, with the decoding as comments"),
      Choice("pcap", "the same without comments"),
      Choice("btsnoop", "the same without comments"),
    ],
    discussion: """
      CSV and NDJSON always show times in UTC and are stable for scripts. sqlite needs --output. An \
      html page needs no other file and no network; it shows times in UTC and tells emergencies, \
      spread, links, positions, findings and every message, above 10 000 messages those that only \
      repeat as counts.
      """)
}
