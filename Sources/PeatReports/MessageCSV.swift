package import PeatProtocol
package import WireBytes

/// The columns of the CSV timeline that come out of the message itself, `kind` to `pending`.
///
/// A wrapper's row shows the document that was opened in it, and a document of Android's codec the
/// peripheral that its sender meant.
package enum MessageCSV {
  /// The names of the columns, in order.
  package static let columns = [
    "kind", "node", "version", "bytes", "total", "counter", "peripheral_id", "parent",
    "peripheral_type", "callsign", "battery", "activity", "alerts", "heart_rate", "event",
    "event_time", "latitude", "longitude", "altitude", "accuracy", "emergency_source",
    "emergency_time", "acked", "pending",
  ]

  /// Appends the columns, joined by commas, of a message whose value has `byteCount` bytes.
  package static func append(_ message: Message, byteCount: Int, to text: inout OutputText) {
    let decoded = message.innermost.document
    text.append(raw: message.kind.rawValue)
    text.append(",")
    if let node = message.node { text.append(csvID: node) }
    text.append(",")
    if let decoded { text.append(number: decoded.document.version) }
    text.append(",")
    text.append(number: byteCount)
    text.append(",")
    if let decoded { text.append(number: decoded.document.counter.total) }
    text.append(",")
    append(decoded?.document.counter, to: &text)
    text.append(",")
    append(decoded?.shownPeripheral, to: &text)
    text.append(",")
    append(decoded?.document.emergency, to: &text)
  }

  static func append(_ counter: GCounter?, to text: inout OutputText) {
    for (index, entry) in (counter?.entries ?? []).enumerated() {
      if index > 0 { text.append(";") }
      text.append(csvID: entry.node)
      text.append("=")
      text.append(number: entry.count)
    }
  }

  private static func append(_ peripheral: Peripheral?, to text: inout OutputText) {
    guard let peripheral else {
      text.append(",,,,,,,,,,,,,")
      return
    }
    text.append(csvID: peripheral.id)
    text.append(",")
    if peripheral.parent.rawValue != 0 { text.append(csvID: peripheral.parent) }
    text.append(",")
    text.append(raw: peripheral.type.name)
    text.append(",")
    text.append(csvField: peripheral.callsign.text)
    text.append(",")
    text.append(number: peripheral.health.battery)
    text.append(",")
    text.append(raw: peripheral.health.activity.name)
    text.append(",")
    text.append(raw: peripheral.health.alerts.names.joined(separator: ";"))
    text.append(",")
    if peripheral.health.heartRate != 0 { text.append(number: peripheral.health.heartRate) }
    text.append(",")
    if let event = peripheral.event {
      text.append(raw: event.type.name)
      text.append(",")
      text.append(number: event.time)
    } else {
      text.append(",")
    }
    text.append(",")
    let location = peripheral.location
    append(location?.latitude, to: &text)
    text.append(",")
    append(location?.longitude, to: &text)
    text.append(",")
    append(location?.altitude, to: &text)
    text.append(",")
    append(location?.accuracy, to: &text)
  }

  static func append(_ value: Float?, to text: inout OutputText) {
    if let value { text.append(float: value) }
  }

  static func append(_ emergency: EmergencyEvent?, to text: inout OutputText) {
    guard let emergency else {
      text.append(",,,")
      return
    }
    text.append(csvID: emergency.source)
    text.append(",")
    text.append(number: emergency.time)
    text.append(",")
    append(emergency.acked, to: &text)
    text.append(",")
    append(emergency.pending, to: &text)
  }

  private static func append(_ nodes: [NodeID], to text: inout OutputText) {
    for (index, node) in nodes.enumerated() {
      if index > 0 { text.append(";") }
      text.append(csvID: node)
    }
  }
}

extension DecodedDocument {
  /// The peripheral that the sender meant: Android's reading where the bytes are of its codec.
  package var shownPeripheral: Peripheral? { kotlin ?? document.peripheral }
}

extension OutputText {
  /// Appends a node's id with `0x` in front, so that no reader of CSV takes it for a number (cli.md,
  /// "The CSV timeline").
  mutating func append(csvID node: NodeID) {
    append("0x")
    append(upperHex: node.rawValue)
  }
}
