import PeatProtocol
import PeatReports
import SystemIO
import WireBytes

/// Prints decoded messages, gathered into large writes until it is told to flush.
struct DecodeWriter {
  private static let room = 1 << 16

  private let isText: Bool
  private let style: TextStyle
  private let sink: OutputSink
  private var text = OutputText(capacity: DecodeWriter.room + 8192)

  init(_ configuration: DecodeConfiguration, sink: OutputSink) {
    isText = configuration.isText
    style = configuration.style
    self.sink = sink
  }

  mutating func write(_ message: Message, notes: [ReceiverNote]) throws(Errno) {
    text.append(decoded: message, notes: notes)
    if text.bytes.count >= DecodeWriter.room { try hand() }
  }

  mutating func flush() throws(Errno) {
    try hand()
    try sink.flush()
  }

  private mutating func hand() throws(Errno) {
    guard !text.bytes.isEmpty else { return }
    try sink.append(text.bytes)
    text.removeAll()
  }
}
