import PeatDissection
import PeatTimeline
import WireBytes

/// One line that is filled until it is full: what does not matter most gives way.
struct Line {
  private let style: TextStyle
  private var text = ""
  private var used = 0
  private var needsSeparator = false
  /// Where phrases begin, and go on in a further line.
  private var indent = 0

  init(style: TextStyle) { self.style = style }

  /// Adds a column of the line.
  mutating func add(_ part: String, paint: TextStyle.Paint? = nil) {
    if used > 0 { put(" ", paint: nil) }
    put(part, paint: paint)
    needsSeparator = false
  }

  /// Leaves a wider space before the phrases.
  mutating func gap() {
    put(" ", paint: nil)
    needsSeparator = false
    indent = min(used, 16)
  }

  /// Adds something that the line says; an optional phrase only where there is room for all of it.
  ///
  /// Any other that does not fit goes on in a line below.
  mutating func add(_ phrase: Phrase) {
    let separator = needsSeparator ? " · " : " "
    let room = style.columns - used - separator.columns
    let fits = phrase.text.columns <= room
    if phrase.isOptional && !fits { return }
    if fits {
      put(separator, paint: nil)
    } else {
      text += "\n" + String(repeating: " ", count: indent)
      used = indent
    }
    put(phrase.text.cut(to: style.columns - used), paint: phrase.paint)
    needsSeparator = true
  }

  /// Adds how the message was carried, where a wide terminal has room for it.
  mutating func addDetail(of row: TimelineRow, showsFile: Bool) {
    guard style.columns >= 120 || style.isVerbose else { return }
    let opcode = row.value.opcode.rawValue.map { $0 == "_" ? " " : $0 }
    var detail = "#\(row.value.frame) \(String(opcode)) \(row.value.length) B"
    if let peer = row.value.link.peer { detail += " \(peer)" }
    if showsFile { detail += " \(row.file.replacingUnsafeCharacters())" }
    let room = style.columns - used - 2
    if style.isVerbose && detail.columns > room {
      add(Phrase(text: detail.cut(to: max(room, 12)), paint: .faint))
      return
    }
    guard detail.columns <= room else { return }
    put(detail.rightAligned(to: room + 2), paint: .faint)
  }

  func append(to output: inout OutputText) {
    output.append(raw: text)
    output.append("\n")
  }

  private mutating func put(_ part: String, paint: TextStyle.Paint?) {
    text += paint.map { style.paint(part, $0) } ?? part
    used += part.columns
  }
}
