import PeatProtocol
import WireBytes

/// Calls `test` with each document of a row.
private func documents(_ row: FilterSubject, _ test: (DecodedDocument) -> Bool) -> Bool {
  row.document.map(test) ?? false
}

extension FilterField {
  /// The fields of a document; `peripheral` alone is the one that its sender meant.
  static let documentFields: [FilterField] =
    headFields
    + peripheralFields("document.peripheral", "as the reference reads it") {
      $0.document.peripheral
    }
    + peripheralFields("document.kotlin", "as an Android sender meant it") { $0.kotlin }
    + peripheralFields("peripheral", "as the sender meant it") {
      $0.kotlin ?? $0.document.peripheral
    }
    + emergencyFields("document.emergency") + emergencyFields("emergency")
    + chatFields + droppedFields

  /// `document.counter.NODE`: the count of one node.
  static func counterField(_ name: String) -> FilterField? {
    let prefix = "document.counter."
    guard name.hasPrefix(prefix), let node = NodeID(name.dropFirst(prefix.count)) else {
      return nil
    }
    return integer(name, "the count of one node") { row, test in
      documents(row) {
        $0.document.counter.contains(node) && test(Int128($0.document.counter[node]))
      }
    }
  }

  private static let headFields: [FilterField] = [
    flag("document", "whether it is or holds a document") { $0.document != nil },
    integer("document.version", "the sender's version") { row, test in
      documents(row) { test(Int128($0.document.version)) }
    },
    node("document.node", "the sender") { row, test in
      documents(row) { test($0.document.node) }
    },
    word("document.codec", "whose layout it has", [("rust", false), ("kotlin", true)]) {
      row, test in documents(row) { test($0.kotlin != nil) }
    },
    integer("document.counter", "any count; document.counter.NODE for one node") { row, test in
      documents(row) { $0.document.counter.entries.contains { test(Int128($0.count)) } }
    },
    integer("document.total", "the sum of its counts") { row, test in
      documents(row) { test(Int128($0.document.counter.total)) }
    },
  ]

  private static func peripheralFields(
    _ prefix: String, _ whose: String,
    _ get: @escaping @Sendable (DecodedDocument) -> Peripheral?
  ) -> [FilterField] {
    @Sendable func each(_ row: FilterSubject, _ test: (Peripheral) -> Bool) -> Bool {
      documents(row) { get($0).map(test) ?? false }
    }
    return [
      flag(prefix, "whether there is one, \(whose)") { row in
        row.document.map { get($0) != nil }
      },
      node("\(prefix).id", "its id") { row, test in each(row) { test($0.id) } },
      node("\(prefix).parent", "its parent, where not 0") { row, test in
        each(row) { $0.parent.rawValue != 0 && test($0.parent) }
      },
      word("\(prefix).type", "its type", peripheralTypes) { row, test in
        each(row) { test($0.type) }
      },
      text("\(prefix).callsign", "its callsign") { row, test in
        each(row) { test($0.callsign.text) }
      },
      integer("\(prefix).health.battery", "battery in percent") { row, test in
        each(row) { test(Int128($0.health.battery)) }
      },
      word("\(prefix).health.activity", "what its wearer does", activities) { row, test in
        each(row) { test($0.health.activity) }
      },
      word("\(prefix).health.alerts", "an alert that is raised", alerts) { row, test in
        each(row) { peripheral in
          alerts.contains { peripheral.health.alerts.contains($0.1) && test($0.1) }
        }
      },
      integer("\(prefix).health.heart_rate", "beats a minute, where not 0") { row, test in
        each(row) { $0.health.heartRate != 0 && test(Int128($0.health.heartRate)) }
      },
      word("\(prefix).event.type", "its event", events) { row, test in
        each(row) { $0.event.map { test($0.type) } ?? false }
      },
      milliseconds("\(prefix).event.time", "the event's time") { row, test in
        each(row) { $0.event.map { test($0.time) } ?? false }
      },
      milliseconds("\(prefix).time", "its own time") { row, test in each(row) { test($0.time) } },
      flag("\(prefix).location", "whether it says where it is") { row in
        row.document.flatMap { get($0) }.map { $0.location != nil }
      },
      decimal("\(prefix).location.latitude", "degrees north") { row, test in
        each(row) { $0.location.map { test(Double($0.latitude)) } ?? false }
      },
      decimal("\(prefix).location.longitude", "degrees east") { row, test in
        each(row) { $0.location.map { test(Double($0.longitude)) } ?? false }
      },
      decimal("\(prefix).location.altitude", "metres") { row, test in
        each(row) { $0.location?.altitude.map { test(Double($0)) } ?? false }
      },
      decimal("\(prefix).location.accuracy", "metres") { row, test in
        each(row) { $0.location?.accuracy.map { test(Double($0)) } ?? false }
      },
    ]
  }

