package import PeatProtocol
package import WireBytes

/// Messages as JSON in the shape of the records: stable names, fixed order of keys.
extension OutputText {
  /// Appends the keys of a message, from `kind` on, without braces around them.
  package mutating func append(messageFields message: Message) {
    append("\"kind\":\"")
    append(raw: message.kind.rawValue)
    append("\"")
    if let node = message.node {
      append(",\"node\":")
      append(json: node)
    }
    if let marker = message.collides {
      append(",\"collides\":")
      append(jsonHex: [marker.rawValue])
    }
    append(body: message.body, kind: message.kind)
    if let key = message.decryptedWith {
      append(",\"decrypted_with\":")
      append(jsonString: key)
    }
    if let reason = message.unopened {
      append(",\"unopened\":\"")
      append(raw: reason.rawValue)
      append("\"")
    }
    if let fault = message.fault {
      append(",\"reason\":")
      append(jsonString: fault.reason)
      append(",\"offset\":")
      append(number: fault.offset)
    }
    if let inner = message.inner {
      append(",\"inner\":{")
      append(messageFields: inner)
      append("}")
    }
  }

  /// Appends the body under its own name, with the comma in front.
  private mutating func append(body: MessageBody, kind: MessageKind) {
    if case .none = body { return }
    append(",\"")
    append(raw: kind.rawValue)
    append("\":")
    switch body {
    case .none: break
    case .document(let value): append(json: value)
    case .encrypted(let value): append(json: value)
    case .peerEncrypted(let value, let plaintext): append(json: value, plaintext: plaintext)
    case .keyExchange(let value): append(json: value)
    case .relay(let value): append(json: value)
    case .delta(let value): append(json: value)
    case .canned(let value): append(json: value)
    case .app(let value): append(json: value)
    case .markers(let value): append(json: value)
    case .chat(let value): append(json: value)
    case .nodeID(let value): append(json: value)
    case .nodeInfo(let value): append(json: value)
    case .syncState(let value): append(json: value)
    case .command(let value): append(json: value)
    case .status(let value): append(json: value)
    case .chunk(let value): append(json: value)
    case .lite(let value): append(json: value)
    case .beacon(let value): append(json: value)
    }
  }
}

// MARK: - Parts that all bodies share

extension OutputText {
  /// Appends a node id as a string of its 8 digits.
  package mutating func append(json node: NodeID) {
    append("\"")
    append(upperHex: node.rawValue)
    append("\"")
  }

  /// Appends node ids as a list.
  package mutating func append(json nodes: some Sequence<NodeID>) {
    append("[")
    var isFirst = true
    for node in nodes {
      if !isFirst { append(",") }
      isFirst = false
      append(json: node)
    }
    append("]")
  }

  /// Appends a float as a number, or as a string where JSON has no number for it.
  package mutating func append(json value: Float) {
    if value.isFinite {
      append(float: value)
    } else {
      append(raw: value.isNaN ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"")
    }
  }

  /// Appends `true` or `false`.
  package mutating func append(json value: Bool) {
    if value { append("true") } else { append("false") }
  }

  /// Appends texts as a list; they must need no escaping.
  package mutating func append(jsonNames names: some Sequence<String>) {
    append("[")
    var isFirst = true
    for name in names {
      if !isFirst { append(",") }
      isFirst = false
      append("\"")
      append(raw: name)
      append("\"")
    }
    append("]")
  }
}
