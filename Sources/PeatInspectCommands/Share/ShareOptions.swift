import CaptureSharing
import CommandLineOptions

/// The options of `inspect` that write a capture again.
enum ShareOptions {
  static let all: [Option<RawOptions>] = [
    Option(
      long: "all-packets", category: .output,
      summary: "with -f pcapng, pcap or btsnoop: keep every packet",
      discussion: "Otherwise only what is needed to see the selected messages again is kept.",
      apply: .set(\.share.keepsAllPackets)),
    Option(
      long: "include-opened", category: .output,
      summary: "with -f pcapng: put what keys open of encrypted frames into the comments",
      apply: .set(\.share.includesOpened)),
    Option(
      long: "apply-clocks", category: .output,
      summary: "with -f pcapng, pcap or btsnoop: stamp packets by the first capture's clock",
      discussion: """
        Otherwise stamps stay as recorded, and the interface's comment says how far the clock is \
        ahead.
        """,
      apply: .set(\.share.appliesClocks)),
    Option(
      long: "wireshark-filter", category: .output,
      summary: "in text, name the filter that shows each message in Wireshark",
      discussion: "Packets have the numbers that Wireshark gives them, as with -v.",
      apply: .set(\.share.namesFilter)),
  ]
}

/// What the command line says of captures that are written again.
struct ShareChoices: Sendable {
  var keepsAllPackets = false
  var includesOpened = false
  var appliesClocks = false
  /// Whether text names the filter that shows a message in Wireshark.
  var namesFilter = false
}

extension RawOptions {
  /// The container that packets are asked for in; nil where something else is.
  var sharedFormat: SharedFormat? { fileFormat.flatMap { SharedFormat(rawValue: $0.rawValue) } }
}
