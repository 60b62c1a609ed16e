import PeatProtocol

/// What becomes of a field of a message, by its name in the annotated dump.
///
/// Names that are not listed here are blanked: a new field is safe before anybody thinks of it.
enum FieldName {
  case kept, blanked
  /// The first byte stays, which says why nothing behind it is decoded.
  case marked
  case node, text, time, seconds, latitude, longitude, height, geohash
  /// Drawn at random by its sender: something else for it, the same for the same.
  case random
  case key, payload, sealedBeacon

  private static let numbers: Set<String> = [
    "version", "counter entries", "section", "reserved", "section length", "type", "battery",
    "activity", "alerts", "heart rate", "has event", "event", "has location", "location flags",
    "accuracy", "ack entries", "chat messages", "marker", "flags", "message number", "hops",
    "max hops", "payload length", "message", "sequence", "acks", "markers", "clock entries",
    "operations", "counter id", "amount", "peripheral length", "known peers", "op code",
    "callsign length", "sender length", "text length", "protocol version", "hierarchy",
    "capabilities", "state", "progress", "pending documents", "command", "children",
    "parent RSSI", "uptime", "chunk index", "total chunks", "magic",
    "version, capabilities", "count", "given", "value", "uid length", "type length",
  ]

  /// `name` may have an index, as `counter[0] node` has.
  init(_ name: String, kind: MessageKind) {
    if name.hasPrefix("op["), name.hasSuffix("]") {
      self = .kept
      return
    }
    if name.hasPrefix("peer["), name.hasSuffix("]") {
      self = .node
      return
    }
    let bare = name.firstIndex(of: "]").map { String(name[name.index(after: $0)...].dropFirst()) }
    let isMarker = name.hasPrefix("marker[")
    switch bare ?? name {
    case "node", "peripheral id", "parent", "emergency source", "origin", "recipient", "target",
      "source", "counter node", "acknowledging node", "reply node":
      self = .node
    case "sender": self = kind == .keyExchange ? .node : .text
    case "callsign", "text", "uid": self = .text
    // What a marker is of, as every client names it.
    case "type" where isMarker: self = .kept
    case "time", "event time", "emergency time", "reply time": self = .time
    case "last sync": self = .seconds
    case "latitude": self = .latitude
    case "longitude": self = .longitude
    case "altitude", "height": self = .height
    case "geohash": self = .geohash
    case "message id": self = .random
    case "public key", "signature": self = .key
    case "payload": self = [.relay, .app, .delta].contains(kind) ? .payload : .blanked
    case "mesh and node": self = .sealedBeacon
    case "nonce": self = kind == .encryptedBeacon ? .sealedBeacon : .random
    case "not decoded": self = .marked
    case let other: self = FieldName.numbers.contains(other) ? .kept : .blanked
    }
  }
}
