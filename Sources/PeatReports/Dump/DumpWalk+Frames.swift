import PeatProtocol

/// The fields of frames with a marker (protocol.md 6, 7).
extension DumpWalk {
  /// Names the fields of a message of any kind.
  mutating func walk(_ message: Message) {
    switch message.body {
    case .document(let decoded): document(isKotlin: decoded.kotlin != nil)
    case .encrypted: encrypted()
    case .peerEncrypted(_, let plaintext): peerEncrypted(plaintext)
    case .keyExchange: keyExchange()
    case .relay: relay()
    case .delta(let delta):
      if case .kotlin = delta.dialect {
        self.delta(isKotlin: true)
      } else {
        self.delta(isKotlin: false)
      }
    case .canned(let canned): self.canned(canned)
    case .app: app()
    case .markers: markers()
    case .chat: chatFrame()
    case .nodeID: node("node")
    case .nodeInfo: nodeInfo()
    case .syncState: syncState()
    case .command: command()
    case .status: status()
    case .chunk: chunk()
    case .lite: lite()
    case .beacon(let beacon): self.beacon(beacon.form)
    case .none: malformed()
    }
    rest("unused")
  }

  /// What could not be decoded, by the kind that its first byte or its length suggests.
  private mutating func malformed() {
    switch bytes.first.flatMap({ FrameMarker(rawValue: $0) }) {
    case .encrypted: encrypted()
    case .peerMessage:
      if bytes.count >= PeerMessage.overhead { peerEncrypted(nil) } else { canned(nil) }
    case .keyExchange: keyExchange()
    case .relay: relay()
    case .delta: delta(isKotlin: false)
    case .markers: markers()
    case .chat: chatFrame()
    case nil: document(isKotlin: false)
    }
  }

  private mutating func encrypted() {
    marker()
    number(1, "flags")
    opaque(12, "nonce")
    sealed()
  }

  /// Ciphertext up to the tag at the end.
  private mutating func sealed() {
    opaque(max(0, remaining - 16), "ciphertext")
    opaque(16, "tag")
  }

  private mutating func peerEncrypted(_ plaintext: [UInt8]?) {
    marker()
    number(1, "reserved")
    node("recipient")
    node("sender")
    number(8, "message number")
    opaque(12, "nonce")
    let shown = plaintext.map { "\($0.count) bytes, plaintext \(hex($0))" }
    opaque(max(0, remaining - 16), "ciphertext", shown)
    opaque(16, "tag")
  }

  private mutating func keyExchange() {
    marker()
    number(1, "reserved")
    node("sender")
    flags("flags", ["ephemeral"])
    opaque(32, "public key")
  }

  private mutating func relay() {
    marker()
    flags("flags", ["ack_wanted", "broadcast"])
    opaque(16, "message id")
    number(1, "hops")
    number(1, "max hops")
    node("origin")
    let length = number(4, "payload length")
    opaque(Int(length), "payload")
  }

  private mutating func canned(_ reading: CannedReading?) {
    marker()
    number(1, "message") { value in
      let code = CannedCode(rawValue: UInt8(truncatingIfNeeded: value))
      return "\(value) \(code?.recordName ?? "unknown")"
    }
    node("source")
    number(4, "target") {
      $0 == 0 ? "everyone" : "\(NodeID(rawValue: UInt32(truncatingIfNeeded: $0)))"
    }
    time("time")
    number(4, "sequence")
    if let check = reading?.check {
      opaque(64, "signature", check.rawValue)
    } else if remaining > 0 && !isCut {
      let claimed = number(2, "acks")
      var index = 0
      while index < claimed && remaining > 0 && !isCut {
        node("ack[\(index)] node")
        time("ack[\(index)] time")
        index += 1
      }
    }
  }

  private mutating func app() {
    number(1, "type") { "0x" + String($0, radix: 16) }
    number(1, "flags")
    opaque(Int(number(2, "payload length")), "payload")
  }

  private mutating func markers() {
    marker()
    node("node")
    let claimed = number(2, "markers")
    var index = 0
    while index < claimed && remaining > 0 && !isCut {
      text(Int(number(1, "marker[\(index)] uid length")), "marker[\(index)] uid")
      text(Int(number(1, "marker[\(index)] type length")), "marker[\(index)] type")
      float("marker[\(index)] latitude")
      float("marker[\(index)] longitude")
      float("marker[\(index)] height")
      text(Int(number(1, "marker[\(index)] callsign length")), "marker[\(index)] callsign")
      time("marker[\(index)] time")
      index += 1
    }
  }

  private mutating func chatFrame() {
    marker()
    flags("flags", ["broadcast", "ack_wanted"])
    node("origin")
    time("time")
    text(Int(number(1, "sender length")), "sender")
    text(Int(number(1, "text length")), "text")
    if remaining >= 4 { node("reply node") }
    if remaining >= 8 { time("reply time") }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
