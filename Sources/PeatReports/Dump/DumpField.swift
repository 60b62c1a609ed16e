package import PeatProtocol

/// One field of a message's bytes: where it stands and what it says.
package struct DumpField: Equatable, Sendable {
  /// How a field's bytes are read; the raw value is the letter in a report's page.
  package enum Form: String, Sendable {
    /// A number, least significant byte first.
    case number = "u"
    case bigEndian = "U"
    case node = "n"
    case bigEndianNode = "N"
    /// Milliseconds since 1970.
    case time = "t"
    case float = "f"
    /// UTF-8 up to the first zero.
    case text = "s"
    case bytes = "b"
    /// A number with a spelling of its own.
    case spelled = "e"
    case bigEndianSpelled = "E"
    /// What was cut.
    case cut = "x"
  }

  /// Its place in the bytes of its message.
  package var range: Range<Int>
  /// What it is called, such as `counter[0] node`.
  package var name: String
  /// What it says, neutralised for a terminal.
  package var value: String
  /// How its bytes are read.
  package var form: Form
  /// The number that its bytes are, where they are one.
  package var raw: UInt64?
  /// Why the reference drops it or what is wrong with it, neutralised for a terminal.
  package var notes: [String] = []
}

/// A message taken apart field by field, and what it wraps likewise.
package struct MessageDump: Sendable {
  /// What the message is, in one line.
  package var title: String
  /// The bytes that the fields' ranges point into.
  package var bytes: [UInt8]
  /// The fields, ascending by place.
  package var fields: [DumpField]
  /// What is to be known of the message as a whole: key, receivers, why it was not opened.
  package var remarks: [String] = []
  // A value cannot hold itself: an array of at most one.
  private var wrapped: [MessageDump] = []

  /// The dump of what the message wraps, where it could be opened.
  package var inner: MessageDump? {
    get { wrapped.first }
    set { wrapped = newValue.map { [$0] } ?? [] }
  }

  init(title: String, bytes: [UInt8], fields: [DumpField]) {
    self.title = title
    self.bytes = bytes
    self.fields = fields
  }
}

extension MessageDump {
  /// Takes a message apart that was decoded of these bytes; `opener` opens once more what the
  /// message wraps, whose bytes the message does not keep.
  package init(
    _ message: Message, bytes: [UInt8], opener: inout some MessageOpener, depth: Int = 1
  ) {
    var walk = DumpWalk(bytes)
    walk.walk(message)
    walk.note(message)
    self.init(title: MessageDump.title(of: message, bytes), bytes: bytes, fields: walk.fields)
    if let key = message.decryptedWith {
      remarks.append("opened with \(key)".replacingUnsafeCharacters())
    }
    if let reason = message.unopened { remarks.append(MessageDump.sentence(reason)) }
    guard let inner = message.inner, depth < 16,
      let content = MessageDump.content(of: message, opener: &opener)
    else { return }
    self.inner = MessageDump(inner, bytes: content, opener: &opener, depth: depth + 1)
  }

  /// Stands in for an input that gave no bytes.
  package init(unreadable fault: FormatFault) {
    self.init(title: MessageKind.malformed.rawValue, bytes: [], fields: [])
    remarks.append("\(fault.reason) at character \(fault.offset)".replacingUnsafeCharacters())
  }

  /// The bytes of what a message wraps.
  private static func content(
    of message: Message, opener: inout some MessageOpener
  ) -> [UInt8]? {
    switch message.body {
    case .relay(let envelope): return envelope.payload
    case .encrypted(let frame):
      if case .opened(let plaintext, _) = opener.open(frame) { return plaintext }
      return nil
    case .none, .document, .peerEncrypted, .keyExchange, .delta, .canned, .app, .markers, .chat,
      .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      return nil
    }
  }

  private static func title(of message: Message, _ bytes: [UInt8]) -> String {
    var title = message.kind.rawValue
    if let node = message.node { title += " of \(node)" }
    title += ", \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
    if let decoded = message.document {
      title += decoded.kotlin == nil ? ", Rust codec" : ", Kotlin codec"
    }
    if let marker = message.collides {
      title += ", first byte is also marker 0x\(String(marker.rawValue, radix: 16))"
    }
    return title
  }

  private static func sentence(_ reason: Unopened) -> String {
    switch reason {
    case .noKey: "not opened: no key is known"
    case .noKeyOpens: "not opened: none of the known keys fits"
    case .tagMismatch: "not opened: a key fits, but the bytes were changed"
    case .tooShort: "not opened: shorter than the smallest frame"
    }
  }
}
