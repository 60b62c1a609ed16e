import PeatProtocol
import WireBytes

/// Calls `test` with each body of one kind in a row, wrapped ones included.
private typealias EachBody<Body> = @Sendable (FilterSubject, (Body) -> Bool) -> Bool

private func each<Body>(
  _ get: @escaping @Sendable (MessageBody) -> Body?
) -> EachBody<Body> {
  { row, test in row.message.anyLevel { get($0.body).map(test) ?? false } }
}

extension FilterField {
  /// The fields of frames that are no documents.
  static let frameFields: [FilterField] =
    encryptedFields + peerFields + exchangeFields + relayFields + deltaFields + cannedFields
    + appFields + markerFields + chatFrameFields + beaconFields + libraryFields

  private static let encryptedFields: [FilterField] = {
    let each = each { if case .encrypted(let frame) = $0 { frame } else { nil } }
    return [
      integer("encrypted.flags", "byte 1 of the frame") { row, test in
        each(row) { test(Int128($0.flags)) }
      },
      bytes("encrypted.nonce", "the nonce") { row, test in each(row) { test($0.nonce) } },
      integer("encrypted.ciphertext_bytes", "without the tag") { row, test in
        each(row) { test(Int128($0.ciphertext.count)) }
      },
    ]
  }()

  private static let peerFields: [FilterField] = {
    let each = each { body -> (PeerMessage, [UInt8]?)? in
      if case .peerEncrypted(let message, let plaintext) = body {
        (message, plaintext)
      } else {
        nil
      }
    }
    return [
      node("peer_encrypted.recipient", "for whom it is") { row, test in
        each(row) { test($0.0.recipient) }
      },
      node("peer_encrypted.sender", "from whom it is") { row, test in
        each(row) { test($0.0.sender) }
      },
      integer("peer_encrypted.counter", "the session's counter") { row, test in
        each(row) { test(Int128($0.0.counter)) }
      },
      bytes("peer_encrypted.nonce", "the nonce") { row, test in each(row) { test($0.0.nonce) } },
      integer("peer_encrypted.ciphertext_bytes", "without the tag") { row, test in
        each(row) { test(Int128($0.0.ciphertext.count)) }
      },
      bytes("peer_encrypted.plaintext", "what a key opened") { row, test in
        each(row) { $0.1.map(test) ?? false }
      },
    ]
  }()

  private static let exchangeFields: [FilterField] = {
    let each = each { if case .keyExchange(let exchange) = $0 { exchange } else { nil } }
    return [
      node("key_exchange.sender", "whose key it is said to be") { row, test in
        each(row) { test($0.sender) }
      },
      word("key_exchange.ephemeral", "its flag", [("true", true), ("false", false)]) {
        row, test in each(row) { test($0.isEphemeral) }
      },
      bytes("key_exchange.public_key", "the key") { row, test in
        each(row) { test($0.publicKey) }
      },
    ]
  }()

  private static let relayFields: [FilterField] = {
    let each = each { if case .relay(let envelope) = $0 { envelope } else { nil } }
    let flags = [("true", true), ("false", false)]
    return [
      word("relay.ack_wanted", "its flag", flags) { row, test in
        each(row) { test($0.requiresAcknowledgement) }
      },
      word("relay.broadcast", "its flag", flags) { row, test in
        each(row) { test($0.isBroadcast) }
      },
      bytes("relay.message_id", "the id it keeps on its way") { row, test in
        each(row) { test($0.messageID.bytes) }
      },
      integer("relay.hops", "hops made") { row, test in each(row) { test(Int128($0.hopCount)) } },
      integer("relay.max_hops", "hops allowed") { row, test in
        each(row) { test(Int128($0.maximumHops)) }
      },
      node("relay.origin", "who sent it first") { row, test in each(row) { test($0.origin) } },
      integer("relay.payload_bytes", "what it carries") { row, test in
        each(row) { test(Int128($0.payload.count)) }
      },
    ]
  }()

