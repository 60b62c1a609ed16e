package import PeatProtocol
package import WireBytes

/// What `decode` prints of one input (cli.md, "decode and merge").
extension OutputText {
  /// Appends a message that no capture carried, and its line end.
  package mutating func append(decoded message: Message, notes: [ReceiverNote]) {
    append("{\"schema\":1,")
    append(messageFields: message)
    if !notes.isEmpty {
      append(",\"receivers\":")
      append(json: notes)
    }
    append(",\"findings\":[]}\n")
  }
}
