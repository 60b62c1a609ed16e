import CommandLineOptions
import PeatSecurity

/// What the command line says of pseudonyms.
struct AnonymizeChoices: Sendable {
  /// What becomes of positions.
  enum Positions: String, Sendable, CaseIterable {
    case keepShape = "keep-shape"
    case shift, drop
  }

  /// Whether the captures are read with pseudonyms in the place of what names somebody.
  var isAsked = false
  /// Hexadecimal digits, or a file.
  var key: String?
  var movesTime = false
  var positions = Positions.keepShape
  var keepsForeign = false
  /// Whether this run reads the captures as they are, to find what stands for their messages.
  var isReading = false
  /// What the anonymised captures are read with, once they are made.
  var made: MadeCaptures?
}

/// Captures that hold pseudonyms, for the command that reads them in the place of the user's.
struct MadeCaptures: Sendable {
  /// Where the bytes of each lie, by its name.
  var paths: [String: String] = [:]
  /// What opens their frames.
  var keyring = Keyring()
  /// One sentence on what they still tell; every output ends with it that can.
  var note = ""
}

/// The options by which results name nobody.
enum AnonymizeOptions {
  static let category = OptionCategory("Sharing")

  static let all: [Option<RawOptions>] = [
    Option(
      long: "anonymize", category: category,
      summary: "put pseudonyms in the place of names, addresses, keys and texts",
      discussion: """
        The captures are written anew before they are read, so that no format can show what was \
        in them: device addresses, node and mesh ids, names, callsigns, texts, keys and positions \
        are replaced, equal ones by equal ones; encrypted payloads are blanked, or with the key \
        opened and sealed anew; what is not known is blanked. Times, lengths, opcodes and handles \
        stay, and what they can still tell is said with the result. Not with --each.
        """,
      apply: .set(\.anonymize.isAsked)),
    Option(
      long: "anonymize-key", value: "HEX|FILE", completion: .file, category: category,
      summary: "with --anonymize: the same pseudonyms as in every run with this key",
      discussion: """
        At least 32 hexadecimal digits, or a file of at least 16 bytes; who has the key can tell \
        which pseudonym is whose. Otherwise every run draws a key and forgets it.
        """,
      apply: .text(\.anonymize.key)),
    Option(
      long: "anonymize-time", category: category,
      summary: "with --anonymize: move all times by one number of days",
      apply: .set(\.anonymize.movesTime)),
    Option(
      long: "positions", value: "HOW",
      choices: [
        Choice("keep-shape", "turn all on the globe by one rotation: distances stay"),
        Choice("shift", "the same as keep-shape"),
        Choice("drop", "put 0 for each"),
      ],
      defaultValue: "keep-shape", category: category,
      summary: "with --anonymize: what becomes of positions",
      discussion: "Who knows one road that somebody took can undo the rotation.",
      apply: .choice(\.anonymize.positions)),
    Option(
      long: "keep-foreign", category: category,
      summary: "with --anonymize: keep values of other characteristics as they are",
      discussion: "Nobody looks at what they hold.", apply: .set(\.anonymize.keepsForeign)),
  ]
}
