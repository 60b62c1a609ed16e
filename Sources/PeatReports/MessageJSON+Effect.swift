package import PeatProtocol
package import PeatReplay
package import WireBytes

extension OutputText {
  /// Appends what a message did to the joined state.
  package mutating func append(json effect: Effect) {
    append("{\"changed\":")
    append(json: effect.isChanged)
    append(",\"first_seen\":[")
    var isFirst = true
    for update in effect.firstSeen {
      if !isFirst { append(",") }
      isFirst = false
      append("\"")
      append(update: update)
      append("\"")
    }
    append("],\"mesh_total\":")
    append(number: effect.meshTotal)
    append("}")
  }

  /// Appends an update in the spelling of records, without allocating for it.
  package mutating func append(update: Update) {
    switch update {
    case .node(let node):
      append("node:")
      append(upperHex: node.rawValue)
    case .counter(let node, let count):
      append("counter:")
      append(upperHex: node.rawValue)
      append("=")
      append(number: count)
    case .event(let node, let type, let time):
      append("event:")
      append(upperHex: node.rawValue)
      append("=")
      append(raw: type.name)
      append("@")
      append(number: time)
    case .emergency(let node, let time):
      append("emergency:")
      append(upperHex: node.rawValue)
      append("@")
      append(number: time)
    case .ack(let node, let source, let time):
      append("ack:")
      append(upperHex: node.rawValue)
      append("=")
      append(upperHex: source.rawValue)
      append("@")
      append(number: time)
    }
  }

  /// Appends what the receivers make of a message, in their order.
  package mutating func append(json notes: [ReceiverNote]) {
    append("{")
    var isFirst = true
    for note in notes {
      if !isFirst { append(",") }
      isFirst = false
      append("\"")
      append(raw: note.receiver.rawValue)
      append("\":")
      append(jsonString: note.text)
    }
    append("}")
  }
}