  private static let peripheralTypes = (UInt8(0)...3).map {
    let type = PeripheralType(rawValue: $0)
    return (type.name, type)
  }
  private static let activities = (UInt8(0)...4).map {
    let activity = Activity(rawValue: $0)
    return (activity.name, activity)
  }
  private static let alerts = (0..<8).map {
    let alert = Alerts(rawValue: 1 << $0)
    return (alert.names.first ?? "", alert)
  }

  private static func emergencyFields(_ prefix: String) -> [FilterField] {
    @Sendable func each(_ row: FilterSubject, _ test: (EmergencyEvent) -> Bool) -> Bool {
      documents(row) { $0.document.emergency.map(test) ?? false }
    }
    return [
      flag(prefix, "whether it carries an emergency") { row in
        row.document.map { $0.document.emergency != nil }
      },
      node("\(prefix).source", "who is in distress") { row, test in each(row) { test($0.source) } },
      milliseconds("\(prefix).time", "since when") { row, test in each(row) { test($0.time) } },
      node("\(prefix).acked", "a node that has acknowledged") { row, test in
        each(row) { $0.acks.contains { $0.isAcked && test($0.node) } }
      },
      node("\(prefix).pending", "a node that has not yet") { row, test in
        each(row) { $0.acks.contains { !$0.isAcked && test($0.node) } }
      },
    ]
  }

  private static let chatFields: [FilterField] = [
    flag("document.chat", "whether it has a chat section") { row in
      row.document.map { $0.document.chat != nil }
    },
    node("document.chat.origin", "who wrote a chat message") { row, test in
      documents(row) { $0.document.chat?.messages.contains { test($0.origin) } ?? false }
    },
    milliseconds("document.chat.time", "when it was written") { row, test in
      documents(row) { $0.document.chat?.messages.contains { test($0.time) } ?? false }
    },
    text("document.chat.sender", "its writer's name") { row, test in
      documents(row) { $0.document.chat?.messages.contains { test($0.sender) } ?? false }
    },
    text("document.chat.text", "what it says") { row, test in
      documents(row) { $0.document.chat?.messages.contains { test($0.text) } ?? false }
    },
  ]

  private static let droppedFields: [FilterField] = [
    flag("document.dropped", "whether the reference leaves something out") { row in
      row.document.map { !$0.dropped.isEmpty }
    },
    word(
      "document.dropped.section", "the part that is affected",
      names([
        Dropped.Section.counter, .peripheral, .event, .location, .emergency, .ack, .chat,
        .section,
      ])
    ) { row, test in documents(row) { $0.dropped.contains { test($0.section) } } },
    word(
      "document.dropped.rule", "what the reference does",
      names([Dropped.Rule.drop, .stop, .skip, .clamp])
    ) { row, test in documents(row) { $0.dropped.contains { test($0.rule) } } },
    integer("document.dropped.offset", "where") { row, test in
      documents(row) { $0.dropped.contains { test(Int128($0.offset)) } }
    },
    text("document.dropped.reason", "why") { row, test in
      documents(row) { $0.dropped.contains { test($0.reason) } }
    },
    integer("document.dropped.raw", "the number found there") { row, test in
      documents(row) { $0.dropped.contains { $0.raw.map { test(Int128($0)) } ?? false } }
    },
    bytes("document.trailing", "what follows a stop") { row, test in
      documents(row) { !$0.trailing.isEmpty && test($0.trailing) }
    },
  ]
}
