import PeatProtocol

extension NodeMemory {
  /// What a message is, where it is not simply a plain document: wrappers outermost first.
  func wrapping(_ message: Message) -> [Phrase] {
    var phrases: [Phrase] = []
    if let fault = message.fault {
      return [
        Phrase(
          text: "\(message.kind.rawValue): \(fault.reason)".replacingUnsafeCharacters(),
          paint: .bad)
      ]
    }
    if let marker = message.collides {
      phrases.append(
        Phrase(
          text: "version collides with marker 0x\(String(marker.rawValue, radix: 16))",
          paint: .warning))
    }
    if let phrase = phrase(of: message) { phrases.append(phrase) }
    if let key = message.decryptedWith {
      phrases.append(
        Phrase(text: "opened with \(key.replacingUnsafeCharacters())", isOptional: true))
    }
    if let reason = message.unopened {
      phrases.append(Phrase(text: sentence(of: reason), paint: .warning))
    }
    if let inner = message.inner { phrases += wrapping(inner) }
    return phrases
  }

  private func sentence(of reason: Unopened) -> String {
    switch reason {
    case .noKey: "no key"
    case .noKeyOpens: "none of the keys opens it"
    case .tagMismatch: "the bytes were changed (tag does not match)"
    case .tooShort: "too short"
    }
  }

  private func phrase(of message: Message) -> Phrase? {
    switch message.body {
    case .none, .document: return nil
    case .encrypted(let frame):
      return Phrase(text: "encrypted, \(frame.ciphertext.count) bytes")
    case .peerEncrypted(let frame, let plaintext):
      let content = plaintext.map { ": \($0.count) bytes of plaintext" } ?? ""
      return Phrase(
        text: "for \(name(frame.recipient)) only, number \(frame.counter)\(content)")
    case .keyExchange: return Phrase(text: "key exchange")
    case .relay(let envelope):
      return Phrase(
        text: "relayed for \(name(envelope.origin)), hop \(envelope.hopCount) "
          + "of \(envelope.maximumHops)")
    case .delta(let delta):
      return Phrase(
        text: "delta with \(delta.operationCount) operation\(delta.operationCount == 1 ? "" : "s")")
    case .canned(let canned):
      return Phrase(text: "message \(canned.message.code.name)", paint: .bold)
    case .app(let app): return Phrase(text: "app document, \(app.payload.count) bytes")
    case .markers(let list):
      return Phrase(text: "\(list.markers.count) map marker\(list.markers.count == 1 ? "" : "s")")
    case .chat(let chat):
      return Phrase(text: "chat from \(chat.sender): \(chat.text)".replacingUnsafeCharacters())
    case .nodeID: return Phrase(text: "node id read")
    case .nodeInfo: return Phrase(text: "node info")
    case .syncState: return Phrase(text: "sync state")
    case .command: return Phrase(text: "command")
    case .status: return Phrase(text: "status")
    case .chunk: return Phrase(text: "chunk of a batch")
    case .lite: return Phrase(text: "peat-lite frame")
    case .beacon: return Phrase(text: "beacon")
    }
  }
}

extension DeltaReading {
  /// Operations in the delta, of either dialect.
  fileprivate var operationCount: Int {
    switch dialect {
    case .rust(let delta): delta.operations.count
    case .kotlin(let delta): delta.operations.count
    }
  }
}
