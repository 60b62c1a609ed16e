import PeatDissection
import PeatProtocol
import PeatTimeline
import WireBytes

/// Messages as columns, with their bytes.
extension ReportData {
  func appendTimeline(to text: inout OutputText) {
    let timeline = input.timeline
    // Captures that are not on one clock may give messages that go back.
    let marks = timeline.marks.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }.map(\.element)
    text.append(key: "marks")
    text.append("{\"count\":")
    text.append(decimal: marks.count)
    text.field("folded", timeline.folded)
    text.field("folded_changes", timeline.foldedChanges)
    text.field("without_bytes", timeline.payloads.leftOut)
    var before = 0
    text.field("at", list: marks) { mark, text in
      text.append(decimal: mark.at - before)
      before = mark.at
    }
    var frame = 0
    text.field("frame", list: marks) { mark, text in
      text.append(decimal: mark.frame - frame)
      frame = mark.frame
    }
    if input.files.count > 1 { column("file", marks, \.file, to: &text) }
    text.field("node", list: marks) { $1.append(decimal: nodes[$0.node]) }
    let kinds = Words(marks.map(\.kind.rawValue))
    text.field("kinds", list: kinds.words) { $1.append(jsonString: $0) }
    text.field("kind", list: kinds.places) { $1.append(decimal: $0) }
    let opcodes = Words(marks.map(\.opcode.rawValue))
    text.field("opcodes", list: opcodes.words) { $1.append(jsonString: $0) }
    text.field("opcode", list: opcodes.places) { $1.append(decimal: $0) }
    column("link", marks, \.link, to: &text)
    column("flags", marks, \.flags.rawValue, to: &text)
    column("bytes", marks, \.bytes, to: &text)
    text.field("version", list: marks) { mark, text in
      if let version = mark.version { text.append(decimal: version) } else { text.append("-1") }
    }
    text.field("payload", list: marks) { $1.append(decimal: $0.payload ?? -1) }
    text.field("news", list: marks) { $1.append(jsonString: $0.news) }
    sparse("findings", marks, { $0.findings.isEmpty }, to: &text) { mark, text in
      text.append(jsonString: mark.findings.map(\.rawValue).joined(separator: " "))
    }
    sparse("receivers", marks, { $0.receivers.isEmpty }, to: &text) { mark, text in
      text.append("[")
      text.append(raw: mark.receivers.map { "\($0)" }.joined(separator: ","))
      text.append("]")
    }
    sparse("outcome", marks, { $0.outcome == nil }, to: &text) { mark, text in
      text.append(jsonString: mark.outcome ?? "")
    }
    sparse("latency", marks, { $0.latency == nil }, to: &text) { mark, text in
      text.append(decimal: mark.latency ?? 0)
    }
    text.append("}")
    append(timeline.bins, to: &text)
    append(timeline.payloads, to: &text)
  }

  private func column(
    _ key: StaticString, _ marks: [ReportTimeline.Mark],
    _ path: KeyPath<ReportTimeline.Mark, Int>, to text: inout OutputText
  ) {
    text.field(key, list: marks) { $1.append(decimal: $0[keyPath: path]) }
  }

  /// An object by the message's place, of those messages alone that have something to tell.
  private func sparse(
    _ key: StaticString, _ marks: [ReportTimeline.Mark],
    _ isEmpty: (ReportTimeline.Mark) -> Bool, to text: inout OutputText,
    _ body: (ReportTimeline.Mark, inout OutputText) -> Void
  ) {
    text.append(key: key)
    text.append("{")
    var isFirst = true
    for (place, mark) in marks.enumerated() where !isEmpty(mark) {
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(raw: "\"\(place)\":")
      body(mark, &text)
    }
    text.append("}")
  }

  private func append(_ bins: ReportBins, to text: inout OutputText) {
    text.append(key: "bins")
    text.append("{\"width\":")
    text.append(decimal: bins.width)
    let lanes = bins.lanes.map { (nodes[$0.key], $0.value) }.sorted { $0.0 < $1.0 }
    text.field("lanes", list: lanes) { lane, text in
      text.append("{\"node\":")
      text.append(decimal: lane.0)
      // Place, repeats, changes, one after the other.
      text.field("counts", list: lane.1.sorted { $0.key < $1.key }) { entry, text in
        text.append(decimal: entry.key)
        text.append(",")
        text.append(decimal: entry.value.repeats)
        text.append(",")
        text.append(decimal: entry.value.changes)
      }
      text.append("}")
    }
    text.append("}")
  }

  private func append(_ payloads: ReportPayloads, to text: inout OutputText) {
    text.field("labels", list: payloads.labels) { $1.append(jsonString: $0) }
    text.field("layouts", list: payloads.layouts) { layout, text in
      text.append("[")
      for (place, field) in layout.enumerated() {
        if place > 0 { text.append(",") }
        text.append(decimal: field.offset)
        text.append(",")
        text.append(decimal: field.size)
        text.append(",")
        text.append(decimal: field.label)
        text.append(",\"")
        text.append(raw: field.form.rawValue)
        text.append("\"")
      }
      text.append("]")
    }
    text.append(key: "spellings")
    appendObject(payloads.spellings.sorted { $0.key < $1.key }, to: &text) { names, text in
      appendObject(names.sorted { $0.key < $1.key }, to: &text) { $1.append(jsonString: $0) }
    }
    text.field("payloads", list: payloads.entries) { entry, text in
      text.append("[\"")
      text.append(raw: Base64.text(entry.key.bytes))
      text.append("\",")
      text.append(decimal: entry.layout)
      if !entry.notes.isEmpty || !entry.remarks.isEmpty || entry.inner != nil
        || entry.length > entry.key.bytes.count
      {
        text.append(",{\"length\":")
        text.append(decimal: entry.length)
        text.field("inner", entry.inner)
        text.field("remarks", list: entry.remarks) { $1.append(jsonString: $0) }
        text.field("notes", list: entry.notes) { note, text in
          text.append(decimal: note.field)
          text.append(",")
          text.append(jsonString: note.text)
        }
        text.append("}")
      }
      text.append("]")
    }
  }

  private func appendObject<Value>(
    _ entries: [(key: String, value: Value)], to text: inout OutputText,
    _ body: (Value, inout OutputText) -> Void
  ) {
    text.append("{")
    for (place, entry) in entries.enumerated() {
      if place > 0 { text.append(",") }
      text.append(jsonString: entry.key)
      text.append(":")
      body(entry.value, &text)
    }
    text.append("}")
  }

  /// Words, each once, and which each message has.
  private struct Words {
    var words: [String] = []
    var places: [Int] = []

    init(_ all: [String]) {
      var known: [String: Int] = [:]
      places.reserveCapacity(all.count)
      for word in all {
        if known[word] == nil {
          known[word] = words.count
          words.append(word)
        }
        places.append(known[word] ?? 0)
      }
    }
  }
}

/// Bytes in the letters of RFC 4648 section 4.
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group = 0
      for place in 0..<3 { group = group << 8 | (place < count ? Int(bytes[index + place]) : 0) }
      for place in 0..<4 {
        output.append(
          place <= count ? letters[group >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
      index += 3
    }
    return String(decoding: output, as: UTF8.self)
  }
}