  private static let deltaFields: [FilterField] = {
    let each = each { if case .delta(let reading) = $0 { reading } else { nil } }
    return [
      node("delta.origin", "whose changes it has") { row, test in each(row) { test($0.origin) } },
      milliseconds("delta.time", "when it was made") { row, test in
        each(row) {
          switch $0.dialect {
          case .rust(let delta): test(delta.timestamp)
          case .kotlin(let delta): test(delta.timestamp)
          }
        }
      },
      word("delta.response", "its flag", [("true", true), ("false", false)]) { row, test in
        each(row) {
          if case .rust(let delta) = $0.dialect { test(delta.isResponse) } else { test(false) }
        }
      },
      word("delta.dialect", "whose operations", [("rust", false), ("kotlin", true)]) {
        row, test in
        each(row) { if case .kotlin = $0.dialect { test(true) } else { test(false) } }
      },
      integer("delta.operations", "how many changes it has") { row, test in
        each(row) {
          switch $0.dialect {
          case .rust(let delta): test(Int128(delta.operations.count))
          case .kotlin(let delta): test(Int128(delta.operations.count))
          }
        }
      },
      word(
        "delta.operations.op", "a change of the reference's dialect",
        ["counter", "peripheral", "set_emergency", "ack", "clear", "app"].map { ($0, $0) }
      ) { row, test in
        each(row) {
          guard case .rust(let delta) = $0.dialect else { return false }
          return delta.operations.contains { test(operationName($0)) }
        }
      },
      bytes("delta.trailing", "bytes behind the last change") { row, test in
        each(row) { !$0.trailing.isEmpty && test($0.trailing) }
      },
    ]
  }()

  private static func operationName(_ operation: DeltaOperation) -> String {
    switch operation {
    case .counter: "counter"
    case .peripheral: "peripheral"
    case .setEmergency: "set_emergency"
    case .acknowledgeEmergency: "ack"
    case .clearEmergency: "clear"
    case .app: "app"
    }
  }

  private static let cannedFields: [FilterField] = {
    let each = each { if case .canned(let reading) = $0 { reading } else { nil } }
    return [
      word("canned.message", "what it says", cannedNames) { row, test in
        each(row) { test($0.message.code) }
      },
      node("canned.source", "who says it") { row, test in each(row) { test($0.message.source) } },
      node("canned.target", "to whom, where not to all") { row, test in
        each(row) { $0.message.target.map(test) ?? false }
      },
      milliseconds("canned.time", "when") { row, test in
        each(row) { test($0.message.timestamp) }
      },
      integer("canned.sequence", "the source's count") { row, test in
        each(row) { test(Int128($0.message.sequence)) }
      },
      node("canned.acks", "a node that has acknowledged it") { row, test in
        each(row) { $0.acks.contains { test($0.node) } }
      },
      word(
        "canned.signature", "whether its signature holds",
        names([SignatureCheck.valid, .invalid, .unchecked])
      ) { row, test in each(row) { $0.check.map(test) ?? false } },
    ]
  }()

  private static let cannedNames: [(String, CannedCode)] = [
    ("ack", .acknowledge), ("wilco", .wilco), ("negative", .negative), ("say_again", .sayAgain),
    ("check_in", .checkIn), ("moving", .moving), ("holding", .holding),
    ("on_station", .onStation), ("returning", .returning), ("complete", .complete),
    ("emergency", .emergency), ("alert", .alert), ("all_clear", .allClear),
    ("contact", .contact), ("under_fire", .underFire), ("need_extract", .needExtract),
    ("need_support", .needSupport), ("need_medic", .needMedic),
    ("need_resupply", .needResupply), ("custom", .custom),
  ]

