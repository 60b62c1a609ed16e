package import PeatProtocol
internal import WireBytes

extension OutputText {
  mutating func append(json frame: EncryptedFrame) {
    append("{\"flags\":")
    append(number: frame.flags)
    append(",\"nonce\":")
    append(jsonHex: frame.nonce)
    append(",\"ciphertext_bytes\":")
    append(number: frame.ciphertext.count)
    append("}")
  }

  mutating func append(json message: PeerMessage, plaintext: [UInt8]?) {
    append("{\"recipient\":")
    append(json: message.recipient)
    append(",\"sender\":")
    append(json: message.sender)
    append(",\"counter\":")
    append(number: message.counter)
    append(",\"nonce\":")
    append(jsonHex: message.nonce)
    append(",\"ciphertext_bytes\":")
    append(number: message.ciphertext.count)
    if let plaintext {
      append(",\"plaintext\":")
      append(jsonHex: plaintext)
    }
    append("}")
  }

  mutating func append(json exchange: KeyExchange) {
    append("{\"sender\":")
    append(json: exchange.sender)
    append(",\"ephemeral\":")
    append(json: exchange.isEphemeral)
    append(",\"public_key\":")
    append(jsonHex: exchange.publicKey)
    append("}")
  }

  mutating func append(json envelope: RelayEnvelope) {
    append("{\"ack_wanted\":")
    append(json: envelope.requiresAcknowledgement)
    append(",\"broadcast\":")
    append(json: envelope.isBroadcast)
    append(",\"message_id\":")
    append(jsonHex: envelope.messageID.bytes)
    append(",\"hops\":")
    append(number: envelope.hopCount)
    append(",\"max_hops\":")
    append(number: envelope.maximumHops)
    append(",\"origin\":")
    append(json: envelope.origin)
    append(",\"payload_bytes\":")
    append(number: envelope.payload.count)
    append("}")
  }

  mutating func append(json canned: CannedReading) {
    let message = canned.message
    append("{\"message\":\"")
    append(raw: message.code.recordName)
    append("\",\"source\":")
    append(json: message.source)
    if let target = message.target {
      append(",\"target\":")
      append(json: target)
    }
    append(",\"time\":")
    append(number: message.timestamp)
    append(",\"sequence\":")
    append(number: message.sequence)
    append(",\"acks\":[")
    for (index, ack) in canned.acks.enumerated() {
      if index > 0 { append(",") }
      append("{\"node\":")
      append(json: ack.node)
      append(",\"time\":")
      append(number: ack.timestamp)
      append("}")
    }
    append("]")
    if let check = canned.check {
      append(",\"signature\":\"")
      append(raw: check.rawValue)
      append("\"")
    }
    append("}")
  }

  mutating func append(json app: AppDocumentFrame) {
    append("{\"type\":")
    append(jsonHex: [app.type.rawValue])
    append(",\"flags\":")
    append(number: app.flags)
    append(",\"payload\":")
    append(jsonHex: app.payload)
    append("}")
  }
}

extension CannedCode {
  /// The name in records.
  package var recordName: String {
    switch self {
    case .acknowledge: "ack"
    case .wilco: "wilco"
    case .negative: "negative"
    case .sayAgain: "say_again"
    case .checkIn: "check_in"
    case .moving: "moving"
    case .holding: "holding"
    case .onStation: "on_station"
    case .returning: "returning"
    case .complete: "complete"
    case .emergency: "emergency"
    case .alert: "alert"
    case .allClear: "all_clear"
    case .contact: "contact"
    case .underFire: "under_fire"
    case .needExtract: "need_extract"
    case .needSupport: "need_support"
    case .needMedic: "need_medic"
    case .needResupply: "need_resupply"
    case .custom: "custom"
    }
  }
}
