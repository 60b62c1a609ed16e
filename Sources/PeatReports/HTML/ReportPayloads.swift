import PeatProtocol
import WireBytes

/// The bytes of a page's messages, each once, with what stands where in them.
///
/// Messages of one make have one layout, so that a page holds few: the bytes are annotated here and
/// only printed there.
struct ReportPayloads {
  /// Bytes that are kept of all payloads together.
  private static let budget = 2_200_000
  /// Bytes that are kept of one.
  private static let longest = 4096
  private static let layoutLimit = 4096
  private static let spellingLimit = 512

  struct Key: Hashable {
    var kind: MessageKind
    var bytes: [UInt8]
  }

  struct Entry {
    var key: Key
    var length: Int
    var layout: Int
    /// What the dump says besides a field's bytes, by the field's place in the layout.
    var notes: [(field: Int, text: String)]
    var remarks: [String]
    /// What it wraps, where that could be opened.
    var inner: Int?
  }

  struct Field: Hashable {
    var offset: Int
    var size: Int
    var label: Int
    var form: DumpField.Form
  }

  private(set) var entries: [Entry] = []
  private(set) var layouts: [[Field]] = []
  private(set) var labels: [String] = []
  /// What numbers mean, by the field's label without its index.
  private(set) var spellings: [String: [String: String]] = [:]
  /// Payloads that found no room.
  private(set) var leftOut = 0
  private var places: [Key: Int] = [:]
  private var layoutPlaces: [[Field]: Int] = [:]
  private var labelPlaces: [String: Int] = [:]
  private var room = ReportPayloads.budget

  /// The place of a message's bytes; nil where there is no room for them.
  mutating func add(
    _ message: Message, _ bytes: [UInt8], opener: inout some MessageOpener
  ) -> Int? {
    let key = Key(kind: message.kind, bytes: bytes)
    if let known = places[key] { return known }
    guard room >= min(bytes.count, ReportPayloads.longest) else {
      leftOut += 1
      return nil
    }
    return add(MessageDump(message, bytes: bytes, opener: &opener), key, depth: 0)
  }

  private mutating func add(_ dump: MessageDump, _ key: Key, depth: Int) -> Int? {
    guard let layout = layout(of: dump.fields) else {
      leftOut += 1
      return nil
    }
    var kept = key
    if key.bytes.count > ReportPayloads.longest {
      kept.bytes = Array(key.bytes.prefix(ReportPayloads.longest))
    }
    room -= kept.bytes.count
    var notes: [(field: Int, text: String)] = []
    for (place, field) in dump.fields.enumerated() {
      if field.form == .cut || field.form == .bytes, !field.value.hasSuffix(" bytes"),
        !field.value.isEmpty, field.value != "1 byte"
      {
        notes.append((place, ReportText.cut(field.value, to: 400)))
      }
      for note in field.notes { notes.append((place, ReportText.cut(note, to: 400))) }
    }
    var entry = Entry(
      key: kept, length: key.bytes.count, layout: layout, notes: notes,
      remarks: dump.remarks.map { ReportText.cut($0, to: 400) })
    if let inner = dump.inner, depth < 4, room >= 0 {
      // The kind of what is wrapped is not needed to find it again.
      let innerKey = Key(kind: key.kind, bytes: inner.bytes)
      entry.inner = places[innerKey] ?? add(inner, innerKey, depth: depth + 1)
    }
    places[key] = entries.count
    entries.append(entry)
    return entries.count - 1
  }

  private mutating func layout(of fields: [DumpField]) -> Int? {
    var layout: [Field] = []
    layout.reserveCapacity(fields.count)
    for field in fields {
      layout.append(
        Field(
          offset: field.range.lowerBound, size: field.range.count, label: label(field.name),
          form: field.form))
      if field.form == .spelled || field.form == .bigEndianSpelled { spell(field) }
    }
    if let known = layoutPlaces[layout] { return known }
    guard layouts.count < ReportPayloads.layoutLimit else { return nil }
    layoutPlaces[layout] = layouts.count
    layouts.append(layout)
    return layouts.count - 1
  }

  private mutating func label(_ name: String) -> Int {
    if let known = labelPlaces[name] { return known }
    labelPlaces[name] = labels.count
    labels.append(name)
    return labels.count - 1
  }

  /// Keeps what a number means; the page finds it by the number in decimal digits.
  private mutating func spell(_ field: DumpField) {
    guard let raw = field.raw else { return }
    let name = ReportPayloads.stem(field.name)
    let number = "\(raw)"
    guard spellings[name]?[number] == nil else { return }
    if spellings[name]?.count ?? 0 < ReportPayloads.spellingLimit {
      spellings[name, default: [:]][number] = field.value
    }
  }

  /// A label without the index in brackets.
  private static func stem(_ name: String) -> String {
    guard let open = name.firstIndex(of: "["), let close = name.firstIndex(of: "]") else {
      return name
    }
    return String(name[..<open] + name[close...].dropFirst())
  }

  /// Lets go what none of the places needs, and gives the new place of each.
  mutating func keep(_ used: Set<Int>) -> [Int: Int] {
    var needed = used
    for place in entries.indices.reversed() where needed.contains(place) {
      var inner = entries[place].inner
      while let next = inner, needed.insert(next).inserted { inner = entries[next].inner }
    }
    var moved: [Int: Int] = [:]
    var kept: [Entry] = []
    for (place, entry) in entries.enumerated() where needed.contains(place) {
      moved[place] = kept.count
      kept.append(entry)
    }
    for place in kept.indices { kept[place].inner = kept[place].inner.flatMap { moved[$0] } }
    entries = kept
    places = places.compactMapValues { moved[$0] }
    room = ReportPayloads.budget - entries.reduce(0) { $0 + $1.key.bytes.count }
    return moved
  }
}

/// Text of a page.
enum ReportText {
  /// The beginning of a text, as what strangers send has any length.
  static func cut(_ text: String, to limit: Int) -> String {
    text.unicodeScalars.count <= limit
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "…"
  }
}