  private static let appFields: [FilterField] = {
    let each = each { if case .app(let frame) = $0 { frame } else { nil } }
    return [
      bytes("app.type", "c0 to cf") { row, test in each(row) { test([$0.type.rawValue]) } },
      integer("app.flags", "its flags") { row, test in each(row) { test(Int128($0.flags)) } },
      bytes("app.payload", "what it carries") { row, test in each(row) { test($0.payload) } },
    ]
  }()

  private static let markerFields: [FilterField] = {
    let each = each { if case .markers(let list) = $0 { list } else { nil } }
    return [
      node("markers.node", "whose markers") { row, test in each(row) { test($0.node) } },
      integer("markers.count", "how many it announces") { row, test in
        each(row) { test(Int128($0.announcedCount)) }
      },
      text("markers.uid", "a marker's id") { row, test in
        each(row) { $0.markers.contains { test($0.uid) } }
      },
      text("markers.type", "a marker's type") { row, test in
        each(row) { $0.markers.contains { test($0.type) } }
      },
      text("markers.callsign", "a marker's callsign") { row, test in
        each(row) { $0.markers.contains { test($0.callsign) } }
      },
      decimal("markers.lat", "degrees north") { row, test in
        each(row) { $0.markers.contains { test(Double($0.latitude)) } }
      },
      decimal("markers.lon", "degrees east") { row, test in
        each(row) { $0.markers.contains { test(Double($0.longitude)) } }
      },
      decimal("markers.height", "metres") { row, test in
        each(row) { $0.markers.contains { test(Double($0.height)) } }
      },
      milliseconds("markers.time", "a marker's time") { row, test in
        each(row) { $0.markers.contains { test($0.time) } }
      },
    ]
  }()

  private static let chatFrameFields: [FilterField] = {
    let each = each { if case .chat(let frame) = $0 { frame } else { nil } }
    let flags = [("true", true), ("false", false)]
    return [
      word("chat.broadcast", "its flag", flags) { row, test in
        each(row) { test($0.isBroadcast) }
      },
      word("chat.ack", "its flag", flags) { row, test in
        each(row) { test($0.requiresAcknowledgement) }
      },
      node("chat.origin", "who wrote it") { row, test in each(row) { test($0.origin) } },
      milliseconds("chat.timestamp", "when") { row, test in each(row) { test($0.timestamp) } },
      text("chat.sender", "its writer's name") { row, test in each(row) { test($0.sender) } },
      text("chat.text", "what it says") { row, test in each(row) { test($0.text) } },
      node("chat.reply_node", "whom it answers") { row, test in
        each(row) { $0.replyNode.map(test) ?? false }
      },
      milliseconds("chat.reply_timestamp", "what it answers") { row, test in
        each(row) { $0.replyTimestamp.map(test) ?? false }
      },
    ]
  }()

  private static let beaconFields: [FilterField] = {
    let each = each { if case .beacon(let beacon) = $0 { beacon } else { nil } }
    return [
      word(
        "beacon.form", "which form it is", names([BeaconMessage.Form.full, .compact, .encrypted])
      ) { row, test in each(row) { test($0.form) } },
      integer("beacon.version", "its version") { row, test in
        each(row) { test(Int128($0.version)) }
      },
      text("beacon.hierarchy", "the node's level") { row, test in
        each(row) { test($0.level.name) }
      },
      integer("beacon.geohash", "its place, 24 bits") { row, test in
        each(row) { $0.geohash.map { test(Int128($0)) } ?? false }
      },
      integer("beacon.battery", "percent") { row, test in
        each(row) { $0.battery.map { test(Int128($0)) } ?? false }
      },
      integer("beacon.sequence", "counts beacons") { row, test in
        each(row) { $0.sequence.map { test(Int128($0)) } ?? false }
      },
      integer("advertising.rssi", "signal in dBm") { row, test in
        each(row) { $0.rssi.map { test(Int128($0)) } ?? false }
      },
      text("advertising.name", "the advertised name") { row, test in
        each(row) { $0.name.map(test) ?? false }
      },
    ]
  }()
}
