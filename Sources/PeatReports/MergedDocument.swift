package import PeatProtocol
package import WireBytes

/// What `merge` prints (cli.md, "decode and merge").
extension OutputText {
  /// Appends the merged document, whether each step changed it, and its bytes, as one record.
  package mutating func append(merged document: Document, changed: [Bool]) {
    append("{\"schema\":1,\"document\":")
    append(json: DecodedDocument(document: document))
    append(",\"changed\":[")
    for (index, isChanged) in changed.enumerated() {
      if index > 0 { append(",") }
      append(json: isChanged)
    }
    append("],\"payload\":")
    append(jsonHex: document.encoded())
    append("}\n")
  }

  /// Appends the same for a person: the steps in one line, the document as a dump, its digits.
  package mutating func append(merged document: Document, changed: [Bool], style: TextStyle) {
    for (index, isChanged) in changed.enumerated() {
      append("step ")
      append(decimal: index + 1)
      append(raw: isChanged ? ": changed\n" : ": nothing new\n")
    }
    let bytes = document.encoded()
    var opener = NoKeys()
    var message = Message(
      .document, node: document.node, body: .document(DecodedDocument(document: document)))
    message.collides = bytes.first.flatMap { FrameMarker(rawValue: $0) }
    MessageDump(message, bytes: bytes, opener: &opener).append(to: &self, style: style)
    append("total ")
    append(decimal: document.counter.total)
    append("\n")
    append(hex: bytes)
    append("\n")
  }
}
