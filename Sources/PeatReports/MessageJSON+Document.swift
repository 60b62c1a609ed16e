package import PeatProtocol
package import WireBytes

extension OutputText {
  /// Appends a document with what the reference left out of it.
  package mutating func append(json decoded: DecodedDocument) {
    let document = decoded.document
    append("{\"version\":")
    append(number: document.version)
    append(",\"node\":")
    append(json: document.node)
    if decoded.kotlin == nil {
      append(",\"codec\":\"rust\"")
    } else {
      append(",\"codec\":\"kotlin\"")
    }
    append(",\"counter\":")
    append(json: document.counter)
    append(",\"total\":")
    append(number: document.counter.total)
    if let peripheral = document.peripheral {
      append(",\"peripheral\":")
      append(json: peripheral)
    }
    if let emergency = document.emergency {
      append(",\"emergency\":")
      append(json: emergency)
    }
    if let chat = document.chat {
      append(",\"chat\":")
      append(json: chat)
    }
    if let kotlin = decoded.kotlin {
      append(",\"kotlin\":")
      append(json: kotlin)
    }
    append(",\"dropped\":")
    append(json: decoded.dropped)
    if !decoded.trailing.isEmpty {
      append(",\"trailing\":")
      append(jsonHex: decoded.trailing)
    }
    append("}")
  }

  /// Appends a counter as an object of counts by node id, ascending.
  package mutating func append(json counter: GCounter) {
    append("{")
    var isFirst = true
    for entry in counter.entries {
      if !isFirst { append(",") }
      isFirst = false
      append(json: entry.node)
      append(":")
      append(number: entry.count)
    }
    append("}")
  }

  /// Appends a peripheral; parent and heart rate are left out where they are 0.
  package mutating func append(json peripheral: Peripheral) {
    append("{\"id\":")
    append(json: peripheral.id)
    if peripheral.parent.rawValue != 0 {
      append(",\"parent\":")
      append(json: peripheral.parent)
    }
    append(",\"type\":\"")
    append(raw: peripheral.type.name)
    append("\",\"callsign\":")
    append(json: peripheral.callsign)
    append(",\"health\":")
    append(json: peripheral.health)
    if let event = peripheral.event {
      append(",\"event\":{\"type\":\"")
      append(raw: event.type.name)
      append("\",\"time\":")
      append(number: event.time)
      append("}")
    }
    append(",\"time\":")
    append(number: peripheral.time)
    if let location = peripheral.location {
      append(",\"location\":")
      append(json: location)
    }
    append("}")
  }

  /// Appends a callsign, for which nearly always no text need be made.
  private mutating func append(json callsign: Callsign) {
    append("\"")
    let length = callsign.length
    if (0..<length).allSatisfy({ OutputText.isPlain(callsign.byte($0)) }) {
      for index in 0..<length { append(ascii: callsign.byte(index)) }
    } else {
      append(jsonEscaped: callsign.text)
    }
    append("\"")
  }

  /// Appends a location; what is not known is left out.
  package mutating func append(json location: Location) {
    append("{\"latitude\":")
    append(json: location.latitude)
    append(",\"longitude\":")
    append(json: location.longitude)
    if let altitude = location.altitude {
      append(",\"altitude\":")
      append(json: altitude)
    }
    if let accuracy = location.accuracy {
      append(",\"accuracy\":")
      append(json: accuracy)
    }
    append("}")
  }

  /// Appends battery, activity, alerts and, where it is not 0, heart rate.
  package mutating func append(json health: Health) {
    append("{\"battery\":")
    append(number: health.battery)
    append(",\"activity\":\"")
    append(raw: health.activity.name)
    append("\",\"alerts\":")
    append(json: health.alerts)
    if health.heartRate != 0 {
      append(",\"heart_rate\":")
      append(number: health.heartRate)
    }
    append("}")
  }

  /// Appends the names of the set bits, lowest first.
  package mutating func append(json alerts: Alerts) {
    if alerts.isEmpty { append("[]") } else { append(jsonNames: alerts.names) }
  }

  /// Appends an emergency with its acks, acknowledged and pending.
  package mutating func append(json emergency: EmergencyEvent) {
    append("{\"source\":")
    append(json: emergency.source)
    append(",\"time\":")
    append(number: emergency.time)
    append(",\"acked\":")
    // Not by way of its lists, which allocate.
    append(json: emergency.acks.lazy.filter(\.isAcked).map(\.node))
    append(",\"pending\":")
    append(json: emergency.acks.lazy.filter { !$0.isAcked }.map(\.node))
    append("}")
  }

  private mutating func append(json chat: ChatSet) {
    append("[")
    for (index, message) in chat.messages.enumerated() {
      if index > 0 { append(",") }
      append("{\"origin\":")
      append(json: message.origin)
      append(",\"time\":")
      append(number: message.time)
      append(",\"sender\":")
      append(jsonString: message.sender)
      append(",\"text\":")
      append(jsonString: message.text)
      append(",\"broadcast\":")
      append(json: message.isBroadcast)
      append(",\"ack_wanted\":")
      append(json: message.wantsAck)
      if message.replyTo.node.rawValue != 0 {
        append(",\"reply_to\":{\"node\":")
        append(json: message.replyTo.node)
        append(",\"time\":")
        append(number: message.replyTo.time)
        append("}")
      }
      append("}")
    }
    append("]")
  }
}

// MARK: - What the reference left out

extension OutputText {
  /// Appends the notes on what the reference left out, by offset.
  package mutating func append(json dropped: [Dropped]) {
    append("[")
    for (index, item) in dropped.enumerated() {
      if index > 0 { append(",") }
      append("{\"section\":\"")
      append(raw: item.section.rawValue)
      append("\",\"offset\":")
      append(number: item.offset)
      append(",\"rule\":\"")
      append(raw: item.rule.rawValue)
      append("\",\"reason\":")
      append(jsonString: item.reason)
      if let raw = item.raw {
        append(",\"raw\":")
        append(number: raw)
      }
      if !item.content.isEmpty {
        append(",\"content\":")
        append(json: item.content)
      }
      append("}")
    }
    append("]")
  }

  private mutating func append(json fields: [ContentField]) {
    append("{")
    for (index, field) in fields.enumerated() {
      if index > 0 { append(",") }
      append("\"")
      append(raw: field.name)
      append("\":")
      append(json: field.value)
    }
    append("}")
  }

  private mutating func append(json value: ContentValue) {
    switch value {
    case .integer(let number): append(number: number)
    case .float(let number): append(json: number)
    case .text(let text): append(jsonString: text)
    case .flag(let flag): append(json: flag)
    case .fields(let fields): append(json: fields)
    case .list(let values):
      append("[")
      for (index, element) in values.enumerated() {
        if index > 0 { append(",") }
        append(json: element)
      }
      append("]")
    }
  }
}
