import CommandLineOptions
import SystemIO
import WireBytes

/// Prints what workers answer of their captures, each with the capture's name.
///
/// An answer ends with a line that begins with 0x1E, a byte that no output holds: everything from
/// radios is neutralised.
struct CaptureLabel {
  /// What begins the last line of an answer, which has the status.
  static let mark: UInt8 = 0x1E

  private let format: RawOptions.Format
  /// Whether the command's own records name the capture.
  private let isNamed: Bool
  private var hasHeader = false
  /// Whose text is being printed.
  private var floor: Lane?

  init(format: RawOptions.Format, isNamed: Bool) {
    self.format = format
    self.isNamed = isNamed
  }

  /// The one that may be heard, where only one may.
  func holdsFloor(_ lanes: [Lane]) -> [Lane]? {
    guard format == .text, let floor, lanes.contains(where: { $0 === floor }) else { return nil }
    return [floor]
  }

  /// Prints the lines that are there; true where the answer is at its end.
  mutating func print(_ lane: Lane, to sink: OutputSink) throws(Errno) -> Bool {
    let isDone = takeStatus(lane)
    try hand(lane, to: sink, isDone: isDone)
    if isDone { floor = nil }
    return isDone
  }

  /// Prints what whole lines there are of an answer that has no end, and what closes it.
  mutating func abandon(
    _ lane: Lane, closing record: OutputText, to sink: OutputSink
  ) throws(Errno) {
    try hand(lane, to: sink, isDone: false)
    lane.buffer.removeAll(keepingCapacity: true)
    try sink.append(record.slice)
    lane.end(.damaged)
    floor = nil
  }

  /// Takes the last line off, where it is there: nothing is behind it until more work is handed out.
  private func takeStatus(_ lane: Lane) -> Bool {
    guard lane.buffer.last == 0x0A else { return false }
    for back in 2...4 where back <= lane.buffer.count {
      let place = lane.buffer.count - back
      guard lane.buffer[place] == CaptureLabel.mark,
        place == 0 || lane.buffer[place - 1] == 0x0A
      else { continue }
      let digits = String(decoding: lane.buffer[(place + 1)..<(place + back - 1)], as: UTF8.self)
      lane.buffer.removeLast(back)
      lane.end(Int32(digits).flatMap { ExitStatus(rawValue: $0) } ?? .damaged)
      return true
    }
    return false
  }

  private mutating func hand(_ lane: Lane, to sink: OutputSink, isDone: Bool) throws(Errno) {
    guard let end = lane.buffer.lastIndex(of: 0x0A) else { return }
    let lines = lane.buffer[...end]
    switch format {
    case .text:
      if !lane.isBegun { try sink.append("==> \(lane.shown) <==\n") }
      floor = lane
      try sink.append(lines)
    case .ndjson where isNamed: try sink.append(lines)
    case .ndjson: try append(records: lines, of: lane, to: sink)
    case .csv: try append(rows: lines, of: lane, to: sink)
    }
    lane.isBegun = true
    lane.buffer.removeFirst(lines.count)
  }

  /// Records with the capture behind `schema`; the closing record has it.
  private func append(
    records: ArraySlice<UInt8>, of lane: Lane, to sink: OutputSink
  ) throws(Errno) {
    let front = Array("{\"schema\":1".utf8)
    let closing = front + Array(",\"scope\":\"capture\"".utf8)
    var name = OutputText(capacity: 64)
    name.append(",\"file\":")
    name.append(jsonString: lane.shown)
    for line in records.split(separator: 0x0A) {
      if line.starts(with: front), !line.starts(with: closing) {
        try sink.append(front)
        try sink.append(name.slice)
        try sink.append(line.dropFirst(front.count))
      } else {
        try sink.append(line)
      }
      try sink.append([0x0A])
    }
  }

  /// Rows with the capture in front, and the header once. A row is one line: fields hold no breaks.
  private mutating func append(
    rows: ArraySlice<UInt8>, of lane: Lane, to sink: OutputSink
  ) throws(Errno) {
    var name = OutputText(capacity: 64)
    name.append(csvField: lane.shown)
    name.append(",")
    var isHeader = !lane.isBegun
    for line in rows.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      if isHeader {
        isHeader = false
        if hasHeader { continue }
        hasHeader = true
        if !isNamed { try sink.append("capture,") }
      } else if !isNamed {
        try sink.append(name.slice)
      }
      try sink.append(line)
      try sink.append([0x0A])
    }
  }
}
