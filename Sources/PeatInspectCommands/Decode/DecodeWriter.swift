import PeatProtocol
import PeatReports
import SystemIO
import WireBytes

/// Prints decoded messages, gathered into large writes until it is told to flush.
struct DecodeWriter {
  private static let room = 1 << 16

  private let style: TextStyle
  private let sink: OutputSink
  private var isFirst = true
  private var text = OutputText(capacity: DecodeWriter.room + 8192)

  init(_ configuration: DecodeConfiguration, sink: OutputSink) {
    style = configuration.style
    self.sink = sink
  }

  /// Prints a message as a record.
  @inline(__always)
  mutating func write(_ message: Message, notes: [ReceiverNote]) throws(Errno) {
    text.append(decoded: message, notes: notes)
    if text.count >= DecodeWriter.room { try hand() }
  }

  /// Prints a firmware upgrade's message as a record.
  mutating func write(upgrade bytes: [UInt8]) throws(Errno) {
    text.append(decodedUpgrade: bytes)
    if text.count >= DecodeWriter.room { try hand() }
  }

  /// Prints the records of a block.
  mutating func write(_ block: DecodedBlock) throws(Errno) {
    try hand()
    try sink.append(block.text.slice)
  }

  /// Prints a dump, and behind it what becomes of the message; empty lines part the messages.
  mutating func write(_ dump: MessageDump, notes: [ReceiverNote]) throws(Errno) {
    if !isFirst { text.append("\n") }
    isFirst = false
    dump.append(to: &text, style: style)
    for note in notes {
      text.append(raw: "  - \(note.receiver.name) \(note.text)".replacingUnsafeCharacters())
      text.append("\n")
    }
    if text.count >= DecodeWriter.room { try hand() }
  }

  mutating func flush() throws(Errno) {
    try hand()
    try sink.flush()
  }

  private mutating func hand() throws(Errno) {
    guard text.count > 0 else { return }
    try sink.append(text.slice)
    text.removeAll()
  }
}
