import CommandLineOptions

/// The last words of a result that names nobody, where its format has room for words.
struct AnonymityNote {
  /// Empty where nothing was anonymised, and where the format holds nothing but its rows.
  let text: String

  init(_ raw: RawOptions) {
    guard let note = raw.anonymize.made?.note else {
      text = ""
      return
    }
    switch (raw.fileFormat, raw.format ?? .text) {
    case (.markdown, _): text = "\n> \(note)\n"
    case (.kml, _): text = "<!-- \(note.replacing("--", with: "- -")) -->\n"
    case (.dot, _): text = "// \(note)\n"
    // A page and a capture have it where they say what they are.
    case (.html, _), (.pcapng, _), (.pcap, _), (.btsnoop, _), (.sqlite, _), (.geojson, _):
      text = ""
    case (nil, .text): text = "\n\(note)\n"
    case (nil, .ndjson): text = "{\"schema\":1,\"scope\":\"anonymized\",\"text\":\"\(note)\"}\n"
    case (nil, .csv): text = ""
    }
  }
}
