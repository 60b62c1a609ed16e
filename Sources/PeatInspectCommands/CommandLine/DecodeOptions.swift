import CommandLineOptions
import PeatProtocol

/// What `--as` names.
enum DecodedKind: RawRepresentable, Sendable, Equatable {
  case peat(MessageKind)
  case smp

  init?(rawValue: String) {
    if rawValue == "smp" {
      self = .smp
    } else if let kind = MessageKind(rawValue: rawValue) {
      self = .peat(kind)
    } else {
      return nil
    }
  }

  var rawValue: String {
    switch self {
    case .peat(let kind): kind.rawValue
    case .smp: "smp"
    }
  }
}

/// The options of the commands that take messages as hexadecimal text.
enum DecodeOptions {
  static let format = Option<RawOptions>(
    long: "format", short: "f", value: "FMT",
    choices: [Choice("text", "for reading"), Choice("ndjson", "one JSON object a line")],
    category: .output, summary: "how to print: text on a terminal, else ndjson",
    isCommon: true, apply: .choice(\.format))

  static let kind = Option<RawOptions>(
    long: "as", value: "KIND",
    choices: MessageKind.allCases.filter { $0 != .incomplete && $0 != .malformed }
      .map { Choice($0.rawValue) } + [Choice("smp", "a message of a firmware upgrade")],
    category: .reading, summary: "read the bytes as this kind, whatever their first byte says",
    isCommon: true, apply: .choice(\.decodesAs))

  static let decode =
    [format, SharedOptions.outputPath, SharedOptions.color, SharedOptions.noConfig, kind]
    + SharedOptions.keys
    + [SharedOptions.quiet]
}

extension ToolDefinition {
  static let decode = Command<RawOptions>(
    name: "decode",
    summary: "decode messages given as hexadecimal text",
    discussion: """
      Takes bare hexadecimal digits as arguments, or one message a line on standard input; blank \
      lines are passed over. In text, a message is an annotated dump: offset, bytes, field, value, \
      and why a receiver drops something. Offsets are decimal, from the start of the message, and \
      inside a wrapper from the start of what it wraps.

      What is not hexadecimal gives an object of kind malformed and ends with status 4; malformed \
      messages alone leave the status at 0.
      """,
    options: DecodeOptions.decode,
    arguments: Arguments(
      name: "HEX", minimum: 0, maximum: nil, completion: .nothing,
      summary: "a message as hexadecimal digits, or - for standard input"),
    examples: [
      Example(
        "peat-inspect decode -f text 020000000f0e7f2000000000",
        "A document of version 2 with an empty counter."),
      Example(
        "peat-inspect -f ndjson samples/two-nodes.btsnoop | jq -r .payload | peat-inspect decode",
        "The payloads of a capture, decoded again."),
      Example(
        "peat-inspect decode --as smp 0b00000b00010001a262726300636f66661880",
        "An answer to an image upload."),
      Example(
        "peat-inspect decode --as relay b103",
        "What is wrong with bytes that should be a relay envelope."),
    ],
    seeAlso: ["merge", "inspect"])

  static let merge = Command<RawOptions>(
    name: "merge",
    summary: "merge documents as a receiving node does",
    discussion: """
      The first document is the node's own state; each further one is a step that is merged into \
      it. Prints the merged document, whether each step changed it, and its bytes as the \
      reference writes them. Takes arguments, or one document a line on standard input.

      What is no plain document is reported with its argument or line, changes nothing, and ends \
      with status 4.

      With --states the arguments are files of snapshots instead, which are joined without the \
      limits of a document.
      """,
    options: DecodeOptions.decode + [SharedOptions.states, SharedOptions.mergeable],
    arguments: Arguments(
      name: "HEX", minimum: 0, maximum: nil, completion: .nothing,
      summary: "a document as hexadecimal digits, or - for standard input"),
    examples: [
      Example(
        "peat-inspect merge 010000000f0e7f2000000000 020000000f0e7f2000000000",
        "A document and a later one that tells nothing new."),
      Example(
        "peat-inspect -f ndjson --kind document samples/two-nodes.btsnoop | jq -r .payload "
          + "| peat-inspect merge",
        "What a node would know after all documents of a capture."),
    ],
    seeAlso: ["decode", "inspect"])
}
