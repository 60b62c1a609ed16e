import PeatProtocol
import PeatReplay
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// Prints rows in one of the formats.
struct RowWriter {
  private let format: RawOptions.Format
  private let sink: OutputSink
  private var text = OutputText(capacity: 4096)
  private var timeline: TextTimeline

  init(format: RawOptions.Format, sink: OutputSink, style: TextStyle, hasSeveralFiles: Bool) {
    self.format = format
    self.sink = sink
    sink.spellsInASCII = format == .text && style.isASCII
    timeline = TextTimeline(style: style, hasSeveralFiles: hasSeveralFiles)
  }

  mutating func begin() throws(Errno) {
    if format == .csv {
      text.appendCSVHeader()
      try hand()
    }
  }

  mutating func write(_ row: TimelineRow) throws(Errno) {
    switch format {
    case .text: timeline.append(row, to: &text)
    case .csv: text.append(csv: row)
    case .ndjson: text.append(record: row)
    }
    try hand()
  }

  /// Prints a message of a mesh.
  mutating func write(_ row: MeshRow) throws(Errno) {
    switch format {
    case .text: timeline.append(row, to: &text)
    case .csv: text.append(csvMesh: row)
    case .ndjson: text.append(mesh: row)
    }
    try hand()
  }

  /// Prints a message of a firmware upgrade.
  mutating func write(_ row: UpgradeRow) throws(Errno) {
    switch format {
    case .text: timeline.append(row, to: &text)
    case .csv: text.append(csvUpgrade: row)
    case .ndjson: text.append(upgrade: row)
    }
    try hand()
  }

  /// Prints an event.
  mutating func write(_ event: TimelineEvent) throws(Errno) {
    switch format {
    case .text: timeline.append(event, to: &text)
    case .csv: text.append(csvEvent: event)
    case .ndjson: text.append(event: event)
    }
    try hand()
  }

  /// Takes notice of a row that is not shown, so that the next one says what changed since.
  mutating func observe(_ row: TimelineRow) {
    if format == .text { timeline.observe(row) }
  }

  /// Prints the rows that are folded so far; a live view does it now and then.
  mutating func unfold() throws(Errno) {
    guard format == .text else { return }
    timeline.flush(to: &text)
    try hand()
  }

  /// Ends the rows; the summary belongs to text alone.
  mutating func end(_ summary: TextSummary, state: MeshState) throws(Errno) {
    guard format == .text else { return }
    timeline.flush(to: &text)
    let timeline = timeline
    summary.append(state: state, name: { timeline.name($0) }, to: &text)
    try hand()
  }

  private mutating func hand() throws(Errno) {
    guard text.count > 0 else { return }
    try sink.append(text.slice)
    text.removeAll()
  }
}
